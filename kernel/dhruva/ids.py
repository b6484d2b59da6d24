"""The names of things: one type per kind, compared with == and used for nothing else.

Ids are integers from one growing supply, so that a task and a one-off request never
share one, and a store keeps its rows in the order of creation. The UUID that people
see is kept beside the record (LIF-17). Where there is nothing to name, there is None.
"""

from enum import IntEnum, StrEnum
from typing import Final, NamedTuple, NewType

ScopeId = NewType("ScopeId", int)
OwnerId = NewType("OwnerId", int)  # what an attempt belongs to: a task, or a one-off request
TaskId = NewType("TaskId", OwnerId)
RequestId = NewType("RequestId", OwnerId)
ProcessId = NewType("ProcessId", int)  # a process that serves a store, named for life; not the system's pid
TargetId = NewType("TargetId", int)
InstanceId = NewType("InstanceId", int)
ExecutorId = NewType("ExecutorId", int)  # the name under which an executor is registered
ParkedId = NewType("ParkedId", int)
SignalName = NewType("SignalName", int)
SignalId = NewType("SignalId", int)
UserId = NewType("UserId", int)
Nonce = NewType("Nonce", int)
WaitToken = NewType("WaitToken", int)
Version = NewType("Version", int)


class Ref(NamedTuple):
    """One attempt, named for ever (ACT-8). The number grows over the owner's life and never restarts."""

    owner: OwnerId
    run: int
    number: int


class Priority(IntEnum):
    """One scale for tasks and queued requests (LIF-6). Lower goes first."""

    URGENT = 0
    HIGH = 1
    NORMAL = 2
    LOW = 3


class TaskStatus(StrEnum):
    """The status of a task (LIF-1). It stands here because two machines share it: task and reexecution."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED: Final = frozenset({TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED})
