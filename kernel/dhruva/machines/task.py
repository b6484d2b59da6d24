"""The task: a record with a status, from creation to its end (LIF-1).

A task that ended stays ended. The one way back that this table knows is the automatic
retry of a failure; what people ask for is re-execution, a table of its own.
"""

from enum import StrEnum
from typing import Final

from dhruva.ids import TaskStatus
from dhruva.table import Machine, Row, Symbol


class TaskEvent(StrEnum):
    START = "start"
    SUCCEED = "succeed"
    FAIL = "fail"
    CANCEL = "cancel"
    RETRY = "retry"


class TaskGuard(Symbol):
    DEPENDENCIES = "unmet_zero", "unmet = 0: every dependency is satisfied"
    DUE = "due", "no timer of the task is pending"
    EXECUTOR = "executor", "an executor of its name is registered in the process that starts it"
    AUTHORIZED = "authorized", "the authority lets the scope commit"
    TRIES_LEFT = "tries_left", "tries < max_attempts of this run"
    RETRIABLE = "retriable", "the failure is of a kind that a retry may mend"


class TaskEffect(Symbol):
    COMMIT = "commit", "an attempt is committed under a new ref"
    LEAVE_LANE = "leave_lane", "the task no longer waits in a lane"
    TELL = "tell", "each dependent is told, in order of creation"
    RETRY_OR_TELL = (
        "retry_or_tell",
        "retried in the same step if it may be; else each dependent is told",
    )
    ABORT_ATTEMPT = "abort_attempt", "the attempt aborts with reason user; dependents are told at its end"
    TIMER = "timer", "the task becomes due after its backoff"


S, E, G, F = TaskStatus, TaskEvent, TaskGuard, TaskEffect
READY = (G.DEPENDENCIES, G.DUE, G.EXECUTOR, G.AUTHORIZED)
AGAIN = (G.TRIES_LEFT, G.RETRIABLE)

TASK: Final = Machine(
    name="task",
    initial=S.PENDING,
    final={S.COMPLETED, S.CANCELLED},
    closed_by="LIF-1",
    rows=(
        #   from           on         to             when   then                    cites
        Row(S.PENDING,     E.START,   S.IN_PROGRESS, READY, (F.COMMIT,),            "LIF-1 LIF-3"),
        Row(S.PENDING,     E.CANCEL,  S.CANCELLED,   (),    (F.LEAVE_LANE, F.TELL), "LIF-1 LIF-8"),
        Row(S.IN_PROGRESS, E.SUCCEED, S.COMPLETED,   (),    (F.TELL,),              "LIF-1 LIF-19"),
        Row(S.IN_PROGRESS, E.FAIL,    S.FAILED,      (),    (F.RETRY_OR_TELL,),     "LIF-1 LIF-14"),
        Row(S.IN_PROGRESS, E.CANCEL,  S.CANCELLED,   (),    (F.ABORT_ATTEMPT,),     "LIF-1 LIF-8"),
        Row(S.FAILED,      E.RETRY,   S.PENDING,     AGAIN, (F.TIMER,),             "LIF-1 LIF-14"),
    ),
)  # fmt: skip
