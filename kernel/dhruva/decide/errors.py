"""The error codes that callers see, and which refusal is which (LIF-18)."""

from enum import IntEnum

from dhruva.ids import TaskStatus


class ErrorCode(IntEnum):
    NOT_FOUND = -32001
    CIRCULAR = -32002
    NO_EXECUTOR = -32003
    UNAUTHORIZED = -32004
    INVALID_TASK = -32005
    INVALID_TRANSITION = -32006
    DEPENDENCY_NOT_SATISFIED = -32007
    ALREADY_EXECUTING = -32008
    CANNOT_DELETE = -32009
    INVALID_PARENT = -32010
    INVALID_DEPENDENCY = -32011
    INVALID_TREE = -32012


def reexecution_refused(status: TaskStatus | None, attempt_alive: bool) -> ErrorCode:
    """The code for a re-execution that was refused (LIF-8, LIF-9)."""
    if status is None:
        return ErrorCode.NOT_FOUND
    if attempt_alive or status == TaskStatus.IN_PROGRESS:
        return ErrorCode.ALREADY_EXECUTING
    return ErrorCode.INVALID_TRANSITION


def may_delete(status: TaskStatus, attempt_alive: bool, children: int, dependents: int) -> bool:
    """Delete: pending or ended, no attempt alive, no children, no dependents; else -32009 (LIF-20)."""
    return status != TaskStatus.IN_PROGRESS and not attempt_alive and children == 0 and dependents == 0
