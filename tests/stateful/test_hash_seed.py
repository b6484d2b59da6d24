"""Nothing depends on hashes: two values of PYTHONHASHSEED give the same states, traces and steps."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

EXPLORE = """
from dhruva.explore import check
from models.kernel import model
print(check(model(attempts=1, spawns=2, dispatch=0), engine="reference", keep_going=True).to_json())
"""

STEPS = """
from dhruva.step import step
from tests.stateful.menu import THEMES
from tests.stateful.samples import SETUP
from tests.stateful.strategies import Walk, seen_on
for theme in THEMES:
    numbers = [n * 7919 * 31 % 2**24 for n in range(200)]
    for seen in seen_on(Walk(SETUP, theme, numbers), step, honest=False):
        print(seen.given, seen.answer)
"""


def said(script: str, seed: int) -> str:
    """What a fresh interpreter prints under this hash seed."""
    environment = os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": f"{ROOT}:{ROOT / 'kernel'}"}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def without_times(report: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(report)
    return {name: value for name, value in found.items() if name != "seconds"}


@pytest.mark.cites("VER-2a", "ACT-14b")
def test_the_explorer_finds_the_same_states_and_traces() -> None:
    first, second = (without_times(said(EXPLORE, seed)) for seed in (1, 20))
    assert first == second
    assert first["distinct"] > 1000
    assert any(found["trace"] for found in first["properties"])


@pytest.mark.cites("ACT-14b", "SHL-1b")
def test_a_walk_gives_the_same_steps_to_the_letter() -> None:
    """The order of writes, effects and edges included."""
    assert said(STEPS, 1) == said(STEPS, 20)
