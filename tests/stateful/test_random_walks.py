"""Random inputs in random small worlds: `step` is total, deterministic, pure and bounded (design section 1).

Beside what moves a world on, the walks hold inputs about things that do not exist, dead refs, refs of others,
foreign and reused nonces and tokens, old versions, and events for machines that do not know them.
"""

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from dhruva.cells import Change, FollowUp, Key, Kind
from dhruva.inputs import Handle, Wake
from dhruva.machines import MACHINES
from dhruva.rules import RULES
from dhruva.step import step
from dhruva.table import Refused
from tests.stateful.footprint import bound
from tests.stateful.invariants import misfits, wrong
from tests.stateful.menu import THEMES
from tests.stateful.samples import SETUP
from tests.stateful.strategies import Walk, seen_on, walks
from tests.stateful.world import Cells, Seen, reader

SPEC = Path(__file__).resolve().parents[2] / "docs" / "spec"
RULE_IDS = frozenset(
    found
    for page in SPEC.glob("*.md")
    for found in re.findall(r"^(?:\| |### )([A-Z]{3}-\d+)", page.read_text(), flags=re.MULTILINE)
)
PLACES = {"step", "follow-up", "resource", "release"}  # said where no machine is met yet
RELAXED = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def same_again(seen: Seen) -> None:
    """The same input in the same world gives the same answer, and asks for the same cells."""
    read, asked = reader(seen.before)
    assert step(read, seen.given) == seen.answer
    assert asked == seen.reads


def says_no_well(seen: Seen) -> None:
    """A refusal changes nothing; it names machine, event, a rule of the specification, and why."""
    refused = seen.answer
    assert isinstance(refused, Refused)
    assert seen.after is seen.before
    assert refused.machine in PLACES or refused.machine in MACHINES, refused
    assert refused.event, refused
    assert refused.because, refused
    assert refused.rule.split(), refused
    assert set(refused.rule.split()) <= RULE_IDS, refused


def writes_with_care(seen: Seen) -> None:
    """Follow-ups that are written, or were handled and go on, are announced; what is removed was there."""
    change = seen.answer
    assert isinstance(change, Change)
    announced = tuple(k for k, cell in change.writes.items() if k[0] == Kind.FOLLOW and cell is not None)
    goes_on = tuple(k for k in handled(seen.given) if k in seen.after and k not in change.writes)
    assert change.follow_ups == announced + goes_on
    assert all(cell is not None or key in seen.before for key, cell in change.writes.items())


def handled(given: Any) -> tuple[Key, ...]:
    """The follow-up that an input is about."""
    if isinstance(given, Wake):
        return ((Kind.FOLLOW, FollowUp.WAKE, given.scope),)
    return (given.key,) if isinstance(given, Handle) else ()


def is_made_of_values(cell: Any) -> bool:
    """No field is a collection that could grow: enums, bools, ints, ids, refs and keys."""
    if isinstance(cell, tuple):
        return len(cell) <= 13 and all(is_made_of_values(field) for field in cell)
    return cell is None or isinstance(cell, int | str)


def check(seen: Seen, snapshot: Cells) -> None:
    assert seen.before == snapshot
    same_again(seen)
    assert len(seen.footprint) <= bound(seen.given), (seen.given, sorted(map(str, seen.footprint)))
    if isinstance(seen.answer, Refused):
        says_no_well(seen)
        return
    writes_with_care(seen)
    assert all(map(is_made_of_values, seen.answer.writes.values())), seen.answer


@pytest.mark.cites("ACT-14a", "ACT-14b", "SHL-1a", "SHL-1b", "SHL-3c", "VER-1a")
@given(walks(80))
@RELAXED
def test_step_is_total_deterministic_pure_and_bounded(walk: Walk) -> None:
    """Whatever comes, in whatever order: a Change or a Refused, always the same, over few cells."""
    snapshot: Cells = {}
    for seen in seen_on(walk, step, honest=False):
        snapshot = snapshot or dict(seen.before)
        check(seen, snapshot)
        snapshot = dict(seen.after)


@pytest.mark.cites(
    "ACT-2d", "ACT-7b", "ACT-8a", "ACT-11a", "ACT-11e", "ACT-13a", "ACT-13b", "ACT-13e", "ACT-16b", "ACT-16c",
    "DSP-4b", "DSP-5c", "DSP-8b", "LIF-3a", "LIF-4a", "LIF-4d", "LIF-6f", "LIF-7", "LIF-15b", "SHL-3d",
    "WFL-14f", "WFL-22b",
)  # fmt: skip
@given(walks(80))
@RELAXED
def test_the_claims_hold_wherever_the_outside_may_lead(walk: Walk) -> None:
    """Claims of the models and of this folder, after every step of an honest walk; edges fit the cells."""
    for seen in seen_on(walk, step, honest=True):
        if isinstance(seen.answer, Change):
            assert not wrong(seen), (wrong(seen), seen.given)
            assert not list(misfits(seen)), (list(misfits(seen)), seen.given)


@pytest.mark.cites("SHL-1b")
def test_every_class_of_inputs_is_given_and_accepted() -> None:
    """The walks reach something: each class of inputs is accepted somewhere in a fixed set of walks."""
    accepted = {type(given) for given in SETUP}
    for seed in range(200):
        random = Random(seed)
        numbers = [random.getrandbits(24) for _ in range(120)]
        walk = Walk(SETUP, "dispatch" if seed < 60 else tuple(THEMES)[seed % len(THEMES)], numbers)
        accepted |= {type(s.given) for s in seen_on(walk, step, honest=True) if isinstance(s.answer, Change)}
    assert set(RULES) - accepted == set()
