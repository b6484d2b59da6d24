"""What each `Do` of the wiring does: one mapping, total over `Does` (tested).

A deed is given the cell as it stands after its own move. It changes counters, links and follow-ups,
or hands an effect to the outside; it fires nothing. This page: activation and tasks.
"""

from typing import Any, Final

from dhruva.cells import Again, Ending, FollowUp, Key, OwnerKind, Task
from dhruva.decide.fields import FIELD_ACTIONS
from dhruva.effects import AbortSignal, EndResource, FieldChange, Rejected, Timer
from dhruva.ids import ENDED, Ref, TaskStatus
from dhruva.machines.attempt import AttemptState
from dhruva.machines.reexecution import ReexecutionEvent
from dhruva.machines.task import TaskEvent
from dhruva.rules import authority, carriers, flows, keys, lanes, locks, outcome
from dhruva.table import Refused
from dhruva.walk import Given, Walk, Wired, replaced
from dhruva.wiring import Does

OF_TASK: Final = OwnerKind.TASK
OF_REQUEST: Final = OwnerKind.REQUEST
SUCCEEDED: Final = AttemptState.SUCCEEDED
TELL: Final = FollowUp.TELL
ALIVE: Final = Task._fields.index("alive")
_new: Final = tuple.__new__  # see walk.py


def wake(walk: Walk, key: Key, scope: Any, _given: Given) -> None:
    if scope.waiting > 0:
        lanes.wake(walk, key[1])


def abort_each(walk: Walk, key: Key, scope: Any, _given: Given) -> None:
    if scope.newest is not None:
        walk[keys.follow(FollowUp.ABORT_EACH, key[1])] = lanes.BEGIN._replace(ref=scope.newest)


def reject_queued(walk: Walk, key: Key, scope: Any, _given: Given) -> None:
    if scope.waiting > 0:
        walk[keys.follow(FollowUp.REJECT_QUEUED, key[1])] = lanes.BEGIN


def commit(walk: Walk, key: Key, cell: Any, given: Given) -> Refused | None:
    """A request commits under the number that it asked with, a task under its next one (ACT-8)."""
    if key[0] == keys.REQUEST:
        ref = _new(Ref, (key[1], 1, cell.number))
        return authority.commit(walk, ref, OF_REQUEST, cell.scope, cell.process, cell.priority)
    spec = walk[keys.SPEC, key[1]]
    if spec is None or given.process is None:
        return Refused("task", cell.status, TaskEvent.START, "LIF-3", "absent")
    lanes.leave(walk, key[1])
    status, run, number, tries, unmet, due, _, *links = cell
    ref = _new(Ref, (key[1], run, number + 1))
    walk[key] = _new(Task, (status, run, number + 1, tries + 1, unmet, due, True, *links))
    return authority.commit(walk, ref, OF_TASK, spec.scope, given.process, spec.priority)


def leave_queue(walk: Walk, key: Key, request: Any, _given: Given) -> None:
    """One that never waited was never counted."""
    home = (keys.SCOPE, request.scope)
    scope = walk[home]
    if scope is not None and scope.queued > 0 and lanes.leave(walk, key[1]):
        left = walk[home]
        walk[home] = left._replace(queued=left.queued - 1, live=left.live - 1)


def tell_caller(walk: Walk, key: Key, _request: Any, given: Given) -> None:
    if given.verdict is not None:
        walk.effect(Rejected(key[1], given.verdict))


def signal_abort(walk: Walk, key: Key, attempt: Any, given: Given) -> None:
    if given.reason is not None:
        walk[key] = attempt._replace(reason=given.reason)
        walk.effect(AbortSignal(key[1], given.reason))


def free_slot(walk: Walk, _key: Key, attempt: Any, _given: Given) -> None:
    authority.free(walk, attempt)


def end_resources(walk: Walk, key: Key, attempt: Any, given: Given) -> None:
    if attempt.resources > 0 or attempt.spawn > 0:
        begin = 1 if attempt.spawn == 0 else keys.FIRST_CARRIER
        ending = Ending(begin, attempt.resources, attempt.spawn, given.gone)
        walk[keys.follow(FollowUp.END_RESOURCES, key[1])] = ending


def body_ended(walk: Walk, key: Key, attempt: Any, _given: Given) -> None:
    if attempt.kind == OF_TASK:
        owner = (keys.TASK, key[1].owner)
        task = walk[owner]
        if task is not None:
            walk[owner] = replaced(task, ALIVE, False)


def tell_if_ended(walk: Walk, key: Key, cell: Any, _given: Given) -> None:
    """Dependents are told once the task has ended and no attempt of it is alive (LIF-19)."""
    of_attempt = key[0] == keys.ATTEMPT
    if of_attempt and cell.kind != OF_TASK:
        return
    task_id = key[1].owner if of_attempt else key[1]
    task = walk[keys.TASK, task_id]
    if task is None or task.alive or task.status not in ENDED:
        return
    if task.links > 0 or walk[keys.WATCH, task_id] is not None:
        walk[keys.FOLLOW, TELL, task_id] = lanes.BEGIN


def ask_again(walk: Walk, key: Key, attempt: Any, given: Given) -> None:
    """A one-off request that failed and has a retry left, unless its process is gone (ACT-10)."""
    if attempt.kind == OF_TASK or attempt.state == SUCCEEDED or given.gone:
        return
    rules = walk[keys.POLICY, attempt.scope]
    if rules is None:
        return
    ref: Ref = key[1]
    settled = outcome.settled(walk, attempt, TaskStatus.IN_PROGRESS, given, rules.retry_on_timeout)
    may = settled.retry and settled.counts_try
    if may and walk.book.decide.tries_left(ref.number, 1 + rules.retry):
        again = Again(attempt.scope, attempt.process, attempt.priority, ref.number + 1)
        walk[keys.follow(FollowUp.ASK_AGAIN, ref.owner)] = again


def leave_lane(walk: Walk, key: Key, _task: Any, _given: Given) -> None:
    lanes.leave(walk, key[1])


def take_back_try(walk: Walk, key: Key, task: Any, given: Given) -> None:
    if not given.counts_try:
        walk[key] = task._replace(tries=task.tries - 1)


def timer(walk: Walk, key: Key, task: Any, given: Given) -> None:
    walk[key] = task._replace(due=False)
    if given.counts_try:
        walk.effect(Timer(key[1], task.run, task.tries))
    else:
        walk[keys.follow(FollowUp.READY, key[1])] = lanes.BEGIN._replace(cursor=task.number)


BY_STATUS: Final = {
    TaskStatus.PENDING: FIELD_ACTIONS[TaskEvent.RETRY],
    TaskStatus.IN_PROGRESS: FIELD_ACTIONS[TaskEvent.START],
    TaskStatus.COMPLETED: FIELD_ACTIONS[TaskEvent.SUCCEED],
    TaskStatus.FAILED: FIELD_ACTIONS[TaskEvent.FAIL],
    TaskStatus.CANCELLED: FIELD_ACTIONS[TaskEvent.CANCEL],
}
assert FIELD_ACTIONS[TaskEvent.RETRY] == FIELD_ACTIONS[ReexecutionEvent.REEXECUTE]


def fields(walk: Walk, key: Key, task: Any, given: Given) -> None:
    """The status that was entered tells the transition; a retry and a re-execution do the same (LIF-2)."""
    walk.payload(_new(FieldChange, (key[1], BY_STATUS[task.status], given.failure)))


def new_run(walk: Walk, key: Key, task: Any, _given: Given) -> None:
    walk[key] = task._replace(run=task.run + 1, tries=0, due=True)
    lanes.ready(walk, key[1])


def ask_to_end(walk: Walk, key: Key, _resource: Any, _given: Given) -> None:
    walk.effect(EndResource(key[1], key[2]))


def resource_ended(walk: Walk, _key: Key, resource: Any, _given: Given) -> None:
    scope = walk[keys.SCOPE, resource.scope]
    if scope is not None:
        walk[keys.SCOPE, resource.scope] = scope._replace(live=scope.live - 1)


DEEDS: Final[dict[Does, Wired]] = {
    Does.WAKE: wake,
    Does.ABORT_EACH: abort_each,
    Does.REJECT_QUEUED: reject_queued,
    Does.COMMIT: commit,
    Does.LEAVE_QUEUE: leave_queue,
    Does.TELL_CALLER: tell_caller,
    Does.SIGNAL_ABORT: signal_abort,
    Does.FREE_SLOT: free_slot,
    Does.END_RESOURCES: end_resources,
    Does.BODY_ENDED: body_ended,
    Does.TELL_IF_ENDED: tell_if_ended,
    Does.ASK_AGAIN: ask_again,
    Does.LEAVE_LANE: leave_lane,
    Does.TAKE_BACK_TRY: take_back_try,
    Does.TIMER: timer,
    Does.FIELDS: fields,
    Does.NEW_RUN: new_run,
    Does.ASK_TO_END: ask_to_end,
    Does.RESOURCE_ENDED: resource_ended,
    **carriers.DEEDS,
    **locks.DEEDS,
    **flows.DEEDS,
}
