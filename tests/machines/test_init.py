"""What holds for all tables together: their names, what they cite, and that an end is an end."""

import re
from dataclasses import FrozenInstanceError
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.machines import MACHINES
from tests.spec.grid import REQUIREMENT, AnyMachine, walk

NAMES = (
    "scope",
    "request",
    "attempt",
    "task",
    "reexecution",
    "carrier-primary",
    "carrier-cooperative",
    "release-no-lock",
    "release-after-send-final",
    "release-after-spawn-observation",
    "lock",
    "effect",
    "instance",
    "human-task",
    "worker",
    "handler",
    "stream",
    "schedule",
    "parked",
)

SPEC = Path(__file__).parents[2] / "docs" / "spec"


def cited(machine: AnyMachine) -> set[str]:
    """Every requirement that the machine's rows and refusals name."""
    return {machine.closed_by}.union(*(row.cites.split() for row in machine.rows))


@cache
def known() -> frozenset[str]:
    """Every requirement that has a heading of its own in the specification."""
    heading = re.compile(rf"^### ({REQUIREMENT.pattern}) ", re.MULTILINE)
    pages = (page.read_text(encoding="utf-8") for page in SPEC.glob("*.md"))
    return frozenset(found[1] for page in pages for found in heading.finditer(page))


def final_states() -> list[tuple[str, str]]:
    return [(name, state) for name in NAMES for state in sorted(MACHINES[name].final)]


@pytest.mark.cites("VER-1a")
def test_the_machines_are_those_of_the_contract() -> None:
    assert sorted(MACHINES) == sorted(NAMES)


@pytest.mark.cites("VER-1a")
@pytest.mark.parametrize("name", NAMES)
def test_a_table_has_the_name_it_is_found_by_and_is_frozen(name: str) -> None:
    machine = MACHINES[name]
    assert machine.name == name
    with pytest.raises(FrozenInstanceError):
        machine.rows = ()  # type: ignore[misc]


@pytest.mark.cites("VER-4a")
@pytest.mark.parametrize("name", NAMES)
def test_every_citation_has_the_form_of_an_id(name: str) -> None:
    assert [word for word in sorted(cited(MACHINES[name])) if not REQUIREMENT.fullmatch(word)] == []


@pytest.mark.cites("VER-4a")
@pytest.mark.parametrize("name", NAMES)
def test_every_citation_is_known_in_the_specification(name: str) -> None:
    assert sorted(cited(MACHINES[name]) - known()) == []


@pytest.mark.cites("SHL-6a")
def test_the_rows_of_an_operator_are_these() -> None:
    assert {
        (name, row.source, row.on) for name in NAMES for row in MACHINES[name].rows if "override" in row.when
    } == {
        ("attempt", "running", "abandon"),
        ("attempt", "aborting", "abandon"),
        ("lock", "held", "force_release"),
        ("lock", "retained", "force_release"),
        ("effect", "indeterminate", "resolve_done"),
        ("effect", "indeterminate", "resolve_failed"),
        ("parked", "parked", "resume"),
        ("parked", "parked", "discard"),
    }


@pytest.mark.cites("ACT-5k", "DSP-2e", "WFL-21c")
@pytest.mark.parametrize(("name", "state"), final_states())
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_a_final_state_absorbs_any_sequence(name: str, state: str, data: st.DataObject) -> None:
    machine = MACHINES[name]
    events = data.draw(st.lists(st.sampled_from(machine.events), max_size=30))
    assert {row.target for row in walk(machine, state, events)} <= {state}
