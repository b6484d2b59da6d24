"""A workflow instance between its slices (WFL-21).

A slice runs to a durable wait and commits; a fresh signal starts the next. The kind of
the wait is a field. A recoverable error keeps what arrives, and is left by an actor's
retry or cancel only.
"""

from enum import StrEnum
from typing import Final

from dhruva.table import Machine, Row, Symbol


class InstanceState(StrEnum):
    RUNNING = "running"
    WAITING = "waiting"
    RECOVERABLE_ERROR = "recoverable_error"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class InstanceEvent(StrEnum):
    WAIT = "wait"
    COMPLETE = "complete"
    FAIL = "fail"
    ERROR = "error"
    CANCEL = "cancel"
    SIGNAL = "signal"
    UNAVAILABLE = "unavailable"
    EARLY_SIGNAL = "early_signal"
    RETRY = "retry"


class WaitKind(StrEnum):
    """What an instance waits for; a field of the instance, not a state (WFL-6)."""

    HUMAN = "human"
    TIMER = "timer"
    SIGNAL = "signal"
    CHILD = "child"
    TASK = "task"
    RETRY = "retry"


class InstanceGuard(Symbol):
    FRESH = "fresh", "the signal is not stale: its token and version are those of this wait"


class InstanceEffect(Symbol):
    TOKEN = "token", "the wait has a fresh token"
    TIMERS = "timers", "the wait's timers are armed"
    CLEAR_TIMEOUTS = "clear_timeouts", "timers that no longer matter are cleared"
    RETENTION = "retention", "how long the ended instance is kept begins to count"
    TELL_PARENT = "tell_parent", "the instance that waits for this one gets a signal"
    CANCEL_HUMAN_TASK = "cancel_human_task", "its active human task is cancelled"
    CANCEL_CHILD = "cancel_child", "its child instance is cancelled"
    CANCEL_TASK = "cancel_task", "its task is cancelled"
    CONSUME_TOKEN = "consume_token", "the wait's token is spent"
    CANCEL_OPEN = "cancel_open", "what the wait left open is cancelled"
    RUN_SLICE = "run_slice", "the next slice is to be run"
    KEEP_SIGNAL = "keep_signal", "the signal is kept for later"


S, E, G, F = InstanceState, InstanceEvent, InstanceGuard, InstanceEffect
WAIT = (F.TOKEN, F.TIMERS)
DONE = (F.CLEAR_TIMEOUTS, F.RETENTION, F.TELL_PARENT)
TELL = (F.TELL_PARENT,)
STOP = (F.CANCEL_HUMAN_TASK, F.CANCEL_CHILD, F.CANCEL_TASK, F.TELL_PARENT)
WAKE = (F.CONSUME_TOKEN, F.CANCEL_OPEN, F.RUN_SLICE)
KEEP = (F.KEEP_SIGNAL,)
RUN = (F.RUN_SLICE,)

INSTANCE: Final = Machine(
    name="instance",
    initial=S.RUNNING,
    final={S.COMPLETED, S.FAILED, S.CANCELLED},
    closed_by="WFL-21",
    rows=(
        #   from                 on              to                   when        then  cites
        Row(S.RUNNING,           E.WAIT,         S.WAITING,           (),         WAIT, "WFL-12 WFL-21"),
        Row(S.RUNNING,           E.COMPLETE,     S.COMPLETED,         (),         DONE, "WFL-17 WFL-21"),
        Row(S.RUNNING,           E.FAIL,         S.FAILED,            (),         TELL, "WFL-15 WFL-21"),
        Row(S.RUNNING,           E.ERROR,        S.RECOVERABLE_ERROR, (),         (),   "WFL-15 WFL-21"),
        Row(S.RUNNING,           E.CANCEL,       S.CANCELLED,         (),         STOP, "WFL-21"),
        Row(S.WAITING,           E.CANCEL,       S.CANCELLED,         (),         STOP, "WFL-21"),
        Row(S.RECOVERABLE_ERROR, E.CANCEL,       S.CANCELLED,         (),         STOP, "WFL-21"),
        Row(S.WAITING,           E.SIGNAL,       S.RUNNING,           (G.FRESH,), WAKE, "WFL-12 WFL-21"),
        Row(S.WAITING,           E.UNAVAILABLE,  S.RECOVERABLE_ERROR, (),         (),   "WFL-3 WFL-21"),
        Row(S.RECOVERABLE_ERROR, E.SIGNAL,       S.RECOVERABLE_ERROR, (),         KEEP, "WFL-3 WFL-21"),
        Row(S.RUNNING,           E.EARLY_SIGNAL, S.RUNNING,           (),         KEEP, "WFL-22"),
        Row(S.WAITING,           E.EARLY_SIGNAL, S.WAITING,           (),         KEEP, "WFL-22"),
        Row(S.RECOVERABLE_ERROR, E.EARLY_SIGNAL, S.RECOVERABLE_ERROR, (),         KEEP, "WFL-22"),
        Row(S.RECOVERABLE_ERROR, E.RETRY,        S.RUNNING,           (),         RUN,  "WFL-21"),
    ),
)  # fmt: skip
