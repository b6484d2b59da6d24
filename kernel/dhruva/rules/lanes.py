"""Who waits, in which order (LIF-6, ACT-13): lanes of a scope, lists of an executor, scopes under the cap.

A line is a doubly linked list over Waiter cells. The Lanes cell of a scope knows first and last of each of
its lanes, an Executor cell those of its line; entering and leaving touch the neighbours and nothing else.
"""

from typing import Final, NamedTuple

from dhruva.cells import Executor, Follow, FollowUp, Key, Lanes, OwnerKind, Scope, Starved, Waiter
from dhruva.ids import ExecutorId, OwnerId, Priority, ScopeId, TaskId
from dhruva.machines.scope import ALIVE
from dhruva.machines.task import TaskEvent, TaskGuard
from dhruva.rules import keys, lists
from dhruva.walk import NOTHING, Walk, replaced

AT: Final = {Priority.URGENT: 0, Priority.HIGH: 2, Priority.NORMAL: 4, Priority.LOW: 6}
EMPTY: Final = Lanes(None, None, None, None, None, None, None, None)
NOBODY: Final = Executor(None, None)
BEFORE: Final = Waiter._fields.index("before")
BEHIND: Final = Waiter._fields.index("behind")
WAITING: Final = Scope._fields.index("waiting")
BEGIN: Final = Follow(0, None, None)
WAKE: Final = FollowUp.WAKE
START: Final = TaskEvent.START
OF_TASK: Final = OwnerKind.TASK
_new: Final = tuple.__new__  # see walk.py


class Head(NamedTuple):
    """Who goes next in a scope."""

    owner: OwnerId
    kind: OwnerKind
    priority: Priority


def wake(walk: Walk, scope: ScopeId) -> None:
    """What waits in this scope asks again."""
    _begin(walk, (keys.FOLLOW, WAKE, scope))


def wake_starved(walk: Walk) -> None:
    """Scopes that stand in line for the cap ask again."""
    _begin(walk, keys.follow(FollowUp.WAKE_STARVED))


def _begin(walk: Walk, key: Key) -> None:
    """A follow-up that is under way already is left where it stands."""
    if walk[key] is None:
        walk[key] = BEGIN


def head(walk: Walk, scope: ScopeId) -> Head | None:
    """The first of the most urgent lane in which someone waits."""
    lanes = walk[keys.LANES, scope]
    lane = None if lanes is None else _first_lane(walk, lanes)
    if lane is None:
        return None
    owner = lanes[AT[lane]]
    waiter = walk[keys.WAITER, owner]
    return None if waiter is None else _new(Head, (owner, waiter.kind, lane))


def ahead(walk: Walk, scope: ScopeId, priority: Priority) -> bool:
    """Whether someone waits who would be overtaken by a newcomer of this priority."""
    lanes = walk[keys.LANES, scope]
    lane = None if lanes is None else _first_lane(walk, lanes)
    return lane is not None and lane <= priority


def _first_lane(walk: Walk, lanes: Lanes) -> Priority | None:
    lane: Priority | None = walk.book.decide.first_lane(lambda lane: lanes[AT[lane]] is not None)
    return lane


def enter(walk: Walk, scope: ScopeId, owner: OwnerId, kind: OwnerKind, priority: Priority) -> None:
    """Wait at the end of the lane of this priority."""
    _join(walk, owner, _new(Waiter, (kind, scope, priority, None, None, None)))
    _count(walk, scope, 1)


def leave(walk: Walk, owner: OwnerId) -> bool:
    """Wait no longer, wherever it was. False: it waited nowhere."""
    waiter = walk[keys.WAITER, owner]
    if waiter is None:
        return False
    walk[keys.WAITER, owner] = None
    _part(walk, waiter)
    if waiter.executor is None:
        _count(walk, waiter.scope, -1)
    return True


def await_executor(walk: Walk, task: OwnerId, executor: ExecutorId) -> None:
    """The task leaves its lane until someone registers its executor (LIF-3)."""
    waiter = walk[keys.WAITER, task]
    if waiter is not None:
        leave(walk, task)
        _join(walk, task, waiter._replace(executor=executor, before=None, behind=None))


def _line(waiter: Waiter) -> tuple[Key, int, Lanes | Executor]:
    """The line of a waiter: the cell that knows its ends, where these stand in it, and it without anyone."""
    if waiter.executor is None:
        return (keys.LANES, waiter.scope), AT[waiter.priority], EMPTY
    return (keys.EXECUTOR, waiter.executor), 0, NOBODY


def _join(walk: Walk, owner: OwnerId, waiter: Waiter) -> None:
    """Behind the last of its line."""
    key, at, empty = _line(waiter)
    ends = walk[key] or empty
    last = ends[at + 1]
    if last is None:
        ends = replaced(ends, at, owner)
    else:
        lists.link(walk, (keys.WAITER, last), BEHIND, owner)
    walk[keys.WAITER, owner] = replaced(waiter, BEFORE, last)
    walk[key] = replaced(ends, at + 1, owner)


def _part(walk: Walk, waiter: Waiter) -> None:
    """Out of its line; a cell that knows of nobody any more is gone."""
    lists.part(walk, keys.WAITER, waiter, BEFORE, BEHIND)
    before, behind = waiter.before, waiter.behind
    key, at, empty = _line(waiter)
    ends = walk[key] or empty
    if before is None:
        ends = replaced(ends, at, behind)
    if behind is None:
        ends = replaced(ends, at + 1, before)
    alone = before is None and behind is None
    walk[key] = None if alone and ends == empty else ends


NOT_ITS_OWN: Final = frozenset({TaskGuard.EXECUTOR, TaskGuard.AUTHORIZED})
"""What a task that is ready may still lack to start: its table asks for these last."""


def ready(walk: Walk, task: TaskId) -> None:
    """A task that lacks nothing of its own to start waits in its lane (LIF-3, LIF-6)."""
    lacks = walk.allows("task", (keys.TASK, task), START, NOTHING)
    if lacks is not None and lacks.because not in NOT_ITS_OWN:
        return
    spec = walk[keys.SPEC, task]
    if spec is None or walk[keys.WAITER, task] is not None:
        return
    scope = walk[keys.SCOPE, spec.scope]
    if scope is not None and scope.state in ALIVE:
        enter(walk, spec.scope, task, OF_TASK, spec.priority)
        wake(walk, spec.scope)


def starve(walk: Walk, scope: ScopeId) -> None:
    """The cap keeps this scope waiting: it stands in line for the next slot."""
    cap = walk[keys.CAP]
    if cap is None or walk[keys.STARVED, scope] is not None:
        return
    walk[keys.STARVED, scope] = Starved(None)
    if cap.last is None:
        walk[keys.CAP] = cap._replace(first=scope, last=scope)
        return
    walk[keys.STARVED, cap.last] = Starved(scope)
    walk[keys.CAP] = cap._replace(last=scope)


def feed(walk: Walk) -> bool:
    """The first scope in line for the cap is woken. False: nobody stands in line, or nothing is free."""
    cap = walk[keys.CAP]
    if cap is None or cap.first is None or cap.active >= cap.limit:
        return False
    starved = walk[keys.STARVED, cap.first]
    behind = None if starved is None else starved.behind
    walk[keys.STARVED, cap.first] = None
    walk[keys.CAP] = cap._replace(first=behind, last=None if behind is None else cap.last)
    wake(walk, cap.first)
    return True


def _count(walk: Walk, scope: ScopeId, by: int) -> None:
    key = (keys.SCOPE, scope)
    cell = walk[key]
    if cell is not None:
        walk[key] = replaced(cell, WAITING, cell.waiting + by)
