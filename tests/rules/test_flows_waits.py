"""What a wait opens, and what becomes of it: persons, children, tasks (WFL-7, WFL-10, WFL-14, WFL-17)."""

from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import FollowUp, Kind
from dhruva.machines.instance import WaitKind
from dhruva.table import Refused
from tests.rules.cast import (
    ANNA,
    BERT,
    CHILD,
    FLOW,
    NO_TASK,
    OTHER_FLOW,
    RUN,
    TASK,
    handle,
    running,
    scope,
    signal,
    task,
    token,
    version,
    waits,
)
from tests.rules.play import accept, begin, drain, refuse, state
from tests.stateful.world import World

START = i.StartInstance(FLOW)
TIMER = (START, waits(WaitKind.TIMER))


def flow(world: World) -> Any:
    return world.cells[Kind.INSTANCE, FLOW]


def send(number: int = 1, of: int = 1, **more: Any) -> i.Signal:
    return i.Signal(FLOW, signal(number), token(of), **more)


# Human tasks


HUMAN = (START, waits(WaitKind.HUMAN))


@pytest.mark.cites("WFL-14a", "WFL-14c", "WFL-14d", "WFL-14e")
def test_assign_release_and_reassign_leave_the_version_alone() -> None:
    world = begin(*HUMAN)
    steps = (
        (i.AssignHuman(FLOW, ANNA), ANNA), (i.ReassignHuman(FLOW, BERT), BERT), (i.ReleaseHuman(FLOW), None),
        (i.AssignHuman(FLOW, ANNA), ANNA),
    )  # fmt: skip
    for given, who in steps:
        accept(world, given)
        assert world.cells[Kind.HUMAN, FLOW].assignee == who
    assert flow(world).version == 1
    accept(world, i.CompleteHuman(FLOW, ANNA))
    assert (flow(world).version, flow(world).state) == (2, "running")


NOT_HUMAN: dict[str, tuple[tuple[Any, ...], Any, str]] = {
    "complete by another": ((*HUMAN, i.AssignHuman(FLOW, BERT)), i.CompleteHuman(FLOW, ANNA), "by_assignee"),
    "complete unassigned": (HUMAN, i.CompleteHuman(FLOW, ANNA), "no_row"),
    "release unassigned": (HUMAN, i.ReleaseHuman(FLOW), "no_row"),
    "reassign unassigned": (HUMAN, i.ReassignHuman(FLOW, ANNA), "no_row"),
    "assign twice": ((*HUMAN, i.AssignHuman(FLOW, ANNA)), i.AssignHuman(FLOW, BERT), "no_row"),
    "assign where nobody is asked": (TIMER, i.AssignHuman(FLOW, ANNA), "absent"),
    "complete after the timeout": (
        (*HUMAN, i.AssignHuman(FLOW, ANNA), send()), i.CompleteHuman(FLOW, ANNA), "absent",
    ),
}  # fmt: skip


@pytest.mark.cites("WFL-14d", "WFL-12f")
@pytest.mark.parametrize("name", NOT_HUMAN)
def test_a_human_task_refuses_to(name: str) -> None:
    setup, given, because = NOT_HUMAN[name]
    refused = refuse(begin(*setup), given)
    assert (refused.machine, refused.because) == ("human-task", because)


# What a wait leaves open


OPEN: dict[str, tuple[tuple[Any, ...], i.SliceWaits]] = {
    "a person": ((), waits(WaitKind.HUMAN)),
    "a child": ((), waits(WaitKind.CHILD, child=CHILD)),
    "a task": ((scope(), task()), waits(WaitKind.TASK, task=TASK)),
}
RETRIED = (i.Unavailable(FLOW), i.RetryInstance(FLOW, ANNA))
LEAVE: dict[str, tuple[Any, ...]] = {
    "timeout": (send(),),
    "cancel": (i.CancelInstance(FLOW, ANNA),),
    "an error, then cancel": (i.Unavailable(FLOW), i.CancelInstance(FLOW, ANNA)),
    "a retry that waits for something else": (*RETRIED, waits(WaitKind.TIMER, 3)),
    "a retry that completes": (*RETRIED, i.SliceCompleted(FLOW, version(3))),
    "a retry that fails": (*RETRIED, i.SliceFailed(FLOW, version(3))),
}


@pytest.mark.cites("WFL-7e", "WFL-14f", "WFL-17a", "WFL-21d")
@pytest.mark.parametrize("leave", LEAVE.values(), ids=LEAVE)
@pytest.mark.parametrize("what", OPEN)
def test_what_a_wait_left_open_is_cancelled(what: str, leave: tuple[Any, ...]) -> None:
    before, wait = OPEN[what]
    world = begin(*before, START, wait, *leave)
    drain(world)
    assert (Kind.HUMAN, FLOW) not in world.cells
    assert state(world, Kind.INSTANCE, CHILD) in (None, "cancelled")
    assert state(world, Kind.TASK, TASK) in (None, "cancelled")


@pytest.mark.cites("WFL-14f", "WFL-21d")
@pytest.mark.parametrize("what", OPEN)
def test_a_retry_that_waits_for_the_same_again_goes_on_with_it(what: str) -> None:
    before, wait = OPEN[what]
    world = begin(*before, START, wait, i.Unavailable(FLOW), i.RetryInstance(FLOW, ANNA))
    accept(world, wait._replace(version=version(3)))
    drain(world)
    assert flow(world).state == "waiting"
    assert "cancelled" not in (state(world, Kind.INSTANCE, CHILD), state(world, Kind.TASK, TASK))


@pytest.mark.cites("WFL-10c", "WFL-12f")
@pytest.mark.parametrize("end", [i.SliceCompleted(CHILD, version(0)), i.SliceFailed(CHILD, version(0))])
def test_the_end_of_a_child_resumes_its_parent_once(end: Any) -> None:
    world = begin(START, waits(WaitKind.CHILD, child=CHILD), end)
    drain(world)
    assert flow(world).state == "running"
    assert refuse(world, send()).because == "other_token"


@pytest.mark.cites("WFL-12c")
def test_a_child_that_is_too_late_resumes_nothing() -> None:
    world = begin(
        START, waits(WaitKind.CHILD, child=CHILD), send(), waits(WaitKind.CHILD, 2, child=OTHER_FLOW)
    )
    drain(world)
    assert (flow(world).state, state(world, Kind.INSTANCE, CHILD)) == ("waiting", "cancelled")


@pytest.mark.cites("WFL-7d")
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("end", [(i.Succeed(RUN),), (i.Fail(RUN),), (i.Cancel(TASK), i.Stopped(RUN))])
def test_the_end_of_a_task_resumes_who_waits_for_it(end: tuple[Any, ...], when: str) -> None:
    wait = (START, waits(WaitKind.TASK, task=TASK))
    world = begin(*running(), *(wait + end if when == "before" else end + wait))
    drain(world)
    assert flow(world).state == "running"


@pytest.mark.cites("WFL-7d")
def test_a_task_is_watched_by_one_instance_and_exists() -> None:
    world = begin(scope(), task(), START, waits(WaitKind.TASK, task=TASK), i.StartInstance(OTHER_FLOW))
    other = waits(WaitKind.TASK, flow=OTHER_FLOW, task=TASK)
    assert refuse(world, other) == Refused("task", "pending", "watch", "WFL-7", "watched")
    assert refuse(world, other._replace(task=NO_TASK)).state is None


@pytest.mark.cites("WFL-10a")
def test_a_child_has_an_id_of_its_own() -> None:
    world = begin(START, i.StartInstance(CHILD))
    assert refuse(world, waits(WaitKind.CHILD, child=CHILD)).because == "known_id"
    assert refuse(world, waits(WaitKind.CHILD, child=FLOW)).because == "known_id"


@pytest.mark.cites("WFL-7e", "LIF-9d")
def test_a_cancel_that_comes_late_does_not_reach_the_next_run() -> None:
    """The task ended by itself and was executed again before the follow-up came to it."""
    world = begin(
        *running(), START, waits(WaitKind.TASK, task=TASK), send(), i.Succeed(RUN), i.Reset(TASK, None),
        handle(FollowUp.RESET, TASK), handle(FollowUp.CANCEL_TASK, TASK),
    )  # fmt: skip
    assert state(world, Kind.TASK, TASK) == "pending"


UNFIT = {
    "a signal without a name": waits(WaitKind.SIGNAL),
    "a child that is not named": waits(WaitKind.CHILD),
    "a task that is not named": waits(WaitKind.TASK),
    "a timer, and a child": waits(WaitKind.TIMER, child=CHILD),
    "a timer, and a task": waits(WaitKind.TIMER, task=TASK),
    "a child, and a task": waits(WaitKind.CHILD, child=CHILD, task=TASK),
}


@pytest.mark.cites("WFL-6b")
@pytest.mark.parametrize("given", UNFIT.values(), ids=UNFIT)
def test_a_wait_is_for_what_its_kind_says(given: i.SliceWaits) -> None:
    """Else it would never end, or its end would cancel what it never waited for."""
    refused = refuse(begin(scope(), task(), START), given)
    assert (refused.machine, refused.state, refused.event) == ("instance", "running", "wait")
