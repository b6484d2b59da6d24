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
SHUT_DOWN: Final = Settlement(TaskEvent.FAIL, Failure.INTERRUPTED, False, True)

BY_REASON: Final = {
    AbortReason.TIMEOUT: Failure.TIMEOUT,
    AbortReason.WORKER: Failure.WORKER,
    AbortReason.HANDLER: Failure.HANDLER,
    AbortReason.OWNER_GONE: Failure.INTERRUPTED,
    AbortReason.USER: Failure.CANCELLED,
    AbortReason.DISPOSE: Failure.CANCELLED,
}


def settle(
    status: TaskStatus, end: AttemptEvent, reason: AbortReason | None, dropped: bool, retry_on_timeout: bool
) -> Settlement:
    """What the end of an attempt does to its task (ACT-18).

    `reason` is the first reason to abort, if the attempt was aborting: it decides over the
    event that ended the body, an abandonment alone excepted.
    """
    if status != TaskStatus.IN_PROGRESS:
        return NOTHING
    if end == AttemptEvent.ABANDON:
        return _failed(Failure.ABANDONED, retry_on_timeout)
    if reason == AbortReason.SHUTDOWN:
        return SHUT_DOWN
    if reason is not None:
        named = _failed(BY_REASON[reason], retry_on_timeout)
        return named._replace(retry=False) if dropped else named
    if end == AttemptEvent.SUCCEED:
        return SUCCEEDED
    if end == AttemptEvent.OWNER_GONE:
        return _failed(Failure.INTERRUPTED, retry_on_timeout)
    if dropped:
        return _failed(Failure.DROPPED, retry_on_timeout)
    return _failed(Failure.ERROR, retry_on_timeout)


def _failed(failure: Failure, retry_on_timeout: bool) -> Settlement:
    return Settlement(TaskEvent.FAIL, failure, True, retriable(failure, retry_on_timeout))
