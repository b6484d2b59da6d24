"""Models that must fail: each does, with the property it names, after as many steps as it says."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from dhruva.explore import check

FOLDER = Path(__file__).parents[2] / "models" / "broken"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", NAMES)
def test_the_fault_is_found(name: str) -> None:
    """The search ends with the level of the first violation, so nothing fails earlier than what is named."""
    broken = importlib.import_module(f"models.broken.{name}")
    report = check(broken.model(), "reference")
    failed = {
        one.name: len(one.trace)
        for one in report.properties
        if one.verdict == "violated" and one.trace is not None
    }
    assert failed.get(broken.FAILS) == broken.LENGTH, failed
    assert min(failed.values()) == broken.LENGTH, failed


def test_the_three_first_faults_are_there() -> None:
    assert {"slot_freed_at_cancel", "release_on_spawn_started", "retry_keeps_the_ref"} <= set(NAMES)
