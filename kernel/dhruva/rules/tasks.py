"""Inputs of tasks: creation, links, cancel, timers, re-execution, delete (LIF)."""

from typing import Final

from dhruva.cells import Follow, FollowUp, Link, Spec, Task
from dhruva.ids import TaskId, TaskStatus
from dhruva.inputs import Cancel, CreateTask, Delete, Depend, Due, Recall, Register, Reset, Unlink
from dhruva.machines.reexecution import ReexecutionEvent, ReexecutionGuard
from dhruva.machines.scope import ALIVE
from dhruva.machines.task import TaskEvent
from dhruva.rules import keys, lanes
from dhruva.table import Refused
from dhruva.walk import ABSENT, NOTHING, Rule, Walk


def _refused(walk: Walk, task: TaskId, event: str, rule: str, because: str) -> Refused:
    cell = walk[keys.TASK, task]
    return Refused("task", cell and cell.status, event, rule, because)


def create(walk: Walk, given: CreateTask) -> Refused | None:
    """Pending, with as many unmet dependencies as it declares; each Depend settles one (LIF-3)."""
    if walk[keys.TASK, given.task] is not None:
        return _refused(walk, given.task, "create", "LIF-17", "known_id")
    if given.max_attempts < 1 or given.dependencies < 0:
        return _refused(walk, given.task, "create", "LIF-17", "field")
    scope = walk[keys.SCOPE, given.scope]
    if scope is None or scope.state not in ALIVE:
        return _refused(walk, given.task, "create", "ACT-2", ABSENT if scope is None else scope.state)
    if given.parent is not None:
        parent = walk[keys.TASK, given.parent]
        if parent is None:
            return _refused(walk, given.task, "create", "LIF-17", "parent")
        walk[keys.TASK, given.parent] = parent._replace(children=parent.children + 1)
    walk[keys.SPEC, given.task] = Spec(
        given.scope,
        given.priority,
        given.executor,
        given.parent,
        given.max_attempts,
        given.retry_on_timeout,
        given.dependencies,
        given.budget,
        given.max_depth,
    )
    walk.create(
        "task",
        keys.task(given.task),
        Task(TaskStatus.PENDING, 1, 0, 0, given.dependencies, True, False, 0, 0, 0, 0),
    )
    lanes.ready(walk, given.task)
    return None


def depend(walk: Walk, given: Depend) -> Refused | None:
    """The next link of a new task. A dependency that is being reset satisfies nothing (LIF-4, LIF-10)."""
    task, spec, on = (
        walk[keys.TASK, given.task],
        walk[keys.SPEC, given.task],
        walk[keys.TASK, given.on],
    )
    if task is None or spec is None or on is None or given.task == given.on:
        return _refused(walk, given.task, "depend", "LIF-17", "dependency")
    if task.dependencies >= spec.dependencies or task.number > 0 or task.status != TaskStatus.PENDING:
        return _refused(walk, given.task, "depend", "LIF-17", "declared")
    resetting = walk[keys.follow(FollowUp.RESET, given.on)] is not None
    met = not resetting and bool(walk.book.decide.satisfied(on.status, given.required, on.alive))
    walk[keys.LINK, given.on, on.links + 1] = Link(given.task, given.required, met)
    walk[keys.TASK, given.on] = on._replace(links=on.links + 1, dependents=on.dependents + 1)
    unmet = task.unmet - 1 if met else task.unmet
    walk[keys.TASK, given.task] = task._replace(dependencies=task.dependencies + 1, unmet=unmet)
    lanes.ready(walk, given.task)
    return None


def cancel(walk: Walk, given: Cancel) -> Refused | None:
    return walk.fire("task", keys.task(given.task), TaskEvent.CANCEL, NOTHING)


def due(walk: Walk, given: Due) -> Refused | None:
    """The timer of this very retry; any other is stale (LIF-14)."""
    task = walk[keys.TASK, given.task]
    if task is None:
        return _refused(walk, given.task, "due", "LIF-14", ABSENT)
    if task.due or task.status != TaskStatus.PENDING or task.run != given.run or task.tries != given.tries:
        return _refused(walk, given.task, "due", "LIF-14", "stale")
    walk[keys.TASK, given.task] = task._replace(due=True)
    lanes.ready(walk, given.task)
    return None


def register(walk: Walk, given: Register) -> Refused | None:
    """Tasks that waited for this executor come back to their lanes, one by one (LIF-3)."""
    if walk[keys.EXECUTOR, given.executor] is None:
        return Refused("follow-up", None, FollowUp.RETURN, "LIF-3", ABSENT)
    walk[keys.follow(FollowUp.RETURN, given.executor)] = lanes.BEGIN
    return None


def recall(walk: Walk, given: Recall) -> Refused | None:
    key = keys.follow(FollowUp.RECALL, given.task)
    if walk[keys.TASK, given.task] is None:
        return _refused(walk, given.task, "recall", "LIF-10", ABSENT)
    if walk[key] is not None:
        return _refused(walk, given.task, "recall", "LIF-10", "resetting")
    walk[key] = Follow(1, None, given.after)
    return None


def reset(walk: Walk, given: Reset) -> Refused | None:
    """Accepted when the task may be re-executed now; done as the walk gets there (LIF-9, LIF-10).

    That a body still runs is said before anything else (LIF-8).
    """
    key = keys.follow(FollowUp.RESET, given.task)
    task = walk[keys.TASK, given.task]
    if task is not None and task.alive:
        because = ReexecutionGuard.NO_ATTEMPT
        return Refused("reexecution", task.status, ReexecutionEvent.REEXECUTE, "LIF-8", because)
    refused = walk.allows("reexecution", keys.task(given.task), ReexecutionEvent.REEXECUTE, NOTHING)
    if refused is not None:
        return refused
    if walk[key] is not None:
        return _refused(walk, given.task, ReexecutionEvent.REEXECUTE, "LIF-10", "resetting")
    walk[key] = Follow(0, None, given.after)
    return None


def unlink(walk: Walk, given: Unlink) -> Refused | None:
    """The task will not start any more: what this link had met is unmet, and only its delete can follow."""
    key = (keys.LINK, given.on, given.number)
    link, task, on = walk[key], walk[keys.TASK, given.task], walk[keys.TASK, given.on]
    if link is None or task is None or on is None or link.dependent != given.task:
        return _refused(walk, given.task, "unlink", "LIF-20", "dependency")
    if not walk.book.decide.may_delete(task.status, task.alive, task.children, task.dependents):
        return _refused(walk, given.task, "unlink", "LIF-20", "cannot_delete")
    walk[key] = None
    walk[keys.TASK, given.on] = on._replace(dependents=on.dependents - 1)
    unmet = task.unmet + 1 if link.met else task.unmet
    walk[keys.TASK, given.task] = task._replace(dependencies=task.dependencies - 1, unmet=unmet)
    lanes.leave(walk, given.task)
    return None


def delete(walk: Walk, given: Delete) -> Refused | None:
    """Pending or ended, nothing of it alive, nothing below, after or before it (LIF-20)."""
    task, spec = walk[keys.TASK, given.task], walk[keys.SPEC, given.task]
    if task is None or spec is None:
        return _refused(walk, given.task, "delete", "LIF-20", ABSENT)
    resetting = walk[keys.follow(FollowUp.RESET, given.task)] is not None
    watched = walk[keys.WATCH, given.task] is not None
    may = walk.book.decide.may_delete(task.status, task.alive, task.children, task.dependents)
    if not may or resetting or watched or task.dependencies > 0:
        return _refused(walk, given.task, "delete", "LIF-20", "cannot_delete")
    lanes.leave(walk, given.task)
    if spec.parent is not None:
        parent = walk[keys.TASK, spec.parent]
        if parent is not None:
            walk[keys.TASK, spec.parent] = parent._replace(children=parent.children - 1)
    for key in (keys.task(given.task), keys.spec(given.task), (keys.DISPATCH, given.task)):
        walk[key] = None
    return None


RULES: Final[dict[type, Rule]] = {
    CreateTask: create,
    Depend: depend,
    Cancel: cancel,
    Due: due,
    Register: register,
    Recall: recall,
    Reset: reset,
    Unlink: unlink,
    Delete: delete,
}
