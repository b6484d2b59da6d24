"""Attempts and what they hold (ACT-8 to ACT-11, ACT-16)."""

from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import FollowUp, Kind
from dhruva.decide.authority import Verdict
from dhruva.effects import AbortSignal, EndResource, Rejected
from dhruva.ids import OwnerId, Ref
from dhruva.machines.attempt import AbortReason
from dhruva.machines.resources import HandlerEvent, StreamEvent, WorkerEvent
from dhruva.table import Refused
from tests.rules.cast import (
    ANNA,
    ASKED,
    ASKED_RUN,
    NEXT,
    NO_RUN,
    RUN,
    SCOPE,
    TASK,
    ask,
    follow,
    handle,
    running,
    scope,
    task,
    wake,
)
from tests.rules.play import accept, alive, begin, drain, effects, moves, refuse, state

EVENT: dict[str, Any] = {
    "succeed": i.Succeed,
    "error": i.Fail,
    "stopped": i.Stopped,
    "owner_gone": i.OwnerGone,
    "abort": lambda ref: i.Abort(ref, AbortReason.TIMEOUT),
    "abandon": lambda ref: i.Abandon(ref, ANNA, True),
}

FOREIGN = {
    "a dead ref": RUN,
    "a ref of another run": RUN._replace(run=2),
    "a number that is not given out yet": RUN._replace(number=7),
    "a ref of another task": Ref(NEXT, 1, 1),
    "a ref of nobody": NO_RUN,
}


@pytest.mark.cites("ACT-8b", "ACT-16a")
@pytest.mark.parametrize("ref", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("event", EVENT)
def test_an_event_under_a_ref_that_does_not_live_changes_nothing(event: str, ref: Ref) -> None:
    """TASK was retried, so that its first ref is dead and its second lives; NEXT is pending."""
    world = begin(*running(max_attempts=2), i.Fail(RUN), i.Due(TASK, 1, 1), wake(), task(NEXT))
    assert refuse(world, EVENT[event](ref)) == Refused("attempt", None, event, "ACT-8", "absent")


@pytest.mark.cites("ACT-10b", "ACT-8a")
def test_a_retry_has_a_ref_of_its_own() -> None:
    world = begin(*running(max_attempts=2), i.Fail(RUN), i.Due(TASK, 1, 1), wake())
    assert alive(world) == [Ref(TASK, 1, 2)]


@pytest.mark.cites("ACT-16a")
def test_only_an_aborting_body_can_be_seen_to_stop() -> None:
    assert refuse(begin(*running()), i.Stopped(RUN)) == Refused(
        "attempt", "running", "stopped", "ACT-8", "no_row"
    )


@pytest.mark.cites("ACT-18c")
@pytest.mark.parametrize("reason", AbortReason)
def test_only_some_reasons_come_from_outside(reason: AbortReason) -> None:
    """The others follow from what happens elsewhere; who wants a task to end cancels the task."""
    world = begin(*running())
    if reason in (AbortReason.TIMEOUT, AbortReason.SHUTDOWN):
        assert effects(accept(world, i.Abort(RUN, reason)), AbortSignal) == [AbortSignal(RUN, reason)]
    else:
        assert refuse(world, i.Abort(RUN, reason)) == Refused("attempt", "running", "abort", "ACT-18", reason)


@pytest.mark.cites("ACT-10d")
def test_the_caller_of_a_one_off_request_may_abort_it() -> None:
    world = begin(scope(retry=3), ask())
    accept(world, i.Abort(ASKED_RUN, AbortReason.USER))
    change = accept(world, i.Stopped(ASKED_RUN))
    assert change.follow_ups == ()


@pytest.mark.cites("ACT-18j", "ACT-16f")
def test_the_first_reason_stays() -> None:
    world = begin(*running(), i.Abort(RUN, AbortReason.TIMEOUT))
    change = accept(world, i.Abort(RUN, AbortReason.SHUTDOWN))
    assert moves(change, "attempt") == [("aborting", "abort", "aborting")]
    assert not change.effects
    assert world.cells[Kind.ATTEMPT, RUN].reason == "timeout"


@pytest.mark.cites("ACT-16b", "LIF-8d")
@pytest.mark.parametrize("end", ["succeed", "error", "stopped", "owner_gone", "abandon"])
def test_a_slot_is_held_until_the_body_was_seen_to_end(end: str) -> None:
    world = begin(scope(max_concurrent=1), ask(), i.Abort(ASKED_RUN, AbortReason.USER))
    assert world.cells[Kind.SCOPE, SCOPE].active == 1
    accept(world, EVENT[end](ASKED_RUN))
    assert world.cells[Kind.SCOPE, SCOPE].active == 0


@pytest.mark.cites("SHL-6a", "SHL-6b", "SHL-6c")
def test_abandon_is_on_record() -> None:
    world = begin(*running())
    for nobody in (i.Abandon(RUN, None, True), i.Abandon(RUN, ANNA, False)):
        assert refuse(world, nobody) == Refused("attempt", "running", "abandon", "ACT-16 SHL-6", "override")
    assert moves(accept(world, i.Abandon(RUN, ANNA, True)), "attempt") == [
        ("running", "abandon", "abandoned")
    ]


# One-off requests (ACT-10)


AGAIN = {
    "an error": (i.Fail(ASKED_RUN),),
    "a failed worker": (
        i.AddWorker(ASKED_RUN), i.ResourceEvent(ASKED_RUN, 1, WorkerEvent.START),
        i.ResourceEvent(ASKED_RUN, 1, WorkerEvent.FAIL), i.Stopped(ASKED_RUN),
    ),
    "a configured timeout": (i.Abort(ASKED_RUN, AbortReason.TIMEOUT), i.Stopped(ASKED_RUN)),
}  # fmt: skip
NEVER = {
    "success": (i.Succeed(ASKED_RUN),),
    "an unsafe error": (i.Fail(ASKED_RUN, retry_safe=False),),
    "abort by its user": (i.Abort(ASKED_RUN, AbortReason.USER), i.Fail(ASKED_RUN)),
    "dispose": (i.Dispose(SCOPE), handle(FollowUp.ABORT_EACH, SCOPE), i.Fail(ASKED_RUN)),
    "abandonment": (i.Abandon(ASKED_RUN, ANNA, True),),
    "the end of its process": (i.OwnerGone(ASKED_RUN),),
}


@pytest.mark.cites("ACT-10a", "ACT-10b", "ACT-10c", "ACT-10e")
@pytest.mark.parametrize("ending", AGAIN.values(), ids=AGAIN)
def test_a_one_off_request_asks_again_after(ending: tuple[Any, ...]) -> None:
    world = begin(scope(retry=1, retry_on_timeout=True), ask(), *ending)
    assert alive(world) == []
    accept(world, handle(FollowUp.ASK_AGAIN, ASKED))
    assert alive(world) == [Ref(ASKED, 1, 2)]
    world.give(i.Fail(Ref(ASKED, 1, 2)))
    assert follow(FollowUp.ASK_AGAIN, ASKED) not in world.cells


@pytest.mark.cites("ACT-10d", "LIF-14g")
@pytest.mark.parametrize("ending", NEVER.values(), ids=NEVER)
def test_a_one_off_request_never_asks_again_after(ending: tuple[Any, ...]) -> None:
    world = begin(scope(retry=5, retry_on_timeout=True), ask(), *ending)
    assert follow(FollowUp.ASK_AGAIN, ASKED) not in world.cells


@pytest.mark.cites("ACT-10e")
def test_a_timeout_is_not_retried_unless_configured() -> None:
    world = begin(scope(retry=1), ask(), *AGAIN["a configured timeout"])
    assert follow(FollowUp.ASK_AGAIN, ASKED) not in world.cells


@pytest.mark.cites("ACT-10c")
def test_a_retry_can_be_rejected() -> None:
    world = begin(scope(retry=1), ask(), i.Fail(ASKED_RUN), i.Suspend(SCOPE))
    change = accept(world, handle(FollowUp.ASK_AGAIN, ASKED))
    assert effects(change, Rejected) == [Rejected(ASKED, Verdict.SCOPE_SUSPENDED)]
    assert refuse(world, handle(FollowUp.ASK_AGAIN, ASKED)).because == "absent"


# Workers, handlers, streams


ADD = {"worker": i.AddWorker, "handler": i.AddHandler, "stream": i.AddStream}


@pytest.mark.cites("ACT-9a")
@pytest.mark.parametrize("kind", ADD)
def test_nothing_is_held_before_commit(kind: str) -> None:
    world = begin(scope(), task())
    assert refuse(world, ADD[kind](RUN)) == Refused(kind, None, "add", "ACT-9", "absent")


@pytest.mark.cites("ACT-9c", "ACT-12a")
@pytest.mark.parametrize("kind", ADD)
def test_nothing_is_added_while_the_scope_is_suspended(kind: str) -> None:
    refused = refuse(begin(*running(), i.Suspend(SCOPE)), ADD[kind](RUN))
    assert (refused.machine, refused.because) == (kind, "SUSPENDED")


@pytest.mark.cites("ACT-9b", "ACT-11e")
@pytest.mark.parametrize("kind", ADD)
def test_nothing_is_added_to_an_attempt_that_is_to_end(kind: str) -> None:
    assert refuse(begin(*running(), i.Dispose(SCOPE)), ADD[kind](RUN)).because == "DISPOSING"
    aborting = begin(*running(), i.Abort(RUN, AbortReason.TIMEOUT))
    assert refuse(aborting, ADD[kind](RUN)).because == "aborting"


@pytest.mark.cites("ACT-9d", "ACT-9e", "ACT-9f")
def test_an_event_for_a_machine_that_does_not_know_it() -> None:
    world = begin(*running(), i.AddWorker(RUN), i.AddStream(RUN))
    unknown = refuse(world, i.ResourceEvent(RUN, 1, HandlerEvent.STOPPED))
    assert unknown == Refused("worker", "idle", "stopped", "ACT-9", "unknown_event")
    assert refuse(world, i.ResourceEvent(RUN, 2, WorkerEvent.START)).because == "unknown_event"
    assert refuse(world, i.ResourceEvent(RUN, 1, WorkerEvent.FINISH)).because == "no_row"
    assert refuse(world, i.ResourceEvent(RUN, 9, WorkerEvent.START)) == Refused(
        "resource", None, "start", "ACT-9", "absent"
    )


@pytest.mark.cites("ACT-8c", "ACT-16c")
def test_what_is_seen_of_a_worker_is_accepted_until_it_has_ended() -> None:
    world = begin(*running(), i.AddWorker(RUN), i.ResourceEvent(RUN, 1, WorkerEvent.START), i.Succeed(RUN))
    assert world.cells[Kind.SCOPE, SCOPE].live == 1
    change = accept(world, handle(FollowUp.END_RESOURCES, RUN))
    assert effects(change, EndResource) == [EndResource(RUN, 1)]
    accept(world, i.ResourceEvent(RUN, 1, WorkerEvent.EXITED))
    assert world.cells[Kind.SCOPE, SCOPE].live == 0
    assert refuse(world, i.ResourceEvent(RUN, 1, WorkerEvent.EXITED)).because == "absent"


@pytest.mark.cites("ACT-11b", "ACT-16c")
@pytest.mark.parametrize("kind", ADD)
def test_what_had_not_begun_has_ended_and_its_process_hears_of_it(kind: str) -> None:
    world = begin(*running(), ADD[kind](RUN), i.Succeed(RUN))
    change = accept(world, handle(FollowUp.END_RESOURCES, RUN))
    assert effects(change, EndResource) == [EndResource(RUN, 1)]
    assert (Kind.RESOURCE, RUN, 1) not in world.cells


@pytest.mark.cites("ACT-16d")
@pytest.mark.parametrize("kind", [kind for kind in ADD if kind != "stream"])
def test_a_process_that_is_gone_hears_nothing(kind: str) -> None:
    world = begin(*running(), ADD[kind](RUN), i.OwnerGone(RUN))
    assert effects(accept(world, handle(FollowUp.END_RESOURCES, RUN)), EndResource) == []


@pytest.mark.cites("ACT-9g", "ACT-18d")
@pytest.mark.parametrize(
    ("add", "event", "reason"),
    [(i.AddWorker, WorkerEvent, "worker"), (i.AddHandler, HandlerEvent, "handler")],
)
def test_a_failed_worker_or_handler_aborts_its_attempt(add: Any, event: Any, reason: str) -> None:
    world = begin(*running(), add(RUN), i.ResourceEvent(RUN, 1, event.START))
    change = accept(world, i.ResourceEvent(RUN, 1, event.FAIL))
    assert effects(change, AbortSignal) == [AbortSignal(RUN, AbortReason(reason))]
    assert state(world, Kind.TASK, TASK) == "in_progress"
    accept(world, i.Stopped(RUN))
    assert state(world, Kind.TASK, TASK) == "failed"


@pytest.mark.cites("ACT-16d")
def test_the_end_of_a_process_ends_what_it_held() -> None:
    world = begin(
        *running(), i.AddWorker(RUN), i.AddHandler(RUN), i.AddStream(RUN), i.AddWorker(RUN),
        i.ResourceEvent(RUN, 1, WorkerEvent.START), i.ResourceEvent(RUN, 2, HandlerEvent.START),
        i.ResourceEvent(RUN, 3, StreamEvent.CLOSE), i.OwnerGone(RUN),
    )  # fmt: skip
    drain(world)
    assert not [key for key in world.cells if key[0] == Kind.RESOURCE]
    assert world.cells[Kind.SCOPE, SCOPE].live == 0


@pytest.mark.cites("ACT-11a", "ACT-11e", "ACT-11g", "ACT-16c")
def test_dispose_waits_for_bodies_and_for_what_they_hold() -> None:
    world = begin(
        *running(), i.AddWorker(RUN), i.ResourceEvent(RUN, 1, WorkerEvent.START), i.AddStream(RUN),
        i.Dispose(SCOPE)
    )  # fmt: skip
    drain(world)
    assert world.cells[Kind.ATTEMPT, RUN].reason == "dispose"
    accept(world, i.ResourceEvent(RUN, 1, WorkerEvent.EXITED))
    assert state(world, Kind.SCOPE, SCOPE) == "DISPOSING"
    change = accept(world, i.Stopped(RUN))
    assert moves(change, "scope") == [("DISPOSING", "drained", "DISPOSED")]


@pytest.mark.cites("ACT-11b")
def test_the_abort_signal_comes_first_then_all_that_is_held_is_told() -> None:
    world = begin(
        *running(), i.AddStream(RUN), i.AddHandler(RUN), i.AddWorker(RUN),
        i.ResourceEvent(RUN, 2, HandlerEvent.START), i.ResourceEvent(RUN, 3, WorkerEvent.START),
        i.Dispose(SCOPE),
    )  # fmt: skip
    change = accept(world, handle(FollowUp.ABORT_EACH, SCOPE))
    assert effects(change, AbortSignal) == [AbortSignal(RUN, AbortReason.DISPOSE)]
    told = []
    while follow(FollowUp.END_RESOURCES, RUN) in world.cells:
        told += [edge[2:] for edge in accept(world, handle(FollowUp.END_RESOURCES, RUN)).edges]
    assert sorted(edge for edge in told if edge[0] in ("open", "running")) == [
        ("open", "abort", "aborted"), ("running", "cancel", "cancelling"), ("running", "terminate",
        "terminating"),
    ]  # fmt: skip


@pytest.mark.cites("ACT-8b")
def test_an_owner_that_nobody_knows() -> None:
    assert refuse(begin(*running()), i.OwnerGone(Ref(OwnerId(7), 1, 1))).because == "absent"
