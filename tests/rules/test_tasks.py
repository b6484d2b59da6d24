"""Tasks: creation, links, start, cancel, timers, re-execution, delete (LIF)."""

from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import FollowUp, Kind
from dhruva.decide.fields import Act
from dhruva.effects import AbortSignal
from dhruva.ids import Ref
from dhruva.machines.attempt import AbortReason
from dhruva.machines.instance import WaitKind
from dhruva.step import kernel
from dhruva.table import Refused
from dhruva.walk import Settings
from tests.rules.cast import (
    EXECUTOR,
    FLOW,
    LAST,
    NEXT,
    NO_SCOPE,
    NO_TASK,
    RUN,
    SCOPE,
    TASK,
    follow,
    handle,
    running,
    scope,
    task,
    waits,
    wake,
)
from tests.rules.play import accept, alive, begin, drain, effects, moves, refuse, state

ENDED: dict[str, tuple[Any, ...]] = {
    "completed": (i.Succeed(RUN),),
    "failed": (i.Fail(RUN),),
    "cancelled": (i.Cancel(TASK), i.Stopped(RUN)),
}


# Creation


@pytest.mark.cites("LIF-1a", "LIF-16a")
def test_a_new_task_is_pending_and_stands_in_its_lane() -> None:
    world = begin(scope(), task())
    assert state(world, Kind.TASK, TASK) == "pending"
    assert (Kind.WAITER, TASK) in world.cells


BAD = {
    "a known id": (task(), "LIF-17", "known_id"),
    "a scope that does not exist": (task(NEXT, scope=NO_SCOPE), "ACT-2", "absent"),
    "a parent that does not exist": (task(NEXT, parent=NO_TASK), "LIF-17", "parent"),
    "itself as its parent": (task(NEXT, parent=NEXT), "LIF-17", "parent"),
    "no attempt allowed": (task(NEXT, max_attempts=0), "LIF-17", "field"),
}


@pytest.mark.cites("LIF-17g", "ACT-2b")
@pytest.mark.parametrize("given", BAD.values(), ids=BAD)
def test_a_task_cannot_be_created_with(given: tuple[i.CreateTask, str, str]) -> None:
    refused = refuse(begin(scope(), task()), given[0])
    assert (refused.machine, refused.event, refused.rule, refused.because) == ("task", "create", *given[1:])


@pytest.mark.cites("ACT-11e")
def test_a_disposed_scope_takes_no_task() -> None:
    assert refuse(begin(scope(), i.Dispose(SCOPE)), task()).because == "DISPOSED"


# Dependencies


NO_LINK = {
    "itself": (i.Depend(NEXT, NEXT), "dependency"),
    "an unknown task": (i.Depend(NEXT, NO_TASK), "dependency"),
    "more than it declared": (i.Depend(LAST, TASK), "declared"),
}


@pytest.mark.cites("LIF-17g", "LIF-4c")
@pytest.mark.parametrize("given", NO_LINK.values(), ids=NO_LINK)
def test_a_task_cannot_depend_on(given: tuple[i.Depend, str]) -> None:
    world = begin(scope(), task(), task(NEXT, dependencies=1), task(LAST))
    assert refuse(world, given[0]) == Refused("task", "pending", "depend", "LIF-17", given[1])


@pytest.mark.cites("LIF-4c")
def test_a_dependent_that_does_not_exist() -> None:
    assert refuse(begin(scope(), task()), i.Depend(NO_TASK, TASK)).because == "dependency"


@pytest.mark.cites("LIF-3a")
def test_a_task_does_not_start_before_all_its_links_are_there() -> None:
    world = begin(scope(), task(), wake(), i.Succeed(RUN), task(NEXT, dependencies=2), i.Depend(NEXT, TASK))
    assert (Kind.WAITER, NEXT) not in world.cells
    accept(world, i.Depend(NEXT, TASK, required=False))
    assert (Kind.WAITER, NEXT) in world.cells


@pytest.mark.cites("LIF-4a", "LIF-4b", "LIF-5a", "LIF-5c")
@pytest.mark.parametrize("told", ["before", "after"])
@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize("status", ENDED)
def test_what_satisfies_a_dependency(status: str, required: bool, told: str) -> None:
    """Completed alone for a required one, any end for an optional one; linked before or after the end."""
    link = (task(NEXT, dependencies=1), i.Depend(NEXT, TASK, required))
    early, late = (link, ()) if told == "before" else ((), link)
    world = begin(*running(), *early, *ENDED[status], *late)
    drain(world)
    world.give(wake())
    started = status == "completed" or not required
    assert state(world, Kind.TASK, NEXT) == ("in_progress" if started else "pending")


@pytest.mark.cites("LIF-4d", "LIF-8d", "LIF-19c")
def test_a_dependency_whose_body_still_runs_does_not_satisfy() -> None:
    world = begin(
        *running(), task(NEXT, dependencies=1), i.Depend(NEXT, TASK, required=False), i.Cancel(TASK)
    )
    drain(world)
    assert world.cells[Kind.TASK, NEXT].unmet == 1
    accept(world, i.Stopped(RUN))
    drain(world)
    assert world.cells[Kind.TASK, NEXT].unmet == 0


# Start


@pytest.mark.cites("LIF-3e", "LIF-19a", "LIF-2b", "LIF-7")
def test_commit_and_in_progress_are_one_step() -> None:
    world = begin(scope(), task())
    change = accept(world, wake())
    assert moves(change, "task") == [("pending", "start", "in_progress")]
    assert moves(change, "attempt") == [(None, "create", "running")]
    assert change.payloads[0].actions.started == Act.NOW


@pytest.mark.cites("LIF-3b", "LIF-14e")
def test_a_task_with_a_timer_waits_for_it() -> None:
    world = begin(*running(max_attempts=2), i.Fail(RUN))
    assert (Kind.WAITER, TASK) not in world.cells
    world.all(i.Due(TASK, 1, 1), wake())
    assert alive(world) == [Ref(TASK, 1, 2)]


STALE = {
    "of another run": i.Due(TASK, 2, 1),
    "of another try": i.Due(TASK, 1, 2),
    "of an earlier try": i.Due(TASK, 1, 0),
    "of nobody": i.Due(NO_TASK, 1, 1),
}


@pytest.mark.cites("LIF-14e")
@pytest.mark.parametrize("due", STALE.values(), ids=STALE)
def test_a_stale_timer_is_refused(due: i.Due) -> None:
    world = begin(*running(max_attempts=3), i.Fail(RUN))
    refused = refuse(world, due)
    assert (refused.machine, refused.event, refused.rule) == ("task", "due", "LIF-14")
    accept(world, i.Due(TASK, 1, 1))
    assert refuse(world, i.Due(TASK, 1, 1)).because == "stale"


@pytest.mark.cites("LIF-3c", "LIF-3g")
def test_a_task_without_an_executor_leaves_its_lane_and_comes_back() -> None:
    world = begin(scope(), task(), task(NEXT), wake(executor=False), wake(executor=False))
    assert world.cells[Kind.SCOPE, SCOPE].waiting == 0
    accept(world, i.Register(EXECUTOR))
    drain(world)
    world.all(wake(), wake())
    assert [ref.owner for ref in alive(world)] == [TASK, NEXT]
    assert refuse(world, i.Register(EXECUTOR)) == Refused("follow-up", None, "return", "LIF-3", "absent")


# Cancel


@pytest.mark.cites("LIF-8a", "LIF-2e")
def test_a_pending_task_is_cancelled_at_once() -> None:
    world = begin(scope(), task())
    change = accept(world, i.Cancel(TASK))
    assert moves(change, "task") == [("pending", "cancel", "cancelled")]
    assert (Kind.WAITER, TASK) not in world.cells


@pytest.mark.cites("LIF-8b", "LIF-19b")
def test_a_running_task_is_cancelled_in_the_step_that_aborts_its_attempt() -> None:
    world = begin(*running())
    change = accept(world, i.Cancel(TASK))
    assert moves(change, "task") == [("in_progress", "cancel", "cancelled")]
    assert effects(change, AbortSignal) == [AbortSignal(RUN, AbortReason.USER)]
    assert world.cells[Kind.SCOPE, SCOPE].active == 1


@pytest.mark.cites("LIF-8g", "LIF-1c", "LIF-15c")
@pytest.mark.parametrize("status", ENDED)
def test_to_cancel_an_ended_task_is_an_error(status: str) -> None:
    world = begin(*running(), *ENDED[status])
    assert refuse(world, i.Cancel(TASK)) == Refused("task", status, "cancel", "LIF-1", "no_row")


@pytest.mark.cites("LIF-18a")
def test_a_task_that_nobody_knows() -> None:
    world = begin(scope())
    assert refuse(world, i.Cancel(NO_TASK)) == Refused("task", None, "cancel", "LIF-1", "absent")
    assert refuse(world, i.Delete(NO_TASK)) == Refused("task", None, "delete", "LIF-20", "absent")
    assert refuse(world, i.Recall(NO_TASK, None)) == Refused("task", None, "recall", "LIF-10", "absent")
    assert refuse(world, i.Reset(NO_TASK, None)) == Refused(
        "reexecution", None, "reexecute", "LIF-9", "absent"
    )


# Re-execution


@pytest.mark.cites("LIF-9b", "LIF-9c", "LIF-9d", "LIF-2f")
@pytest.mark.parametrize("status", ["completed", "failed"])
def test_an_ended_task_opens_a_new_run(status: str) -> None:
    world = begin(*running(max_attempts=1), *ENDED[status], i.Reset(TASK, None))
    change = accept(world, handle(FollowUp.RESET, TASK))
    assert moves(change, "reexecution") == [(status, "reexecute", "pending")]
    assert change.payloads[0].actions == (Act.CLEAR, Act.CLEAR, Act.CLEAR, Act.CLEAR, Act.ZERO)
    accept(world, wake())
    assert alive(world) == [Ref(TASK, 2, 2)]


@pytest.mark.cites("LIF-9b")
def test_settings_say_what_may_be_executed_again() -> None:
    strict = kernel(settings=Settings(reexecute_completed=False))
    lax = kernel(settings=Settings(reexecute_cancelled=True))
    assert refuse(begin(*running(), *ENDED["completed"], by=strict), i.Reset(TASK, None)).because == "enabled"
    assert refuse(begin(*running(), *ENDED["cancelled"]), i.Reset(TASK, None)).because == "enabled"
    accept(begin(*running(), *ENDED["cancelled"], by=lax), i.Reset(TASK, None))
    accept(begin(*running(), *ENDED["failed"], by=strict), i.Reset(TASK, None))


@pytest.mark.cites("LIF-8e", "LIF-9a")
def test_nothing_is_executed_again_while_its_body_runs() -> None:
    lax = kernel(settings=Settings(reexecute_cancelled=True))
    world = begin(*running(), i.Cancel(TASK), by=lax)
    assert refuse(world, i.Reset(TASK, None)).because == "no_attempt_alive"


@pytest.mark.cites("LIF-9b")
def test_what_has_not_ended_is_not_executed_again() -> None:
    pending, busy = begin(scope(), task()), begin(*running())
    assert refuse(pending, i.Reset(TASK, None)) == Refused(
        "reexecution", "pending", "reexecute", "LIF-9", "no_row"
    )
    assert refuse(busy, i.Reset(TASK, None)).state == "in_progress"


@pytest.mark.cites("LIF-10a")
def test_a_task_is_reset_once_per_walk() -> None:
    world = begin(*running(), *ENDED["completed"], i.Recall(TASK, None), i.Reset(TASK, None))
    assert refuse(world, i.Reset(TASK, None)).because == "resetting"
    assert refuse(world, i.Recall(TASK, None)).because == "resetting"


# Delete


KEPT: dict[str, tuple[tuple[Any, ...], str]] = {
    "it runs": (running(), "in_progress"),
    "its body still runs": ((*running(), i.Cancel(TASK)), "cancelled"),
    "it has a child": ((scope(), task(), task(NEXT, parent=TASK)), "pending"),
    "it has a dependent": ((scope(), task(), task(NEXT, dependencies=1), i.Depend(NEXT, TASK)), "pending"),
    "it is being reset": ((*running(), *ENDED["failed"], i.Reset(TASK, None)), "failed"),
    "a workflow waits for it": (
        (scope(), task(), i.StartInstance(FLOW), waits(WaitKind.TASK, task=TASK)),
        "pending",
    ),
}


@pytest.mark.cites("LIF-20a", "LIF-20b")
@pytest.mark.parametrize("name", KEPT)
def test_a_task_cannot_be_deleted_while(name: str) -> None:
    setup, status = KEPT[name]
    assert refuse(begin(*setup), i.Delete(TASK)) == Refused(
        "task", status, "delete", "LIF-20", "cannot_delete"
    )


@pytest.mark.cites("LIF-20a")
@pytest.mark.parametrize("status", ["pending", *ENDED])
def test_a_task_is_deleted_with_all_that_is_about_it(status: str) -> None:
    done = () if status == "pending" else (wake(), *ENDED[status])
    world = begin(scope(), task(), *done)
    drain(world)
    accept(world, i.Delete(TASK))
    assert not [key for key in world.cells if TASK in key]


@pytest.mark.cites("LIF-20a")
def test_who_depends_on_others_is_unlinked_first() -> None:
    world = begin(scope(), task(), task(NEXT, dependencies=1, parent=TASK), i.Depend(NEXT, TASK))
    assert refuse(world, i.Delete(NEXT)).because == "cannot_delete"
    assert refuse(world, i.Unlink(LAST, TASK, 1)).because == "dependency"
    world.all(i.Unlink(NEXT, TASK, 1), i.Delete(NEXT))
    assert refuse(world, i.Unlink(NEXT, TASK, 1)).because == "dependency"
    assert world.cells[Kind.TASK, TASK][-2:] == (0, 0)
    accept(world, i.Delete(TASK))


@pytest.mark.cites("LIF-20b")
def test_a_task_with_dependents_is_not_unlinked() -> None:
    world = begin(
        scope(), task(), task(NEXT, dependencies=1), i.Depend(NEXT, TASK), task(LAST, dependencies=1),
        i.Depend(LAST, NEXT)
    )  # fmt: skip
    assert refuse(world, i.Unlink(NEXT, TASK, 1)).because == "cannot_delete"
    assert follow(FollowUp.TELL, TASK) not in world.cells
