"""What a failure is, and what an attempt's end does to its task (ACT-15, ACT-18)."""

from enum import StrEnum
from typing import Final, NamedTuple

from dhruva.ids import TaskStatus
from dhruva.machines.attempt import AbortReason, AttemptEvent
from dhruva.machines.task import TaskEvent


class Category(StrEnum):
    """Exactly one per failure (ACT-15)."""

    EXECUTION = "execution"
    WORKER = "worker"
    HANDLER = "handler"
    SCHEDULING = "scheduling"
    LIFECYCLE = "lifecycle"
    DEVELOPER = "developer"
    POLICY = "policy"


class Failure(StrEnum):
    """The ways in which work can fail; the word that a record's error begins with."""

    ERROR = "error"
    TIMEOUT = "timeout"
    WORKER = "worker"
    HANDLER = "handler"
    INTERRUPTED = "interrupted"
    ABANDONED = "abandoned"
    DROPPED = "dropped"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    INVALID = "invalid"


CATEGORY: Final = {
    Failure.ERROR: Category.EXECUTION,
    Failure.TIMEOUT: Category.POLICY,
    Failure.WORKER: Category.WORKER,
    Failure.HANDLER: Category.HANDLER,
    Failure.INTERRUPTED: Category.EXECUTION,
    Failure.ABANDONED: Category.LIFECYCLE,
    Failure.DROPPED: Category.SCHEDULING,
    Failure.REJECTED: Category.SCHEDULING,
    Failure.CANCELLED: Category.LIFECYCLE,
    Failure.INVALID: Category.DEVELOPER,
}

RETRIABLE: Final = frozenset({Category.EXECUTION, Category.WORKER, Category.HANDLER})


def retriable(failure: Failure, retry_on_timeout: bool) -> bool:
    """Whether a retry may follow this failure at all (ACT-10, ACT-15)."""
    category = CATEGORY[failure]
    if category == Category.POLICY:
        return retry_on_timeout
    return category in RETRIABLE


class Settlement(NamedTuple):
    """What the end of an attempt says to its task. No event: the task has ended and stays as it is."""

    event: TaskEvent | None
    failure: Failure | None
    counts_try: bool
    retry: bool  # a retry may follow, if tries are left


NOTHING: Final = Settlement(None, None, True, False)
SUCCEEDED: Final = Settlement(TaskEvent.SUCCEED, None, True, False)
_IN_PROGRESS: Final = TaskStatus.IN_PROGRESS  # asked for at every end: bound once
_SUCCEED: Final = AttemptEvent.SUCCEED

BY_REASON: Final = {
    AbortReason.SHUTDOWN: Failure.INTERRUPTED,
    AbortReason.TIMEOUT: Failure.TIMEOUT,
    AbortReason.WORKER: Failure.WORKER,
    AbortReason.HANDLER: Failure.HANDLER,
    AbortReason.OWNER_GONE: Failure.INTERRUPTED,
    AbortReason.USER: Failure.CANCELLED,
    AbortReason.DISPOSE: Failure.CANCELLED,
}


def settle(
    status: TaskStatus,
    end: AttemptEvent,
    reason: AbortReason | None,
    dropped: bool,
    retry_on_timeout: bool,
    retry_safe: bool = True,
) -> Settlement:
    """What the end of an attempt does to its task (ACT-18).

    `reason` is the first reason to abort, if the attempt was aborting: it decides over the
    event that ended the body, an abandonment alone excepted. No retry follows an outcome that is not safe
    to repeat (LIF-14), or a drop (DSP-11) unless a shutdown came first, which counts no try.
    """
    if status != _IN_PROGRESS:
        return NOTHING
    if end == _SUCCEED and reason is None:
        return SUCCEEDED
    failure = _failure(end, reason, dropped)
    shut_down = reason == AbortReason.SHUTDOWN and end != AttemptEvent.ABANDON
    repeatable = retry_safe and (shut_down or not dropped)
    retry = repeatable and retriable(failure, retry_on_timeout)
    return Settlement(TaskEvent.FAIL, failure, not shut_down, retry)


def _failure(end: AttemptEvent, reason: AbortReason | None, dropped: bool) -> Failure:
    if end == AttemptEvent.ABANDON:
        return Failure.ABANDONED
    if reason is not None:
        return BY_REASON[reason]
    if end == AttemptEvent.OWNER_GONE:
        return Failure.INTERRUPTED
    return Failure.DROPPED if dropped else Failure.ERROR
