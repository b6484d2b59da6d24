"""Short stories of workflow instances (WFL)."""

from typing import Any

from dhruva import inputs as i
from dhruva.cells import EffectKind, FollowUp, Kind
from dhruva.machines.instance import WaitKind
from tests.rules.cast import (
    ANNA,
    CHILD,
    FLOW,
    PAID,
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
from tests.rules.scenarios import Story

# Workflow instances


def a_timer_resumes_an_instance() -> Story:
    """WFL-12a, WFL-13a: token, version, next slice."""
    return i.StartInstance(FLOW), waits(WaitKind.TIMER), i.Signal(FLOW, signal(1), token(1))


def a_lost_slice_is_run_again() -> Story:
    """SHL-4e: idempotent by instance and version."""
    key = (Kind.EFFECT, EffectKind.RUN_SLICE, FLOW, version(0))
    return i.StartInstance(FLOW), i.Take(key), i.Lost(key), i.Take(key), i.Ack(key)


def an_early_signal_waits_for_its_wait() -> Story:
    """WFL-22b, WFL-22c: kept by name, consumed on entering the wait."""
    return i.StartInstance(FLOW), i.EarlySignal(FLOW, signal(1), PAID), waits(WaitKind.SIGNAL, name=PAID)


def an_instance_completes() -> Story:
    """WFL-17: timers cleared, retention begins."""
    return i.StartInstance(FLOW), i.SliceCompleted(FLOW, version(0))


def an_instance_fails() -> Story:
    """WFL-15, WFL-13a."""
    return i.StartInstance(FLOW), i.SliceFailed(FLOW, version(0))


def a_child_tells_its_parent() -> Story:
    """WFL-10: the end of the child is a signal with the wait's token."""
    return (
        i.StartInstance(FLOW), waits(WaitKind.CHILD, child=CHILD), i.SliceCompleted(CHILD, version(0)),
        handle(FollowUp.TELL_PARENT, CHILD),
    )  # fmt: skip


def a_person_completes_a_human_task() -> Story:
    """WFL-14b: completion is a signal."""
    return (
        i.StartInstance(FLOW),
        waits(WaitKind.HUMAN),
        i.AssignHuman(FLOW, ANNA),
        i.CompleteHuman(FLOW, ANNA),
    )


def _cancelled_while(wait: Any) -> Story:
    """WFL-21: what the wait left open is cancelled with it."""
    return i.StartInstance(FLOW), wait, i.CancelInstance(FLOW, ANNA)


def cancelled_while_a_person_is_asked() -> Story:
    """WFL-14, WFL-21."""
    return _cancelled_while(waits(WaitKind.HUMAN))


def cancelled_while_a_child_runs() -> Story:
    """WFL-21: the child is cancelled by a follow-up."""
    return (
        *_cancelled_while(waits(WaitKind.CHILD, child=CHILD)), handle(FollowUp.CANCEL_CHILD, CHILD)
    )  # fmt: skip


def cancelled_while_a_task_runs() -> Story:
    """WFL-7e, WFL-21."""
    return (
        scope(), task(), *_cancelled_while(waits(WaitKind.TASK, task=TASK)), handle(FollowUp.CANCEL_TASK,
        TASK)
    )  # fmt: skip


def _timeout_while(wait: Any) -> Story:
    """WFL-12f: the timeout of the wait comes first, and cancels what the wait left open."""
    return i.StartInstance(FLOW), wait, i.Signal(FLOW, signal(1), token(1))


def a_person_is_too_slow() -> Story:
    """WFL-12f, WFL-14."""
    return _timeout_while(waits(WaitKind.HUMAN))


def a_child_is_too_slow() -> Story:
    """WFL-12f."""
    return *_timeout_while(waits(WaitKind.CHILD, child=CHILD)), handle(FollowUp.CANCEL_CHILD, CHILD)


def a_task_is_too_slow() -> Story:
    """WFL-12f."""
    return scope(), task(), *_timeout_while(waits(WaitKind.TASK, task=TASK))


def a_watched_task_ends() -> Story:
    """WFL-7d: its end is a signal with the wait's token."""
    return (
        *running(), i.StartInstance(FLOW), waits(WaitKind.TASK, task=TASK), i.Succeed(RUN),
        handle(FollowUp.TELL, TASK)
    )  # fmt: skip


def a_definition_is_missing_for_a_while() -> Story:
    """WFL-3d, WFL-21d: a recoverable error keeps the wait's signal; retry runs the slice again."""
    return (
        i.StartInstance(FLOW), waits(WaitKind.SIGNAL, name=PAID), i.Unavailable(FLOW),
        i.Signal(FLOW, signal(1), token(1), PAID), i.RetryInstance(FLOW, ANNA),
    )  # fmt: skip


def _retry_after(wait: Any, then: Any) -> Story:
    """WFL-21d: the wait is left by an error, and the slice that runs again decides otherwise."""
    return i.StartInstance(FLOW), wait, i.Unavailable(FLOW), i.RetryInstance(FLOW, ANNA), then


def no_person_after_all() -> Story:
    """WFL-14f, WFL-17a."""
    return _retry_after(waits(WaitKind.HUMAN), waits(WaitKind.TIMER, 3))


def no_child_after_all() -> Story:
    """WFL-17a."""
    return _retry_after(waits(WaitKind.CHILD, child=CHILD), waits(WaitKind.TIMER, 3))


def no_task_after_all() -> Story:
    """WFL-17a."""
    return scope(), task(), *_retry_after(waits(WaitKind.TASK, task=TASK), waits(WaitKind.TIMER, 3))


def completed_without_a_person() -> Story:
    """WFL-17a."""
    return _retry_after(waits(WaitKind.HUMAN), i.SliceCompleted(FLOW, version(3)))


def completed_without_a_child() -> Story:
    """WFL-17a."""
    return _retry_after(waits(WaitKind.CHILD, child=CHILD), i.SliceCompleted(FLOW, version(3)))


def completed_without_a_task() -> Story:
    """WFL-17a."""
    return scope(), task(), *_retry_after(waits(WaitKind.TASK, task=TASK), i.SliceCompleted(FLOW, version(3)))


def failed_without_a_person() -> Story:
    """WFL-17a."""
    return _retry_after(waits(WaitKind.HUMAN), i.SliceFailed(FLOW, version(3)))


def failed_without_a_child() -> Story:
    """WFL-17a."""
    return _retry_after(waits(WaitKind.CHILD, child=CHILD), i.SliceFailed(FLOW, version(3)))


def failed_without_a_task() -> Story:
    """WFL-17a."""
    return scope(), task(), *_retry_after(waits(WaitKind.TASK, task=TASK), i.SliceFailed(FLOW, version(3)))
