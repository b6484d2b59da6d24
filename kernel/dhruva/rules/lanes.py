"""Who waits, in which order (LIF-6, ACT-13): lanes of a scope, lists of an executor, scopes under the cap.

A lane is a doubly linked list over Waiter cells; the scope's Lanes cell knows first and last of each.
Entering and leaving touch the neighbours and nothing else, however long the lane is.
"""

from typing import Final, NamedTuple

from dhruva.cells import Executor, Follow, FollowUp, Key, Lanes, OwnerKind, Starved, Waiter
from dhruva.ids import ExecutorId, OwnerId, Priority, ScopeId, TaskId, TaskStatus
from dhruva.machines.scope import ALIVE
from dhruva.rules import keys
from dhruva.walk import Walk

EMPTY: Final = Lanes(None, None, None, None, None, None, None, None)
AT: Final = {Priority.URGENT: 0, Priority.HIGH: 2, Priority.NORMAL: 4, Priority.LOW: 6}
BEGIN: Final = Follow(0, None, None)


class Head(NamedTuple):
    """Who goes next in a scope."""

    owner: OwnerId
    kind: OwnerKind
    priority: Priority


def _lanes(scope: ScopeId) -> Key:
    return (keys.LANES, scope)


def _executor(executor: ExecutorId) -> Key:
    return (keys.EXECUTOR, executor)


def wake(walk: Walk, scope: ScopeId) -> None:
    """What waits in this scope asks again."""
    _begin(walk, keys.follow(FollowUp.WAKE, scope))


def wake_starved(walk: Walk) -> None:
    """Scopes that stand in line for the cap ask again."""
    _begin(walk, keys.follow(FollowUp.WAKE_STARVED))


def _begin(walk: Walk, key: Key) -> None:
    """A follow-up that is under way already is left where it stands."""
    if walk.get(key) is None:
        walk.put(key, BEGIN)


def head(walk: Walk, scope: ScopeId) -> Head | None:
    """The first of the most urgent lane in which someone waits."""
    lanes = walk.get(_lanes(scope))
    if lanes is None:
        return None
    priority = walk.book.decide.first_lane(*(lanes[at] is not None for at in AT.values()))
    if priority is None:
        return None
    owner = lanes[AT[priority]]
    waiter = walk.get(keys.waiter(owner))
    return None if waiter is None else Head(owner, waiter.kind, priority)


def ahead(walk: Walk, scope: ScopeId, priority: Priority) -> bool:
    """Whether someone waits who would be overtaken by a newcomer of this priority."""
    first = head(walk, scope)
    return first is not None and first.priority <= priority


def enter(walk: Walk, scope: ScopeId, owner: OwnerId, kind: OwnerKind, priority: Priority) -> None:
    """Wait at the end of the lane of this priority."""
    lanes = walk.get(_lanes(scope)) or EMPTY
    at = AT[priority]
    last = lanes[at + 1]
    walk.put(keys.waiter(owner), Waiter(kind, scope, priority, None, last, None))
    _link(walk, last, behind=owner)
    first = owner if last is None else lanes[at]
    walk.put(_lanes(scope), Lanes._make((*lanes[:at], first, owner, *lanes[at + 2 :])))
    _count(walk, scope, 1)


def leave(walk: Walk, owner: OwnerId) -> bool:
    """Wait no longer, wherever it was. False: it waited nowhere."""
    waiter = walk.get(keys.waiter(owner))
    if waiter is None:
        return False
    walk.put(keys.waiter(owner), None)
    _link(walk, waiter.before, behind=waiter.behind)
    _link(walk, waiter.behind, before=waiter.before)
    if waiter.executor is not None:
        _leave_executor(walk, waiter, owner)
        return True
    lanes = walk.get(_lanes(waiter.scope)) or EMPTY
    at = AT[waiter.priority]
    first = waiter.behind if lanes[at] == owner else lanes[at]
    last = waiter.before if lanes[at + 1] == owner else lanes[at + 1]
    left = Lanes._make((*lanes[:at], first, last, *lanes[at + 2 :]))
    walk.put(_lanes(waiter.scope), None if left == EMPTY else left)
    _count(walk, waiter.scope, -1)
    return True


def await_executor(walk: Walk, task: OwnerId, executor: ExecutorId) -> None:
    """The task leaves its lane until someone registers its executor (LIF-3)."""
    waiter = walk.get(keys.waiter(task))
    if waiter is None:
        return
    leave(walk, task)
    waiting = walk.get(_executor(executor)) or Executor(None, None)
    walk.put(keys.waiter(task), waiter._replace(executor=executor, before=waiting.last, behind=None))
    _link(walk, waiting.last, behind=task)
    first = task if waiting.first is None else waiting.first
    walk.put(_executor(executor), Executor(first, task))


def ready(walk: Walk, task: TaskId) -> None:
    """A pending task that nothing keeps from starting waits in its lane (LIF-3, LIF-6)."""
    cell, spec = walk.get(keys.task(task)), walk.get(keys.spec(task))
    if cell is None or spec is None or cell.status != TaskStatus.PENDING:
        return
    if cell.unmet != 0 or not cell.due or walk.get(keys.waiter(task)) is not None:
        return
    scope = walk.get(keys.scope(spec.scope))
    if scope is not None and scope.state in ALIVE:
        enter(walk, spec.scope, task, OwnerKind.TASK, spec.priority)
        wake(walk, spec.scope)


def starve(walk: Walk, scope: ScopeId) -> None:
    """The cap keeps this scope waiting: it stands in line for the next slot."""
    cap = walk.get(keys.CAP)
    if cap is None or walk.get((keys.STARVED, scope)) is not None:
        return
    walk.put((keys.STARVED, scope), Starved(None))
    if cap.last is None:
        walk.put(keys.CAP, cap._replace(first=scope, last=scope))
        return
    walk.put((keys.STARVED, cap.last), Starved(scope))
    walk.put(keys.CAP, cap._replace(last=scope))


def feed(walk: Walk) -> bool:
    """The first scope in line for the cap is woken. False: nobody stands in line, or nothing is free."""
    cap = walk.get(keys.CAP)
    if cap is None or cap.first is None or cap.active >= cap.limit:
        return False
    starved = walk.get((keys.STARVED, cap.first))
    behind = None if starved is None else starved.behind
    walk.put((keys.STARVED, cap.first), None)
    walk.put(keys.CAP, cap._replace(first=behind, last=None if behind is None else cap.last))
    wake(walk, cap.first)
    return True


def _link(walk: Walk, owner: OwnerId | None, **ends: OwnerId | None) -> None:
    """The neighbour, if there is one, has another before or behind it."""
    cell = None if owner is None else walk.get((keys.WAITER, owner))
    if cell is not None:
        walk.put((keys.WAITER, owner), cell._replace(**ends))


def _leave_executor(walk: Walk, waiter: Waiter, owner: OwnerId) -> None:
    assert waiter.executor is not None
    waiting = walk.get(_executor(waiter.executor)) or Executor(None, None)
    first = waiter.behind if waiting.first == owner else waiting.first
    last = waiter.before if waiting.last == owner else waiting.last
    walk.put(_executor(waiter.executor), None if first is None else Executor(first, last))


def _count(walk: Walk, scope: ScopeId, by: int) -> None:
    cell = walk.get(keys.scope(scope))
    if cell is not None:
        walk.put(keys.scope(scope), cell._replace(waiting=cell.waiting + by))
