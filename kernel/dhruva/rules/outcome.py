"""How an attempt ended, read off its cell, and what that means (ACT-18)."""

from typing import Final

from dhruva.cells import Attempt
from dhruva.decide.outcome import Settlement
from dhruva.ids import TaskStatus
from dhruva.machines.attempt import AttemptEvent, AttemptState
from dhruva.walk import Given, Walk

ENDED_BY: Final = {
    AttemptState.SUCCEEDED: AttemptEvent.SUCCEED,
    AttemptState.FAILED: AttemptEvent.ERROR,
    AttemptState.ABANDONED: AttemptEvent.ABANDON,
}


def settled(
    walk: Walk, attempt: Attempt, status: TaskStatus, given: Given, retry_on_timeout: bool
) -> Settlement:
    """Aborted without a reason means that the owner went while the body ran."""
    end = ENDED_BY.get(attempt.state)
    if end is None:
        end = AttemptEvent.OWNER_GONE if attempt.reason is None else AttemptEvent.STOPPED
    return walk.book.decide.settle(
        status, end, attempt.reason, given.dropped, retry_on_timeout, given.retry_safe
    )
