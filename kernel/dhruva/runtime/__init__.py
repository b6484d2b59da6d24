"""The only place with asyncio, clocks, disks and threads: it takes inputs, calls `step`, commits, answers.

Nothing in here decides a change (SHL-1). The shell is given a step, and cannot import a rule.
These are the words of whoever runs something.
"""

from dhruva.runtime.api import Authority
from dhruva.runtime.bodies import Signal
from dhruva.runtime.child import ChildExited, ChildFailed
from dhruva.runtime.context import Context
from dhruva.runtime.errors import (
    AlreadyExecuting,
    CannotDelete,
    Circular,
    DependencyNotSatisfied,
    InvalidDependency,
    InvalidParent,
    InvalidTask,
    InvalidTransition,
    InvalidTree,
    NoExecutor,
    NotFound,
    TaskError,
    Unauthorized,
)
from dhruva.runtime.executions import TaskContext
from dhruva.runtime.handles import Handle
from dhruva.runtime.operate import Operator
from dhruva.runtime.outcomes import (
    Aborted,
    AttemptAborted,
    Failed,
    Held,
    NotAllowed,
    NotRun,
    OtherTerms,
    Rejected,
    ScopeKnown,
    Succeeded,
    WasParked,
    Withdrawn,
)
from dhruva.runtime.reading import reading
from dhruva.runtime.replay import replay
from dhruva.runtime.resources import Handler, Worker
from dhruva.runtime.scopes import Scope
from dhruva.runtime.store import StoreBusy, StoreError, StoreFull
from dhruva.runtime.streams import Stream, StreamAborted, StreamClosed
from dhruva.runtime.tasks import Page, Task
from dhruva.runtime.waits import Waits

__all__ = [
    "Aborted",
    "AlreadyExecuting",
    "AttemptAborted",
    "Authority",
    "CannotDelete",
    "ChildExited",
    "ChildFailed",
    "Circular",
    "Context",
    "DependencyNotSatisfied",
    "Failed",
    "Handle",
    "Handler",
    "Held",
    "InvalidDependency",
    "InvalidParent",
    "InvalidTask",
    "InvalidTransition",
    "InvalidTree",
    "NoExecutor",
    "NotAllowed",
    "NotFound",
    "NotRun",
    "Operator",
    "OtherTerms",
    "Page",
    "Rejected",
    "Scope",
    "ScopeKnown",
    "Signal",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "Stream",
    "StreamAborted",
    "StreamClosed",
    "Succeeded",
    "Task",
    "TaskContext",
    "TaskError",
    "Unauthorized",
    "Waits",
    "WasParked",
    "Withdrawn",
    "Worker",
    "reading",
    "replay",
]
