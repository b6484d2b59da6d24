"""What the execution of a task does to its record, in plain values (LIF-2, LIF-5, LIF-14).

The shell keeps records as rows of integers and texts, and holds no rule: it asks here what a transition
does to them, how a failure is worded, and how long a retry waits.
"""

from typing import Final

from dhruva.decide.errors import ErrorCode as ErrorCode
from dhruva.decide.fields import Fields, perform
from dhruva.decide.fields import created as created
from dhruva.decide.outcome import Failure
from dhruva.decide.readiness import Dependency as Dependency
from dhruva.decide.readiness import blocked as blocked
from dhruva.decide.retry import backoff_ms
from dhruva.effects import FieldChange

__all__ = ["Dependency", "ErrorCode", "Fields", "blocked", "created", "error_text", "moved", "retry_delay_ms"]

NO_MESSAGE: Final = "cancelled without a message"


def moved(fields: Fields, change: FieldChange, now: int) -> Fields:
    """The fields after this transition."""
    return perform(fields, change.actions, now)


def error_text(failure: Failure | None, detail: str | None) -> str:
    """What the record says: the word of the failure, and what is known of it. None: it was cancelled."""
    if failure is None or failure == Failure.CANCELLED:
        return detail or NO_MESSAGE
    return f"{failure}: {detail}" if detail else str(failure)


def retry_delay_ms(tries: int, initial_ms: int, cap_ms: int) -> int:
    """How long the retry waits that follows so many tries (LIF-14)."""
    return backoff_ms(tries, initial_ms, cap_ms)
