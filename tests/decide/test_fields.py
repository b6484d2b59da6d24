"""A task's fields: the actions of LIF-2 written out, and LIF-16 after every legal sequence of events."""

from itertools import product
from typing import Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.decide import fields
from dhruva.decide.fields import Fields
from dhruva.ids import TaskStatus
from dhruva.machines.reexecution import ReexecutionEvent
from dhruva.machines.task import TaskEvent

P, I, C, F, X = TaskStatus  # noqa: E741
Event = TaskEvent | ReexecutionEvent
BOOLS: Final = (False, True)

MOVES: Final[dict[TaskStatus, dict[Event, TaskStatus]]] = {
    # the transitions of LIF-1, and the re-executions of LIF-9 with all of them enabled
    P: {TaskEvent.START: I, TaskEvent.CANCEL: X},
    I: {TaskEvent.SUCCEED: C, TaskEvent.FAIL: F, TaskEvent.CANCEL: X},
    F: {TaskEvent.RETRY: P, ReexecutionEvent.REEXECUTE: P},
    C: {ReexecutionEvent.REEXECUTE: P},
    X: {ReexecutionEvent.REEXECUTE: P},
}

NOW, SET, NULL = "now", "set", "null"
RESET: Final[dict[str, str | int]] = {
    "error": NULL,
    "result": NULL,
    "started": NULL,
    "completed": NULL,
    "progress": 0,
}
ACTIONS: Final[dict[Event, dict[str, str | int]]] = {
    # what LIF-2 lists; a field that is not listed keeps its value, and updated is always now
    TaskEvent.START: {"started": NOW},
    TaskEvent.SUCCEED: {"result": SET, "progress": 1000, "completed": NOW},
    TaskEvent.FAIL: {"error": SET, "completed": NOW},
    TaskEvent.CANCEL: {"error": SET, "completed": NOW},
    TaskEvent.RETRY: RESET,
    ReexecutionEvent.REEXECUTE: RESET,
}

stamps = st.integers(-5, 20)
progress = st.integers(0, 1000)
whatever = st.builds(
    Fields,
    created=stamps,
    started=st.none() | stamps,
    completed=st.none() | stamps,
    updated=stamps,
    result=st.booleans(),
    error=st.booleans(),
    progress=st.integers(-1, 1001) | st.sampled_from([0, 1000]),
)


def value(field: str, action: str | int, stamp: int) -> object:
    """What LIF-2 says that the field holds afterwards."""
    if action == NOW:
        return stamp
    if action in (SET, NULL) and field in ("result", "error"):
        return action == SET
    return None if action == NULL else action


@pytest.mark.cites("LIF-2b", "LIF-2c", "LIF-2d", "LIF-2e", "LIF-2f", "LIF-9c")
@settings(deadline=None, max_examples=200)
@given(whatever, stamps)
def test_each_transition_performs_its_field_actions_and_no_others(before: Fields, clock: int) -> None:
    """Every transition, on any fields. `progress kept or 0.0` on failure: we keep it."""
    stamp = max(clock, before.updated)
    for event, actions in ACTIONS.items():
        listed = {field: value(field, action, stamp) for field, action in actions.items()}
        assert fields.apply(before, event, clock)._asdict() == before._asdict() | listed | {"updated": stamp}


@pytest.mark.cites("LIF-2")
def test_each_field_has_actions_of_its_own_kind() -> None:
    stamp, payload, number = {"keep", "clear", "now"}, {"keep", "clear", "given"}, {"keep", "whole", "zero"}
    kinds = {"started": stamp, "completed": stamp, "result": payload, "error": payload, "progress": number}
    for actions in fields.FIELD_ACTIONS.values():
        assert all(action in kinds[field] for field, action in actions._asdict().items())


@pytest.mark.cites("LIF-2g")
@settings(deadline=None, max_examples=200)
@given(whatever, stamps)
def test_a_transition_never_sets_a_stamp_back(before: Fields, clock: int) -> None:
    for event in ACTIONS:
        after = fields.apply(before, event, clock)
        assert after.updated >= before.updated
        for old, new in ((before.started, after.started), (before.completed, after.completed)):
            assert new in (None, old) or new >= before.updated


class Move(NamedTuple):
    """One move of a walk: which of the legal events, by number, what the clock says, what a body reports."""

    choice: int
    clock: int
    progress: int


class Stored(NamedTuple):
    status: TaskStatus
    ran: bool
    fields: Fields


moves = st.lists(st.builds(Move, st.integers(0, 5), st.integers(-50, 50), progress), max_size=12)


def walk(born: int, moves: list[Move]) -> list[Stored]:
    """A task's stored states from creation on; a body may report progress while it is in progress."""
    at = Stored(P, False, fields.created(born))
    path = [at]
    for move in moves:
        legal = list(MOVES[at.status].items())
        event, status = legal[move.choice % len(legal)]
        after = fields.apply(at.fields, event, move.clock)
        if status == I:
            after = after._replace(progress=move.progress)
        at = Stored(status, status != P and (at.ran or status == I), after)
        path.append(at)
    return path


NULLS: Final = {
    # LIF-16: started, completed, result, error: set or null; None where it depends on the task's past
    P: (False, False, False, False),
    I: (True, False, False, False),
    C: (True, True, True, False),
    F: (True, True, False, True),
    X: (None, True, False, True),
}
PROGRESS: Final = {P: range(1), I: range(1001), C: range(1000, 1001), F: range(1001), X: range(1001)}


def ordered(f: Fields) -> bool:
    chain = [stamp for stamp in (f.created, f.started, f.completed, f.updated) if stamp is not None]
    return chain == sorted(chain)


def wrong(status: TaskStatus, f: Fields) -> set[str]:
    """All that LIF-16 finds wrong with these fields in this status."""
    there = (f.started is not None, f.completed is not None, f.result, f.error)
    names = ("started_at", "completed_at", "result", "error")
    found = {
        name
        for name, is_set, should in zip(names, there, NULLS[status], strict=True)
        if should is not None and is_set is not should
    }
    found |= set() if f.progress in PROGRESS[status] else {"progress"}
    return found if ordered(f) else found | {"order"}


@pytest.mark.cites("LIF-16", "LIF-16a", "LIF-16b", "LIF-16c", "LIF-16d", "LIF-16f", "LIF-1b", "LIF-5c")
@settings(deadline=None, max_examples=300)
@given(stamps, moves)
def test_the_fields_fit_the_status_after_every_legal_sequence(born: int, moves: list[Move]) -> None:
    """Whatever the clock does: it may stand still, jump, and go back before the task was created."""
    for at in walk(born, moves):
        assert wrong(at.status, at.fields) == set()
        assert fields.misfit(at.status, at.fields) is None


@pytest.mark.cites("LIF-16e", "LIF-2e")
@settings(deadline=None, max_examples=200)
@given(stamps, moves)
def test_a_cancelled_task_has_started_iff_it_had_started(born: int, moves: list[Move]) -> None:
    for at in walk(born, moves):
        if at.status == X:
            assert (at.fields.started is not None) is at.ran


@pytest.mark.cites("LIF-2g", "LIF-16f")
@settings(deadline=None, max_examples=200)
@given(stamps, moves)
def test_no_stamp_of_a_task_is_older_than_one_set_before(born: int, moves: list[Move]) -> None:
    latest = born
    for at in walk(born, moves):
        assert at.fields.created == born
        assert at.fields.updated >= latest
        latest = at.fields.updated


@pytest.mark.cites("LIF-16", "LIF-17c")
@settings(deadline=None, max_examples=300)
@given(whatever)
def test_a_misfit_is_found_iff_the_contract_finds_one(f: Fields) -> None:
    """Every status, with every combination of what is set. The field that is named is one that is wrong."""
    for status, started, completed, result, error in product(TaskStatus, BOOLS, BOOLS, BOOLS, BOOLS):
        tried = f._replace(
            started=f.started if started else None,
            completed=f.completed if completed else None,
            result=result,
            error=error,
        )
        found = fields.misfit(status, tried)
        expected = wrong(status, tried)
        assert found in expected if expected else found is None


@pytest.mark.cites("LIF-16")
@settings(deadline=None)
@given(stamps, moves)
def test_a_fitting_record_with_one_field_spoiled_names_that_field(born: int, moves: list[Move]) -> None:
    at = walk(born, moves)[-1]
    f = at.fields
    spoiled = (
        ("result", f._replace(result=not f.result)),
        ("error", f._replace(error=not f.error)),
        ("progress", f._replace(progress=-1)),
        ("progress", f._replace(progress=1001)),
        ("order", f._replace(updated=f.created - 1)),
    )
    for field, record in spoiled:
        assert fields.misfit(at.status, record) == field
