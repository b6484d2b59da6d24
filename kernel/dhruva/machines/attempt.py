"""One committed execution, from commit to the observed end of its body (ACT-16).

`abort` only asks: the attempt is aborting, and holds its slot, until the end of the body
is observed, or the owner is proven gone, or an operator abandons it. The first reason
to abort stays.
"""

from enum import StrEnum
from typing import Final

from dhruva.table import Machine, Row, Symbol


class AttemptState(StrEnum):
    RUNNING = "running"
    ABORTING = "aborting"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    ABORTED = "aborted"
    ABANDONED = "abandoned"


class AttemptEvent(StrEnum):
    SUCCEED = "succeed"
    ERROR = "error"
    ABORT = "abort"
    STOPPED = "stopped"
    OWNER_GONE = "owner_gone"
    ABANDON = "abandon"


class AbortReason(StrEnum):
    """Why an attempt was asked to end; a field of the attempt, not a state."""

    USER = "user"
    DISPOSE = "dispose"
    TIMEOUT = "timeout"
    WORKER = "worker"
    HANDLER = "handler"
    SHUTDOWN = "shutdown"
    OWNER_GONE = "owner_gone"


class AttemptGuard(Symbol):
    OVERRIDE = "override", "the input names an actor and a reason"


class AttemptEffect(Symbol):
    FREE_SLOT = "free_slot", "the scope's slot is free again, and what waits in its lanes asks again"
    END_RESOURCES = "end_resources", "workers, handlers and streams of this ref are told to end"
    SETTLE = "settle", "the task hears how its attempt ended"
    ABORT_SIGNAL = "abort_signal", "the body's abort signal is set, with the reason"


S, E = AttemptState, AttemptEvent
OVERRIDE = (AttemptGuard.OVERRIDE,)
SIGNAL = (AttemptEffect.ABORT_SIGNAL, AttemptEffect.END_RESOURCES)
STOP = (AttemptEffect.FREE_SLOT, AttemptEffect.SETTLE)
END = (AttemptEffect.FREE_SLOT, AttemptEffect.END_RESOURCES, AttemptEffect.SETTLE)

ATTEMPT: Final = Machine(
    name="attempt",
    initial=S.RUNNING,
    final={S.SUCCEEDED, S.FAILED, S.ABORTED, S.ABANDONED},
    closed_by="ACT-8",
    rows=(
        #   from        on            to           when      then     cites
        Row(S.RUNNING,  E.SUCCEED,    S.SUCCEEDED, (),       END,     "ACT-16 ACT-18"),
        Row(S.RUNNING,  E.ERROR,      S.FAILED,    (),       END,     "ACT-16 ACT-18"),
        Row(S.RUNNING,  E.ABORT,      S.ABORTING,  (),       SIGNAL,  "ACT-11 ACT-16"),
        Row(S.ABORTING, E.ABORT,      S.ABORTING,  (),       (),      "ACT-16 ACT-18"),
        Row(S.ABORTING, E.SUCCEED,    S.ABORTED,   (),       STOP,    "ACT-11 ACT-16"),
        Row(S.ABORTING, E.ERROR,      S.ABORTED,   (),       STOP,    "ACT-11 ACT-16"),
        Row(S.ABORTING, E.STOPPED,    S.ABORTED,   (),       STOP,    "ACT-16 ACT-18"),
        Row(S.RUNNING,  E.OWNER_GONE, S.ABORTED,   (),       END,     "ACT-16 LIF-15"),
        Row(S.ABORTING, E.OWNER_GONE, S.ABORTED,   (),       END,     "ACT-16 LIF-15"),
        Row(S.RUNNING,  E.ABANDON,    S.ABANDONED, OVERRIDE, END,     "ACT-16 SHL-6"),
        Row(S.ABORTING, E.ABANDON,    S.ABANDONED, OVERRIDE, END,     "ACT-16 SHL-6"),
    ),
)  # fmt: skip

HOLDS_SLOT: Final = frozenset({S.RUNNING, S.ABORTING})
"""The states in which the body may still run, so the slot is held (ACT-16)."""
