"""The worst cases: neighbours on both sides, someone in line for the cap, lanes not empty (ACT-14a).

Random walks stay below; these worlds are built to touch as much as there is.
"""

from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import EffectKind, FollowUp, Kind
from dhruva.decide.admission import OutcomeSignal
from dhruva.ids import OwnerId, Priority, Ref, RequestId, TaskId
from dhruva.machines.attempt import AbortReason
from dhruva.machines.instance import WaitKind
from dhruva.step import step
from tests.rules.cast import (
    ANNA,
    CHILD,
    EXECUTOR,
    FLOW,
    OTHER_SCOPE,
    SCOPE,
    ask,
    handle,
    scope,
    signal,
    task,
    token,
    version,
    waits,
    wake,
)
from tests.stateful.footprint import MOST, OVER, bound, name_of
from tests.stateful.world import World

A, B, C, D, E, F = (TaskId(OwnerId(n)) for n in (20, 21, 22, 23, 24, 25))
RUN = Ref(B, 1, 1)  # between an older and a newer attempt
CALL = (Kind.EFFECT, EffectKind.DISPATCH, RUN, 1)

CROWDED: tuple[Any, ...] = (
    i.SetCap(3), scope(max_concurrent=3, capped=True, queues=True, max_queued=5), scope(OTHER_SCOPE,
    capped=True),
    task(A), task(B, budget=1, max_depth=1), task(C), wake(), wake(), wake(), task(D), task(E), wake(),
    task(F, scope=OTHER_SCOPE), wake(OTHER_SCOPE), i.AddWorker(RUN),
)  # fmt: skip
CALLED = (*CROWDED, i.Admit(RUN, 0, 0, 0, 0), i.CommitCarrier(RUN, 1), i.Take(CALL), i.Ack(CALL))
SHUT = (*CROWDED, i.Abort(RUN, AbortReason.SHUTDOWN))
LANE = (scope(), task(A), task(B), task(C))
QUEUE = (
    i.SetCap(9), scope(max_concurrent=3, queues=True, max_queued=9, capped=True, retry=1),
    *(ask(RequestId(OwnerId(40 + n))) for n in range(7)),
)  # fmt: skip

WORST: dict[str, tuple[tuple[Any, ...], Any]] = {
    "a drop by signal": (CALLED, i.Outcome(RUN, 1, OutcomeSignal.DROP, 0, 0, 0, 0)),
    "a drop": (CROWDED, i.Admit(RUN, 0, 1000, 1000, 1000)),
    "success": (CALLED, i.Succeed(RUN)),
    "an error": (CALLED, i.Fail(RUN)),
    "an owner that is gone": (CALLED, i.OwnerGone(RUN)),
    "an abandoned attempt": (CALLED, i.Abandon(RUN, ANNA, True)),
    "a shutdown": (SHUT, i.Stopped(RUN)),
    "a shutdown, then the owner is gone": (SHUT, i.OwnerGone(RUN)),
    "a start": ((i.SetCap(3), scope(capped=True), task(A), task(B), task(C), wake()), wake()),
    "a start that the cap forbids": (
        (i.SetCap(1), scope(capped=True), scope(OTHER_SCOPE, capped=True), task(A), wake(), task(B), wake(),
         task(C, scope=OTHER_SCOPE)), wake(OTHER_SCOPE),
    ),
    "a start without an executor": ((*LANE, wake(executor=False)), wake(executor=False)),
    "a return from an executor": (
        (*LANE, wake(executor=False), wake(executor=False), i.Register(EXECUTOR)), handle(FollowUp.RETURN,
        EXECUTOR),
    ),
    "a cancel in mid-lane": (LANE, i.Cancel(B)),
    "a timeout while a task waits in mid-lane": (
        (*LANE, i.StartInstance(FLOW), waits(WaitKind.TASK, task=B)), i.Signal(FLOW, signal(1), token(1)),
    ),
    "a child is cancelled": (
        (*LANE, i.StartInstance(FLOW), waits(WaitKind.CHILD, child=CHILD), waits(WaitKind.TASK, flow=CHILD,
        task=B)),
        i.CancelInstance(CHILD, ANNA),
    ),
    "a watched task ends": (
        (*LANE, wake(), i.StartInstance(FLOW), waits(WaitKind.TASK, task=A), i.Succeed(Ref(A, 1, 1))),
        handle(FollowUp.TELL, A),
    ),
    "a link that is met": (
        (scope(), task(A), task(B), wake(), i.Succeed(Ref(A, 1, 1)), task(C, dependencies=1)), i.Depend(C, A),
    ),
    "a request that waits": (QUEUE, ask(RequestId(OwnerId(50)), priority=Priority.LOW)),
    "a withdrawal": (QUEUE, i.Withdraw(RequestId(OwnerId(44)))),
    "a request that starts": ((*QUEUE, i.Succeed(Ref(OwnerId(40), 1, 1))), wake()),
    "a retry that asks again": (
        (*QUEUE, i.Fail(Ref(OwnerId(41), 1, 1))), handle(FollowUp.ASK_AGAIN, OwnerId(41)),
    ),
    "dispose": (CALLED, i.Dispose(SCOPE)),
    "completion after a retry": (
        (*LANE, i.StartInstance(FLOW), waits(WaitKind.TASK, task=B), i.Unavailable(FLOW),
        i.RetryInstance(FLOW, ANNA)),
        i.SliceCompleted(FLOW, version(3)),
    ),
}  # fmt: skip


@pytest.mark.cites("ACT-14a", "SHL-3c")
@pytest.mark.parametrize("name", WORST)
def test_even_the_worst_case_touches_few_cells(name: str) -> None:
    setup, given = WORST[name]
    seen = World(step).all(*setup).give(given)
    touched = sorted(".".join(map(str, key[: 2 if key[0] == Kind.FOLLOW else 1])) for key in seen.footprint)
    assert len(touched) <= bound(given), f"{name_of(given)} touches {len(touched)}: {touched}"


@pytest.mark.cites("ACT-14a")
def test_what_goes_beyond_the_bound_is_known_and_does() -> None:
    """An exception that is no longer needed is dropped."""
    reached = {
        name_of(given): len(World(step).all(*setup).give(given).footprint) for setup, given in WORST.values()
    }
    assert {name: size for name, size in reached.items() if size > MOST} == OVER
