"""Inputs of tasks (LIF)."""

from typing import Any, NamedTuple

from dhruva.ids import ExecutorId, Priority, ScopeId, TaskId


class CreateTask(NamedTuple):
    """A new task. It waits for as many links as it has dependencies; each Depend brings one."""

    task: TaskId
    scope: ScopeId
    executor: ExecutorId
    priority: Priority = Priority.NORMAL
    parent: TaskId | None = None
    dependencies: int = 0
    max_attempts: int = 1
    retry_on_timeout: bool = False
    budget: int = 0
    max_depth: int = 0


class Depend(NamedTuple):
    """One dependency of a task that was just created."""

    task: TaskId
    on: TaskId
    required: bool = True


class Cancel(NamedTuple):
    task: TaskId


class Due(NamedTuple):
    """The timer of a retry went off."""

    task: TaskId
    run: int
    tries: int


class Register(NamedTuple):
    """An executor of this name is there now: tasks that waited for it come back to their lanes."""

    executor: ExecutorId


class Recall(NamedTuple):
    """First pass of a re-execution: the dependents of this task count it as unmet again (LIF-10)."""

    task: TaskId
    after: tuple[Any, ...] | None


class Reset(NamedTuple):
    """Second pass of the walk: this ended task is opened for a new run (LIF-9)."""

    task: TaskId
    after: tuple[Any, ...] | None


class Unlink(NamedTuple):
    """Before a delete: the task is no longer the n-th dependent of that one."""

    task: TaskId
    on: TaskId
    number: int


class Delete(NamedTuple):
    task: TaskId
