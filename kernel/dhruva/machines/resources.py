"""What a committed attempt may hold: workers, handlers, streams (ACT-9).

Each is bound to one ref and ends with it. A worker or a handler that runs can only be
asked to end; its end is observed, and until then it is alive. One that fails aborts
its attempt.
"""

from enum import StrEnum
from typing import Final

from dhruva.table import Machine, Row, Symbol


class WorkerState(StrEnum):
    IDLE = "idle"
    RUNNING = "running"
    TERMINATING = "terminating"
    TERMINATED = "terminated"
    FAILED = "failed"


class WorkerEvent(StrEnum):
    START = "start"
    FINISH = "finish"
    FAIL = "fail"
    TERMINATE = "terminate"
    EXITED = "exited"


class WorkerEffect(Symbol):
    ABORT_ATTEMPT = "abort_attempt", "the attempt aborts with reason worker"
    ASK_TO_END = "ask_to_end", "the worker is asked to end"


class HandlerState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    CANCELLING = "cancelling"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class HandlerEvent(StrEnum):
    START = "start"
    COMPLETE = "complete"
    FAIL = "fail"
    CANCEL = "cancel"
    STOPPED = "stopped"


class HandlerEffect(Symbol):
    ABORT_ATTEMPT = "abort_attempt", "the attempt aborts with reason handler"


class StreamState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"
    ABORTED = "aborted"


class StreamEvent(StrEnum):
    CLOSE = "close"
    ABORT = "abort"


W, WE = WorkerState, WorkerEvent
ABORT_BY_WORKER = (WorkerEffect.ABORT_ATTEMPT,)
ASK = (WorkerEffect.ASK_TO_END,)

WORKER: Final = Machine(
    name="worker",
    initial=W.IDLE,
    final={W.TERMINATED, W.FAILED},
    closed_by="ACT-9",
    rows=(
        #   from           on            to             when  then             cites
        Row(W.IDLE,        WE.START,     W.RUNNING,     (),   (),              "ACT-9"),
        Row(W.RUNNING,     WE.FINISH,    W.TERMINATED,  (),   (),              "ACT-9"),
        Row(W.RUNNING,     WE.FAIL,      W.FAILED,      (),   ABORT_BY_WORKER, "ACT-9"),
        Row(W.IDLE,        WE.TERMINATE, W.TERMINATED,  (),   (),              "ACT-9 ACT-11"),
        Row(W.RUNNING,     WE.TERMINATE, W.TERMINATING, (),   ASK,             "ACT-9 ACT-11"),
        Row(W.TERMINATING, WE.FINISH,    W.TERMINATED,  (),   (),              "ACT-9 ACT-16"),
        Row(W.TERMINATING, WE.FAIL,      W.TERMINATED,  (),   (),              "ACT-9 ACT-16"),
        Row(W.TERMINATING, WE.EXITED,    W.TERMINATED,  (),   (),              "ACT-9 ACT-16"),
        Row(W.TERMINATING, WE.TERMINATE, W.TERMINATING, (),   (),              "ACT-11"),
    ),
)  # fmt: skip

H, HE = HandlerState, HandlerEvent
ABORT_BY_HANDLER = (HandlerEffect.ABORT_ATTEMPT,)

HANDLER: Final = Machine(
    name="handler",
    initial=H.PENDING,
    final={H.COMPLETED, H.FAILED, H.CANCELLED},
    closed_by="ACT-9",
    rows=(
        #   from          on           to            when  then              cites
        Row(H.PENDING,    HE.START,    H.RUNNING,    (),   (),               "ACT-9"),
        Row(H.RUNNING,    HE.COMPLETE, H.COMPLETED,  (),   (),               "ACT-9"),
        Row(H.RUNNING,    HE.FAIL,     H.FAILED,     (),   ABORT_BY_HANDLER, "ACT-9"),
        Row(H.PENDING,    HE.CANCEL,   H.CANCELLED,  (),   (),               "ACT-9 ACT-11"),
        Row(H.RUNNING,    HE.CANCEL,   H.CANCELLING, (),   (),               "ACT-9 ACT-11"),
        Row(H.CANCELLING, HE.COMPLETE, H.CANCELLED,  (),   (),               "ACT-9 ACT-16"),
        Row(H.CANCELLING, HE.FAIL,     H.CANCELLED,  (),   (),               "ACT-9 ACT-16"),
        Row(H.CANCELLING, HE.STOPPED,  H.CANCELLED,  (),   (),               "ACT-9 ACT-16"),
        Row(H.CANCELLING, HE.CANCEL,   H.CANCELLING, (),   (),               "ACT-11"),
    ),
)  # fmt: skip

T, TE = StreamState, StreamEvent

STREAM: Final = Machine(
    name="stream",
    initial=T.OPEN,
    final={T.CLOSED, T.ABORTED},
    closed_by="ACT-9",
    rows=(
        #   from       on        to         when  then  cites
        Row(T.OPEN,    TE.CLOSE, T.CLOSED,  (),   (),   "ACT-9"),
        Row(T.OPEN,    TE.ABORT, T.ABORTED, (),   (),   "ACT-9 ACT-11"),
        Row(T.CLOSED,  TE.ABORT, T.CLOSED,  (),   (),   "ACT-11"),
        Row(T.ABORTED, TE.CLOSE, T.ABORTED, (),   (),   "ACT-9"),
    ),
)  # fmt: skip
