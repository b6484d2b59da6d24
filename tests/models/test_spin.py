"""Real Spin on models of the kernel: the same states and the same verdict on safety and deadlock.

Small bounds, so that compiling what was learned takes a second each. `make recheck` does the same for every
quick run of the manifest and for the broken models.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from dhruva.explore import spin
from dhruva.explore.command import load

FOLDER = Path(__file__).parents[2] / "models"

SMALL = {
    "scope_gate": {"resources": "0"},
    "task_lifecycle": {"tasks": "2", "runs": "1"},
    "effects": {"takes": "2"},
    "lock_release": {"nonces": "1"},
    "kernel": {"dispatch": "0"},
}

pytestmark = pytest.mark.skipif(
    bool(spin.missing()), reason=f"{spin.missing()} not installed: `make spin` installs Spin"
)


@pytest.mark.cites("VER-2")
@pytest.mark.parametrize("file", SMALL)
def test_spin_agrees(file: str) -> None:
    found = spin.recheck(load(FOLDER / f"{file}.py", SMALL[file]))
    assert found.agrees, found
    assert not found.spins.is_violated
    assert found.spins.distinct > 100


@pytest.mark.cites("VER-2")
def test_spin_finds_a_planted_fault() -> None:
    found = spin.recheck(importlib.import_module("models.broken.slot_freed_at_cancel").model())
    assert found.agrees, found
    assert found.spins.is_violated
