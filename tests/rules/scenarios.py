"""Short stories of scopes, requests, attempts and tasks, told by the requirements that they are about.

Every input of a story is accepted by the kernel that we ship. tests/test_wiring.py runs each story through
kernels that lack one wire, and shows that it ends differently. tests/rules/stories.py has them all.
"""

from typing import Any

from dhruva import inputs as i
from dhruva.cells import FollowUp, Kind
from dhruva.machines.attempt import AbortReason
from dhruva.machines.resources import HandlerEvent, StreamEvent, WorkerEvent
from tests.rules.cast import (
    ASKED,
    ASKED_RUN,
    ASKED_TOO,
    NEXT,
    RUN,
    SCOPE,
    TASK,
    ask,
    handle,
    running,
    scope,
    task,
    wake,
)

Story = tuple[Any, ...]

# Scopes and requests


def tasks_ask_again_after_resume() -> Story:
    """ACT-12c: what waited through a suspension is looked at again."""
    return scope(), i.Suspend(SCOPE), task(), wake(), i.Resume(SCOPE), wake()


def dispose_aborts_each_attempt() -> Story:
    """ACT-11a, ACT-18c: attempts abort, their tasks are cancelled, DISPOSED when the last body ended."""
    return *running(), i.Dispose(SCOPE), handle(FollowUp.ABORT_EACH, SCOPE), i.Stopped(RUN)


def dispose_of_an_idle_scope_ends_at_once() -> Story:
    """ACT-11a: nothing of it lives, so dispose itself drains it."""
    return scope(), i.Dispose(SCOPE)


def dispose_rejects_the_queue() -> Story:
    """ACT-13g: the queued request is rejected; the last of what lived ends with it."""
    queue = scope(max_concurrent=1, queues=True, max_queued=1)
    return (
        queue, ask(), ask(ASKED_TOO), i.Dispose(SCOPE), handle(FollowUp.ABORT_EACH, SCOPE),
        i.Stopped(ASKED_RUN),
        handle(FollowUp.REJECT_QUEUED, SCOPE),
    )  # fmt: skip


def a_request_leaves_the_queue_to_run() -> Story:
    """ACT-13f: when a slot is free the first request is authorized again and commits."""
    queue = scope(max_concurrent=1, queues=True, max_queued=1)
    return queue, ask(), ask(ASKED_TOO), i.Succeed(ASKED_RUN), wake()


def a_queued_request_is_withdrawn_while_disposing() -> Story:
    """ACT-13h, ACT-11a: it was the last thing alive."""
    queue = scope(max_concurrent=1, queues=True, max_queued=1)
    return queue, ask(), ask(ASKED_TOO), i.Dispose(SCOPE), i.Succeed(ASKED_RUN), i.Withdraw(ASKED_TOO)


def a_queued_request_waits_too_long_while_disposing() -> Story:
    """ACT-2e, ACT-11a: the timer rejects it, and it was the last thing alive."""
    queue = scope(max_concurrent=1, queues=True, max_queued=1)
    return queue, ask(), ask(ASKED_TOO), i.Dispose(SCOPE), i.Succeed(ASKED_RUN), i.WaitExpired(ASKED_TOO)


def a_one_off_request_asks_again() -> Story:
    """ACT-10a, ACT-10c: after an error, under a new ref, through authorization."""
    return scope(retry=1), ask(), i.Fail(ASKED_RUN), handle(FollowUp.ASK_AGAIN, ASKED)


# Attempts and what they hold


def _with_a_dependent(*then: Any) -> Story:
    """TASK, and NEXT that needs it."""
    return scope(max_concurrent=1), task(), task(NEXT, dependencies=1), i.Depend(NEXT, TASK), *then


def a_body_succeeds() -> Story:
    """ACT-18a, LIF-19c: the task completes and its dependent is told."""
    tell = handle(FollowUp.TELL, TASK)
    return *_with_a_dependent(wake()), i.Succeed(RUN), tell, tell, wake()


def a_freed_slot_goes_to_who_waits() -> Story:
    """ACT-16b, LIF-7: one slot, two tasks."""
    return scope(max_concurrent=1), task(), task(NEXT), wake(), wake(), i.Succeed(RUN), wake()


def a_body_fails_and_is_retried() -> Story:
    """LIF-14e: failed and pending in one step, due after a timer."""
    return *running(max_attempts=2), i.Fail(RUN), i.Due(TASK, 1, 1), wake()


def a_body_fails_for_good() -> Story:
    """ACT-18b, LIF-19c: no try is left, and dependents are told."""
    return *_with_a_dependent(wake()), i.Fail(RUN), handle(FollowUp.TELL, TASK)


def a_shutdown_costs_no_try() -> Story:
    """ACT-18e: the only try is taken back, so the task starts again."""
    return (
        *running(),
        i.Abort(RUN, AbortReason.SHUTDOWN),
        i.Stopped(RUN),
        handle(FollowUp.READY, TASK),
        wake(),
    )


def an_attempt_ends_with_its_workers() -> Story:
    """ACT-9b, ACT-16c: worker, handler and stream are told to end, and end."""
    end = handle(FollowUp.END_RESOURCES, RUN)
    return (
        *running(), i.AddWorker(RUN), i.AddHandler(RUN), i.AddStream(RUN),
        i.ResourceEvent(RUN, 1, WorkerEvent.START), i.ResourceEvent(RUN, 2, HandlerEvent.START),
        i.Succeed(RUN), end, end, end,
        i.ResourceEvent(RUN, 1, WorkerEvent.EXITED), i.ResourceEvent(RUN, 2, HandlerEvent.STOPPED),
    )  # fmt: skip


def resources_go_with_their_process() -> Story:
    """ACT-16d: the owner is gone, and with it what it held."""
    end = handle(FollowUp.END_RESOURCES, RUN)
    return (
        *running(), i.AddWorker(RUN), i.AddHandler(RUN), i.AddStream(RUN),
        i.ResourceEvent(RUN, 1, WorkerEvent.START), i.ResourceEvent(RUN, 2, HandlerEvent.START),
        i.OwnerGone(RUN), end, end, end,
    )  # fmt: skip


def a_worker_fails() -> Story:
    """ACT-9g: its attempt aborts with reason worker, and the task fails when the body has ended."""
    return (
        *running(), i.AddWorker(RUN), i.ResourceEvent(RUN, 1, WorkerEvent.START),
        i.ResourceEvent(RUN, 1, WorkerEvent.FAIL), i.Stopped(RUN),
    )  # fmt: skip


def a_handler_fails() -> Story:
    """ACT-9g: its attempt aborts with reason handler."""
    return (
        *running(), i.AddHandler(RUN), i.ResourceEvent(RUN, 1, HandlerEvent.START),
        i.ResourceEvent(RUN, 1, HandlerEvent.FAIL), i.Stopped(RUN),
    )  # fmt: skip


def _last_alive(add: Any, *events: Any) -> Story:
    """What `add` added is all that still lives in a scope that is being disposed."""
    begin, end = events[:-1], events[-1]
    return (
        *running(), add, *(i.ResourceEvent(RUN, 1, event) for event in begin), i.Succeed(RUN),
        i.Dispose(SCOPE),
        i.ResourceEvent(RUN, 1, end),
    )  # fmt: skip


def a_worker_is_the_last_to_end() -> Story:
    """ACT-11a, ACT-16c: DISPOSED when the worker is terminated."""
    return _last_alive(i.AddWorker(RUN), WorkerEvent.START, WorkerEvent.FINISH)


def a_failing_worker_is_the_last_to_end() -> Story:
    """ACT-11a: a failure is an end too."""
    return _last_alive(i.AddWorker(RUN), WorkerEvent.START, WorkerEvent.FAIL)


def a_handler_is_the_last_to_end() -> Story:
    """ACT-11a: DISPOSED when the handler completed."""
    return _last_alive(i.AddHandler(RUN), HandlerEvent.START, HandlerEvent.COMPLETE)


def a_failing_handler_is_the_last_to_end() -> Story:
    """ACT-11a: a failure is an end too."""
    return _last_alive(i.AddHandler(RUN), HandlerEvent.START, HandlerEvent.FAIL)


def a_cancelled_handler_is_the_last_to_end() -> Story:
    """ACT-11a: a handler that never started is cancelled."""
    return _last_alive(i.AddHandler(RUN), HandlerEvent.CANCEL)


def a_closed_stream_is_the_last_to_end() -> Story:
    """ACT-11a: DISPOSED when the stream is closed."""
    return _last_alive(i.AddStream(RUN), StreamEvent.CLOSE)


def an_aborted_stream_is_the_last_to_end() -> Story:
    """ACT-11a: or aborted."""
    return _last_alive(i.AddStream(RUN), StreamEvent.ABORT)


# Tasks


def a_pending_task_is_cancelled() -> Story:
    """LIF-8a: at once; it leaves its lane, and dependents are told."""
    return *_with_a_dependent(), i.Cancel(TASK), handle(FollowUp.TELL, TASK)


def a_running_task_is_cancelled() -> Story:
    """LIF-8b, LIF-8d: cancelled at once, told when the body's end was observed."""
    return *_with_a_dependent(wake()), i.Cancel(TASK), i.Stopped(RUN), handle(FollowUp.TELL, TASK)


def a_completed_task_is_executed_again() -> Story:
    """LIF-9d, LIF-10c: its dependent counts it as unmet, then it has a new run."""
    recall = (Kind.FOLLOW, FollowUp.RECALL, TASK)
    return (
        *a_body_succeeds()[:-1], i.Recall(TASK, None), i.Reset(TASK, recall), handle(FollowUp.RECALL, TASK),
        handle(FollowUp.RESET, TASK), wake(),
    )  # fmt: skip
