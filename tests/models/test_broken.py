"""Models that must fail: each does, with the property it names, after as many steps as it says.

Together they break every claim that the models make, and do without each assumption in turn.
"""

from __future__ import annotations

import importlib
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dhruva.assume import ASSUMPTIONS
from dhruva.explore import Model, check
from dhruva.explore.command import load
from dhruva.explore.model import DEADLOCK, Sometimes
from dhruva.step import stepping
from dhruva.verify.manifest import QUICK, read
from dhruva.verify.mutants import Mutant, mutants
from dhruva.walk import SETTINGS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "models" / "broken"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
PLANTED = tomllib.loads((FOLDER / "planted.toml").read_text())["planted"]
NAMED_BY_THE_CONTRACT = {
    "release_on_spawn_started",
    "takeover_by_age",
    "takeover_while_the_child_lives",
    "commit_without_the_gate",
    "slot_freed_at_cancel",
    "cancel_loses_to_completion",
    "retry_keeps_the_ref",
    "failed_seen_during_retry",
    "cooperative_dispatches",
    "counters_evicted",
    "resume_without_the_token",
    "two_writers_of_a_version",
    "dispose_forgets_an_attempt",
    "follow_up_lost_in_a_crash",
    "spawn_performed_again",
    "cascade_on_a_half_reset_tree",
    "low_before_urgent",
}


def _broken(name: str) -> Any:
    return importlib.import_module(f"models.broken.{name}")


def _asked(model: Model, names: set[str]) -> Model:
    """The model with these claims alone: what else fails does not cut the search short."""
    model.properties = [claim for claim in model.properties if claim.name in names]
    model.allow_deadlock("asked about some claims alone")
    return model


@pytest.mark.parametrize("name", NAMES)
def test_the_fault_is_found(name: str) -> None:
    broken = _broken(name)
    [asked] = check(_asked(broken.model(), {broken.FAILS}), "vector").properties
    assert asked.verdict == "violated"
    assert asked.trace is not None
    assert len(asked.trace) == broken.LENGTH


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted["claim"])
def test_the_planted_fault_is_found(planted: dict[str, Any]) -> None:
    family = importlib.import_module(f"models.{planted['model']}")
    settings = getattr(family, "SETTINGS", SETTINGS)
    step = stepping(_mutants()[planted["fault"]].book(settings))
    model = _asked(family.model(**planted["bounds"], step=step), {planted["claim"]})
    [asked] = check(model, "vector").properties
    assert asked.verdict == "violated"
    assert asked.trace is not None
    assert len(asked.trace) == planted["steps"]


@cache
def _mutants() -> dict[str, Mutant]:
    return {mutant.name: mutant for mutant in mutants()}


def _family(name: str) -> str:
    """A claim that is made of several things alike is one claim."""
    return re.sub(r"( \([\w.]+\)|: handle .*)$", "", name)


def test_every_claim_has_a_broken_model() -> None:
    """A claim that no fault was ever seen to break may be true of nothing."""
    claimed = {
        _family(claim.name)
        for run in read(ROOT / "models" / "manifest.toml").runs(QUICK)
        for claim in load(ROOT / "models" / f"{run.model}.py", run.sets).claims()
        if not isinstance(claim, Sometimes) and claim.name != DEADLOCK
    }
    broken = {_family(_broken(name).FAILS) for name in NAMES}
    assert claimed - broken - {_family(planted["claim"]) for planted in PLANTED} == set()


def test_the_faults_that_the_contract_names_are_there() -> None:
    assert NAMED_BY_THE_CONTRACT - set(NAMES) == set()


def test_each_assumption_is_needed() -> None:
    """Without it some claim fails: the trace is that of the broken model that does not make it."""
    texts = [(FOLDER / f"{name}.py").read_text() for name in NAMES]
    for assumption in ASSUMPTIONS:
        assert any(f'unassumed("{assumption.name}")' in text for text in texts), assumption.name
