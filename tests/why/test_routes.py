"""Shortest legal routes: walked with `Machine.step`, on every pair of every table, and on random tables."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dhruva.ids import TaskStatus
from dhruva.machines import MACHINES
from dhruva.machines.scope import SCOPE, ScopeEvent, ScopeState
from dhruva.machines.task import TaskEvent
from dhruva.table import Machine, Refused, Row
from dhruva.why import explained, route, route_of
from dhruva.why.routes import BESIDE, Route, Tables

PAIRS = [(m.name, str(s), str(e)) for m in MACHINES.values() for s in m.states for e in m.events]


def moves(machine: str, state: str, tables: Tables) -> set[str]:
    """The states one legal event away, asked of the tables one pair at a time."""
    found = set()
    for name in BESIDE.get(machine, (machine,)):
        for event in tables[name].events:
            answer = tables[name].step(_member(tables[name].states, state), event)
            if not isinstance(answer, Refused):
                found.add(str(answer.target))
    return found


def _member(words: tuple[Any, ...], word: str) -> Any:
    return next((member for member in words if member == word), word)


def distance(machine: str, state: str, event: str, tables: Tables) -> int | None:
    """How many legal events it takes at least; None: it is never allowed from there."""
    ring, seen, steps = {state}, {state}, 0
    while ring:
        if any(not isinstance(_step(tables[machine], here, event), Refused) for here in ring):
            return steps
        ring = {onward for here in ring for onward in moves(machine, here, tables)} - seen
        seen |= ring
        steps += 1
    return None


def _step(table: Machine[Any, Any], state: str, event: str) -> Any:
    return table.step(_member(table.states, state), _member(table.events, event))


def assert_legal(found: Route, tables: Tables) -> None:
    """Each leg is a row of its table, they hang together, and at the end the event has a row."""
    here = found.state
    for leg in found.legs:
        row = _step(tables[leg.machine], here, leg.on)
        assert (str(row.source), str(row.target), row.cites) == (here, leg.target, leg.cites)
        here = leg.target
    last = _step(tables[found.machine], here, found.event)
    assert not isinstance(last, Refused)
    assert found.when == tuple(last.when)


@pytest.mark.cites("SHL-8b")
@pytest.mark.parametrize("machine", MACHINES)
def test_every_pair_of_a_table_has_its_shortest_route(machine: str) -> None:
    for name, state, event in PAIRS:
        if name == machine:
            found, least = route(name, state, event), distance(name, state, event, MACHINES)
            assert (None if found is None else len(found.legs)) == least
            if found is not None:
                assert_legal(found, MACHINES)


CELLS = st.tuples(st.sampled_from(ScopeState), st.sampled_from(ScopeEvent), st.sampled_from(ScopeState))


@pytest.mark.cites("SHL-8b")
@given(st.lists(CELLS, min_size=1, max_size=14), st.sampled_from(ScopeState), st.sampled_from(ScopeEvent))
def test_so_has_every_pair_of_a_random_table(
    cells: list[tuple[ScopeState, ScopeEvent, ScopeState]], state: ScopeState, event: ScopeEvent
) -> None:
    first = {(source, on): target for source, on, target in cells}
    rows = [Row(source, on, target, (), (), "ACT-5") for (source, on), target in first.items()]
    tables = {"scope": SCOPE.unchecked(rows)}
    found, least = route("scope", state, event, tables), distance("scope", state, event, tables)
    assert (None if found is None else len(found.legs)) == least
    if found is not None:
        assert_legal(found, tables)


@pytest.mark.cites("SHL-8b", "LIF-9")
def test_a_task_that_ended_is_opened_again_by_the_other_table() -> None:
    found = route("task", TaskStatus.COMPLETED, TaskEvent.CANCEL)
    assert found is not None
    assert [(leg.machine, leg.on, leg.target) for leg in found.legs] == [
        ("reexecution", "reexecute", "pending")
    ]


@pytest.mark.cites("SHL-8b", "ACT-3")
def test_a_rejected_request_names_what_opens_the_gate() -> None:
    refused = Refused("scope", "SUSPENDED", "ask", "ACT-3", "scope_suspended")
    found = route_of(refused)
    assert found is not None
    assert [leg.on for leg in found.legs] == ["resume"]
    assert explained(refused) == (
        "refused by ACT-3 (scope suspended); allowed after resume (SUSPENDED to RUNNING)"
    )


def test_where_no_route_leads_none_is_named() -> None:
    gone = Refused("scope", "DISPOSED", "resume", "ACT-5", "no_row")
    assert route_of(gone) is None
    assert explained(gone) == "refused by ACT-5 (no row)"


def test_what_no_table_speaks_of_has_no_route() -> None:
    assert route_of(Refused("step", None, "Whatever", "SHL-1", "unknown_input")) is None
    assert route_of(Refused("attempt", None, "succeed", "ACT-8", "absent")) is None


def test_a_row_whose_guard_refused_is_no_leg() -> None:
    refused = Refused("reexecution", "cancelled", "reexecute", "LIF-9", "enabled")
    found = route_of(refused)
    assert found is not None
    assert (found.legs, found.when) == ((), ("enabled", "no_attempt_alive"))
    assert explained(refused) == (
        "refused by LIF-9: needed is that re-execution from this status is switched on: completed by default,"
        " cancelled not"
    )


def test_what_is_needed_at_the_end_of_the_route_is_said() -> None:
    said = explained(Refused("reexecution", "pending", "reexecute", "LIF-9", "no_row"))
    assert said.startswith(
        "refused by LIF-9 (no row); allowed after cancel (pending to cancelled), if re-exec"
    )


def test_machines_beside_each_other_move_the_same_cell() -> None:
    """Machines that share a cell share its states; a task is the only cell that two tables move."""
    for machine, beside in BESIDE.items():
        for a, b in product((machine,), beside):
            assert set(MACHINES[a].states) == set(MACHINES[b].states)
