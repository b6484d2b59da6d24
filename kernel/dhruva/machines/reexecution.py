"""Re-execution: an ended task is opened for a new run, because someone asked (LIF-9).

It shares the statuses of the task and starts from whichever the task is in, so all five
are entries and none is initial. Nothing is re-executed while an attempt of it is alive.
"""

from enum import StrEnum
from typing import Final

from dhruva.ids import TaskStatus
from dhruva.table import Machine, Row, Symbol


class ReexecutionEvent(StrEnum):
    REEXECUTE = "reexecute"


class ReexecutionGuard(Symbol):
    ENABLED = "enabled", "re-execution from this status is switched on: completed by default, cancelled not"
    NO_ATTEMPT = "no_attempt_alive", "no attempt of the task is running or aborting"


class ReexecutionEffect(Symbol):
    NEW_RUN = (
        "new_run",
        "a new run begins; result, error, progress, stamps and counters are cleared",
    )


S, E = TaskStatus, ReexecutionEvent
ALONE = (ReexecutionGuard.NO_ATTEMPT,)
ENABLED = (ReexecutionGuard.ENABLED, ReexecutionGuard.NO_ATTEMPT)
NEW_RUN = (ReexecutionEffect.NEW_RUN,)

REEXECUTION: Final = Machine(
    name="reexecution",
    initial=None,
    entries=frozenset(S),
    final={S.PENDING, S.IN_PROGRESS},
    closed_by="LIF-9",
    rows=(
        #   from         on           to         when     then     cites
        Row(S.FAILED,    E.REEXECUTE, S.PENDING, ALONE,   NEW_RUN, "LIF-1 LIF-9"),
        Row(S.COMPLETED, E.REEXECUTE, S.PENDING, ENABLED, NEW_RUN, "LIF-9"),
        Row(S.CANCELLED, E.REEXECUTE, S.PENDING, ENABLED, NEW_RUN, "LIF-9"),
    ),
)  # fmt: skip
