"""What the end of an attempt does to its task (ACT-18)."""

from typing import Any, NamedTuple

import pytest

from dhruva import inputs as i
from dhruva.cells import FollowUp, Kind
from dhruva.effects import Timer
from dhruva.machines.attempt import AbortReason
from dhruva.machines.resources import HandlerEvent, WorkerEvent
from tests.rules.cast import ANNA, FULL, RUN, SCOPE, TASK, admit, handle, running, wake
from tests.rules.play import accept, begin, effects, moves, refuse, state

TIMEOUT, SHUTDOWN = i.Abort(RUN, AbortReason.TIMEOUT), i.Abort(RUN, AbortReason.SHUTDOWN)
WORKER = (
    i.AddWorker(RUN),
    i.ResourceEvent(RUN, 1, WorkerEvent.START),
    i.ResourceEvent(RUN, 1, WorkerEvent.FAIL),
)
HANDLER = (
    i.AddHandler(RUN), i.ResourceEvent(RUN, 1, HandlerEvent.START), i.ResourceEvent(RUN, 1,
    HandlerEvent.FAIL),
)  # fmt: skip


class End(NamedTuple):
    """How an attempt ends, and what becomes of a task with a try left, and of one without."""

    before: tuple[Any, ...]
    last: Any
    failure: str | None
    with_tries: str
    without: str


ENDS: dict[str, End] = {
    "succeed": End((), i.Succeed(RUN), None, "completed", "completed"),
    "error": End((), i.Fail(RUN), "error", "pending", "failed"),
    "an unsafe error": End((), i.Fail(RUN, retry_safe=False), "error", "failed", "failed"),
    "timeout": End((TIMEOUT,), i.Stopped(RUN), "timeout", "failed", "failed"),
    "timeout, and a result that came too late": End(
        (TIMEOUT,), i.Succeed(RUN), "timeout", "failed", "failed"
    ),
    "timeout, then the owner is gone": End((TIMEOUT,), i.OwnerGone(RUN), "timeout", "failed", "failed"),
    "worker": End(WORKER, i.Stopped(RUN), "worker", "pending", "failed"),
    "handler": End(HANDLER, i.Stopped(RUN), "handler", "pending", "failed"),
    "shutdown": End((SHUTDOWN,), i.Stopped(RUN), "interrupted", "pending", "pending"),
    "shutdown, then the owner is gone": End(
        (SHUTDOWN,), i.OwnerGone(RUN), "interrupted", "pending", "pending"
    ),
    "owner_gone": End((), i.OwnerGone(RUN), "interrupted", "pending", "failed"),
    "abandoned": End((), i.Abandon(RUN, ANNA, True), "abandoned", "failed", "failed"),
    "abandoned while aborting": End((SHUTDOWN,), i.Abandon(RUN, ANNA, True), "abandoned", "failed", "failed"),
    "dropped": End((), admit(pressure=FULL), "dropped", "failed", "failed"),
}


@pytest.mark.cites(
    "ACT-18a", "ACT-18b", "ACT-18d", "ACT-18e", "ACT-18f", "ACT-18g", "ACT-18h", "ACT-18j", "LIF-14b",
    "LIF-15d", "DSP-11e", "DSP-11f", "ACT-11f",
)  # fmt: skip
@pytest.mark.parametrize("tries", [1, 2])
@pytest.mark.parametrize("name", ENDS)
def test_an_attempts_end_is_its_tasks_outcome(name: str, tries: int) -> None:
    end = ENDS[name]
    world = begin(*running(max_attempts=tries, budget=1), *end.before)
    assert state(world, Kind.TASK, TASK) == "in_progress"
    change = accept(world, end.last)
    assert state(world, Kind.TASK, TASK) == (end.without if tries == 1 else end.with_tries)
    assert not world.cells[Kind.TASK, TASK].alive
    said = [payload.failure for payload in change.payloads]
    assert said[0] == end.failure


@pytest.mark.cites("ACT-18d", "ACT-10e")
def test_a_timeout_is_retried_where_that_is_configured() -> None:
    world = begin(*running(max_attempts=2, retry_on_timeout=True), TIMEOUT, i.Stopped(RUN))
    assert state(world, Kind.TASK, TASK) == "pending"


@pytest.mark.cites("LIF-14e", "LIF-14f")
def test_a_retry_is_two_edges_and_one_write() -> None:
    world = begin(*running(max_attempts=2))
    change = accept(world, i.Fail(RUN))
    assert moves(change, "task") == [("in_progress", "fail", "failed"), ("failed", "retry", "pending")]
    assert effects(change, Timer) == [Timer(TASK, 1, 1)]
    assert not world.cells[Kind.TASK, TASK].due


@pytest.mark.cites("ACT-18e")
def test_a_shutdown_takes_its_try_back_and_sets_no_timer() -> None:
    world = begin(*running(max_attempts=1), SHUTDOWN)
    change = accept(world, i.Stopped(RUN))
    assert moves(change, "task") == [("in_progress", "fail", "failed"), ("failed", "retry", "pending")]
    assert world.cells[Kind.TASK, TASK].tries == 0
    assert not effects(change, Timer)
    world.all(handle(FollowUp.READY, TASK), wake())
    assert state(world, Kind.TASK, TASK) == "in_progress"


@pytest.mark.cites("LIF-15f", "ACT-18f")
def test_tries_are_counted_at_start_crashes_included() -> None:
    world = begin(*running(max_attempts=3))
    assert world.cells[Kind.TASK, TASK].tries == 1
    accept(world, i.OwnerGone(RUN))
    assert world.cells[Kind.TASK, TASK].tries == 1


@pytest.mark.cites("ACT-18c", "ACT-18i")
@pytest.mark.parametrize("last", [i.Succeed(RUN), i.Fail(RUN), i.Stopped(RUN), i.OwnerGone(RUN)])
def test_a_cancelled_task_stays_cancelled(last: Any) -> None:
    world = begin(*running(max_attempts=5), i.Cancel(TASK))
    assert state(world, Kind.TASK, TASK) == "cancelled"
    change = accept(world, last)
    assert state(world, Kind.TASK, TASK) == "cancelled"
    assert moves(change, "task") == []


@pytest.mark.cites("ACT-18c")
def test_dispose_cancels_the_task_when_it_asks_for_the_abort() -> None:
    world = begin(*running(max_attempts=5), i.Dispose(SCOPE), handle(FollowUp.ABORT_EACH, SCOPE))
    assert state(world, Kind.TASK, TASK) == "cancelled"
    assert world.cells[Kind.TASK, TASK].alive


@pytest.mark.cites("ACT-18j")
def test_a_timeout_before_dispose_decides() -> None:
    """The attempt was asked to end already, for another reason."""
    world = begin(*running(), TIMEOUT, i.Dispose(SCOPE), handle(FollowUp.ABORT_EACH, SCOPE), i.Stopped(RUN))
    assert state(world, Kind.TASK, TASK) == "failed"


@pytest.mark.cites("LIF-8c", "ACT-8b")
def test_output_after_the_end_is_refused() -> None:
    world = begin(*running(), i.Cancel(TASK), i.Stopped(RUN))
    assert refuse(world, i.Succeed(RUN)).because == "absent"
