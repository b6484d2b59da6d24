"""What each transition does to a task's fields, and which fields fit which status (LIF-2, LIF-16).

Stamps are milliseconds since the epoch, UTC; progress is in thousandths. Result and error are
payload: the rules only know whether they are there.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from dhruva.ids import TaskStatus
from dhruva.limits import PROGRESS_MAX_MILLI
from dhruva.machines.reexecution import ReexecutionEvent
from dhruva.machines.task import TaskEvent


class Act(StrEnum):
    """What happens to one field."""

    KEEP = "keep"
    CLEAR = "clear"
    NOW = "now"
    GIVEN = "given"
    WHOLE = "whole"
    ZERO = "zero"


class FieldActions(NamedTuple):
    """One transition's action on each field. `updated` is always now."""

    started: Act
    completed: Act
    result: Act
    error: Act
    progress: Act


_RESET: Final = FieldActions(Act.CLEAR, Act.CLEAR, Act.CLEAR, Act.CLEAR, Act.ZERO)

FIELD_ACTIONS: Final[dict[TaskEvent | ReexecutionEvent, FieldActions]] = {
    #                                        started   completed  result     error      progress
    TaskEvent.START:            FieldActions(Act.NOW,  Act.KEEP,  Act.KEEP,  Act.KEEP,  Act.KEEP),
    TaskEvent.SUCCEED:          FieldActions(Act.KEEP, Act.NOW,   Act.GIVEN, Act.KEEP,  Act.WHOLE),
    TaskEvent.FAIL:             FieldActions(Act.KEEP, Act.NOW,   Act.KEEP,  Act.GIVEN, Act.KEEP),
    TaskEvent.CANCEL:           FieldActions(Act.KEEP, Act.NOW,   Act.KEEP,  Act.GIVEN, Act.KEEP),
    TaskEvent.RETRY:            _RESET,
    ReexecutionEvent.REEXECUTE: _RESET,
}  # fmt: skip


class Fields(NamedTuple):
    """The execution fields of a task. A stamp that is not set is None."""

    created: int
    started: int | None
    completed: int | None
    updated: int
    result: bool
    error: bool
    progress: int


def created(now: int) -> Fields:
    """The fields of a task that was just created."""
    return Fields(now, None, None, now, False, False, 0)


def apply(fields: Fields, event: TaskEvent | ReexecutionEvent, now: int) -> Fields:
    """The fields after a transition."""
    return perform(fields, FIELD_ACTIONS[event], now)


def perform(fields: Fields, does: FieldActions, now: int) -> Fields:
    """The fields after these actions. A clock that went back moves no stamp back (LIF-2)."""
    stamp = max(now, fields.updated)
    return Fields(
        created=fields.created,
        started=_stamped(does.started, fields.started, stamp),
        completed=_stamped(does.completed, fields.completed, stamp),
        updated=stamp,
        result=_present(does.result, fields.result),
        error=_present(does.error, fields.error),
        progress=_progress(does.progress, fields.progress),
    )


def _stamped(act: Act, value: int | None, now: int) -> int | None:
    if act == Act.NOW:
        return now
    return None if act == Act.CLEAR else value


def _present(act: Act, value: bool) -> bool:
    if act == Act.GIVEN:
        return True
    return False if act == Act.CLEAR else value


def _progress(act: Act, value: int) -> int:
    if act == Act.WHOLE:
        return PROGRESS_MAX_MILLI
    return 0 if act == Act.ZERO else value


class Misfit(StrEnum):
    """The field that does not fit the status, or the order of stamps."""

    STARTED = "started_at"
    COMPLETED = "completed_at"
    RESULT = "result"
    ERROR = "error"
    PROGRESS = "progress"
    ORDER = "order"


def misfit(status: TaskStatus, fields: Fields) -> Misfit | None:
    """The first field that does not fit the status; None when all do (LIF-16)."""
    ran, ended = fields.started is not None, fields.completed is not None
    if status == TaskStatus.PENDING and ran:
        return Misfit.STARTED
    if status not in MAY_NOT_HAVE_RUN and not ran:
        return Misfit.STARTED
    if ended != (status not in NOT_ENDED):
        return Misfit.COMPLETED
    if fields.result != (status == TaskStatus.COMPLETED):
        return Misfit.RESULT
    if fields.error != (status in CARRIES_ERROR):
        return Misfit.ERROR
    if not _progress_fits(status, fields.progress):
        return Misfit.PROGRESS
    return None if _ordered(fields) else Misfit.ORDER


NOT_ENDED: Final = frozenset({TaskStatus.PENDING, TaskStatus.IN_PROGRESS})
MAY_NOT_HAVE_RUN: Final = frozenset({TaskStatus.PENDING, TaskStatus.CANCELLED})
CARRIES_ERROR: Final = frozenset({TaskStatus.FAILED, TaskStatus.CANCELLED})


def _progress_fits(status: TaskStatus, progress: int) -> bool:
    if status == TaskStatus.PENDING:
        return progress == 0
    if status == TaskStatus.COMPLETED:
        return progress == PROGRESS_MAX_MILLI
    return 0 <= progress <= PROGRESS_MAX_MILLI


def _ordered(fields: Fields) -> bool:
    """created <= started <= completed <= updated, over those that are set."""
    started = fields.created if fields.started is None else fields.started
    completed = started if fields.completed is None else fields.completed
    return fields.created <= started <= completed <= fields.updated
