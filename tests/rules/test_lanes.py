"""Who waits, in which order (LIF-6, ACT-13, LIF-3g)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dhruva import inputs as i
from dhruva.cells import FollowUp, Kind
from dhruva.ids import OwnerId, Priority, Ref, RequestId, TaskId
from dhruva.machines import MACHINES
from dhruva.machines.task import TASK as TASK_TABLE
from dhruva.machines.task import TaskEvent, TaskGuard
from dhruva.rules import lanes
from dhruva.step import kernel
from tests.rules.cast import (
    EXECUTOR,
    LAST,
    NEXT,
    OTHER_SCOPE,
    RUN,
    SCOPE,
    TASK,
    ask,
    handle,
    scope,
    task,
    wake,
)
from tests.rules.play import accept, alive, begin, drain, run_all, state

MANY = tuple(TaskId(OwnerId(n)) for n in range(20, 32))


@pytest.mark.cites("LIF-6a", "LIF-6b")
@given(st.lists(st.sampled_from(Priority), max_size=len(MANY)))
def test_ready_tasks_start_by_priority_then_first_come(priorities: list[Priority]) -> None:
    owners = MANY[: len(priorities)]
    made = (task(owner, priority=p) for owner, p in zip(owners, priorities, strict=True))
    world = begin(scope(max_concurrent=1), *made)
    world.give(wake())
    expected = sorted(zip(priorities, owners, strict=True), key=lambda pair: pair[0])
    assert run_all(world) == [owner for _, owner in expected]


@pytest.mark.cites("LIF-3")
def test_the_table_asks_last_for_what_a_ready_task_may_still_lack() -> None:
    """A task is ready when all guards hold that come before these: so the rule stands once, in its table."""
    (start,) = (row for row in TASK_TABLE.rows if row.on == TaskEvent.START)
    assert set(start.when[-2:]) == lanes.NOT_ITS_OWN
    assert set(start.when[:-2]) == {TaskGuard.DEPENDENCIES, TaskGuard.DUE}


@pytest.mark.cites("LIF-3a", "LIF-3b")
@pytest.mark.parametrize(
    ("setup", "waits"),
    [
        ((task(),), True),
        ((task(dependencies=1),), False),
        ((task(max_attempts=2), wake(), i.Fail(RUN)), False),
        ((task(max_attempts=2), wake(), i.Fail(RUN), i.Due(TASK, 1, 1)), True),
        ((task(), i.Cancel(TASK)), False),
    ],
    ids=["ready", "unmet", "not due", "due", "cancelled"],
)
def test_a_task_waits_in_its_lane_iff_it_lacks_nothing_of_its_own(
    setup: tuple[Any, ...], waits: bool
) -> None:
    """The guards that say so are those of the table: without them, everything pending waits in its lane."""
    world = begin(scope(), *setup)
    assert ((Kind.WAITER, TASK) in world.cells) is waits
    rows = tuple(
        replace(row, when=row.when[2:]) if row.on == TaskEvent.START else row for row in TASK_TABLE.rows
    )
    lax = kernel(tables=MACHINES | {"task": replace(TASK_TABLE, rows=rows)})
    assert (Kind.WAITER, TASK) in begin(scope(), task(dependencies=1), by=lax).cells


@pytest.mark.cites("LIF-6e", "ACT-13e")
def test_requests_and_tasks_share_the_lanes() -> None:
    world = begin(
        scope(max_concurrent=1, queues=True, max_queued=9), ask(), task(TASK, priority=Priority.HIGH)
    )
    later = RequestId(OwnerId(44))
    world.all(ask(RequestId(OwnerId(43)), priority=Priority.HIGH), task(NEXT, priority=Priority.HIGH))
    world.all(ask(later, priority=Priority.URGENT))
    assert run_all(world) == [40, later, TASK, 43, NEXT]


@pytest.mark.cites("LIF-6d")
def test_a_dependency_counts_before_any_priority() -> None:
    world = begin(
        scope(max_concurrent=1), task(TASK, priority=Priority.LOW),
        task(NEXT, priority=Priority.URGENT, dependencies=1), i.Depend(NEXT, TASK), task(LAST), wake(),
    )  # fmt: skip
    assert run_all(world) == [LAST, TASK, NEXT]


@pytest.mark.cites("LIF-6c", "LIF-6b")
def test_dependents_are_told_in_the_order_of_their_creation() -> None:
    dependents = MANY[1:5]
    links = [part for d in dependents for part in (task(d, dependencies=1), i.Depend(d, TASK))]
    world = begin(scope(max_concurrent=1), task(), *links, wake())
    assert run_all(world) == [TASK, *dependents]


@pytest.mark.cites("LIF-6f", "LIF-8a")
@given(st.permutations(MANY[:5]), st.sets(st.sampled_from(MANY[:5])))
def test_whoever_leaves_a_lane_leaves_the_others_in_order(cancelled: list[TaskId], some: set[TaskId]) -> None:
    world = begin(scope(max_concurrent=1), *(task(owner) for owner in MANY[:5]))
    for owner in cancelled:
        if owner in some:
            accept(world, i.Cancel(owner))
    world.give(wake())
    assert run_all(world) == [owner for owner in MANY[:5] if owner not in some]


@pytest.mark.cites("LIF-3g")
def test_tasks_come_back_from_their_executor_in_order() -> None:
    world = begin(scope(max_concurrent=1), *(task(owner) for owner in MANY[:4]))
    world.all(*(wake(executor=False) for _ in range(4)), i.Cancel(MANY[1]), i.Register(EXECUTOR))
    drain(world)
    accept(world, wake())
    assert run_all(world) == [MANY[0], MANY[2], MANY[3]]


@pytest.mark.cites("LIF-3g", "ACT-11e")
def test_a_task_of_a_disposed_scope_does_not_come_back() -> None:
    world = begin(scope(), task(), wake(executor=False), i.Dispose(SCOPE), i.Register(EXECUTOR))
    drain(world)
    assert (Kind.WAITER, TASK) not in world.cells
    assert state(world, Kind.TASK, TASK) == "pending"


@pytest.mark.cites("ACT-13a", "ACT-13e")
def test_scopes_stand_in_line_for_the_cap() -> None:
    """First come, first served: the scope that waited longest gets the slot."""
    world = begin(
        i.SetCap(1), scope(capped=True), scope(OTHER_SCOPE, capped=True), task(), wake(), task(NEXT,
        scope=OTHER_SCOPE),
        wake(OTHER_SCOPE), task(LAST), wake(), i.Succeed(RUN),
    )  # fmt: skip
    accept(world, handle(FollowUp.WAKE_STARVED))
    accept(world, wake(OTHER_SCOPE))
    assert alive(world) == [Ref(NEXT, 1, 1)]


@pytest.mark.cites("ACT-12c", "SHL-3b")
def test_a_wake_starts_one_and_ends_when_nothing_may_start() -> None:
    world = begin(scope(max_concurrent=2), task(), task(NEXT), task(LAST), wake(), wake(), wake())
    assert [ref.owner for ref in alive(world)] == [TASK, NEXT]
    assert (Kind.FOLLOW, FollowUp.WAKE, SCOPE) not in world.cells
