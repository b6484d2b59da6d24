"""Claims that several models make, each stated once, over the cells of a cast.

A claim says what a requirement says, in terms of cells; it looks nothing up in a table or a decision.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from dhruva.cells import Change, FollowUp, Kind, Read
from dhruva.explore import Model
from dhruva.ids import Ref, ScopeId, TaskId

CAN_EXECUTE = ("ATTACHED", "RUNNING")
ALIVE = ("INIT", "ATTACHED", "RUNNING", "SUSPENDED")
ENDED = ("completed", "failed", "cancelled")
SUPPLY = 1_000_000  # longer than any list in a model


class Cast(NamedTuple):
    """All that can exist in a model."""

    scopes: tuple[int, ...] = ()
    tasks: tuple[int, ...] = ()
    requests: tuple[int, ...] = ()
    numbers: int = 1  # attempts per owner, at most
    runs: int = 1
    resources: int = 0  # per attempt, at most

    @property
    def refs(self) -> tuple[Ref, ...]:
        owners = (*self.tasks, *self.requests)
        return tuple(
            Ref(owner, run + 1, number + 1)  # type: ignore[arg-type]
            for owner in owners
            for run in range(self.runs)
            for number in range(self.numbers)
        )


def attempts(read: Read, cast: Cast, scope: int) -> list[Ref]:
    found = ((ref, read((Kind.ATTEMPT, ref))) for ref in cast.refs)
    return [ref for ref, attempt in found if attempt is not None and attempt.scope == scope]


def resources(read: Read, cast: Cast, scope: int) -> int:
    cells = (read((Kind.RESOURCE, ref, n + 1)) for ref in cast.refs for n in range(cast.resources))
    return sum(1 for cell in cells if cell is not None and cell.scope == scope)


def queued(read: Read, cast: Cast, scope: int) -> int:
    cells = (read((Kind.REQUEST, request)) for request in cast.requests)
    return sum(1 for cell in cells if cell is not None and cell.scope == scope)


def waiters(read: Read, cast: Cast, scope: int) -> list[int]:
    """Who waits in the lanes of a scope."""
    found = ((owner, read((Kind.WAITER, owner))) for owner in (*cast.tasks, *cast.requests))
    return [o for o, cell in found if cell is not None and cell.scope == scope and cell.executor is None]


def lane(read: Read, scope: int, at: int) -> list[int] | None:
    """The lane whose ends stand at `at` of the Lanes cell, front to back; None if its links do not fit."""
    lanes = read((Kind.LANES, scope))
    if lanes is None:
        return []
    owner, last, before = lanes[at], lanes[at + 1], None
    line: list[int] = []
    while owner is not None and len(line) < SUPPLY:
        cell = read((Kind.WAITER, owner))
        if cell is None or cell.before != before or cell.scope != scope or int(cell.priority) * 2 != at:
            return None
        line.append(owner)
        before, owner = owner, cell.behind
    return line if before == last else None


def of_scopes(m: Model, cast: Cast) -> None:
    """Slots, live, drained, lanes (ACT)."""

    def each(holds: Any) -> Any:
        return lambda read: all(
            holds(read, s, cell) for s in cast.scopes if (cell := read((Kind.SCOPE, s))) is not None
        )

    m.always(
        "slots are attempts",
        each(lambda read, s, scope: scope.active == len(attempts(read, cast, s))),
        "a slot is held exactly while an attempt is running or aborting",
        cites="ACT-16b ACT-2d",
    )
    m.always(
        "slots within the limit",
        each(lambda read, s, scope: scope.active <= read((Kind.POLICY, s)).max_concurrent),
        "no more slots are held than the scope may have",
        cites="ACT-2 ACT-13a LIF-7",
    )
    m.sometimes(
        "the limit is reached",
        lambda read: any(
            (c := read((Kind.SCOPE, s))) is not None and c.active == read((Kind.POLICY, s)).max_concurrent
            for s in cast.scopes
        ),
        "every slot of a scope is held",
    )
    m.always(
        "live counts the living",
        each(
            lambda read, s, scope: scope.live
            == len(attempts(read, cast, s)) + resources(read, cast, s) + queued(read, cast, s)
        ),
        "`live` is the number of attempts, resources and queued requests that have not ended",
        cites="ACT-11 ACT-16",
    )
    m.always(
        "disposed means nothing alive",
        each(lambda read, s, scope: scope.state != "DISPOSED" or (scope.live == 0 and scope.active == 0)),
        "once a scope is DISPOSED, nothing of it is alive and no slot is held",
        cites="ACT-5 ACT-11",
    )
    m.always(
        "disposing has something to wait for",
        each(lambda read, s, scope: scope.state != "DISPOSING" or scope.live > 0),
        "a scope of which nothing lives is DISPOSED in the step that saw the last of it end",
        cites="ACT-11",
    )
    m.sometimes(
        "a scope is disposed",
        lambda read: any((c := read((Kind.SCOPE, s))) and c.state == "DISPOSED" for s in cast.scopes),
        "dispose comes to its end",
    )


def of_lanes(m: Model, cast: Cast) -> None:
    """Order is cells, and nobody who waits is lost (LIF-6)."""

    def consistent(read: Read, s: int) -> bool:
        scope = read((Kind.SCOPE, s))
        lines = [lane(read, s, at) for at in (0, 2, 4, 6)]
        if scope is None or any(line is None for line in lines):
            return scope is None
        inside = sorted(owner for line in lines for owner in line or ())
        return inside == sorted(waiters(read, cast, s)) and scope.waiting == len(inside)

    m.always(
        "everyone waits in one lane",
        lambda read: all(consistent(read, s) for s in cast.scopes),
        "lanes are lists from first to last, and who waits stands in exactly one of them",
        cites="LIF-6 ACT-13",
    )
    m.always(
        "no wake-up is lost",
        lambda read: all(_woken(read, cast, s) for s in cast.scopes),
        "where someone waits and a slot is free in an open scope, the lanes are about to be looked at",
        cites="ACT-13 LIF-6 SHL-3",
    )
    m.sometimes(
        "someone waits",
        lambda read: any(waiters(read, cast, s) for s in cast.scopes),
        "a lane is not empty",
    )


def _woken(read: Read, cast: Cast, s: int) -> bool:
    scope, policy, cap = read((Kind.SCOPE, s)), read((Kind.POLICY, s)), read((Kind.CAP,))
    if scope is None or scope.state not in CAN_EXECUTE or not waiters(read, cast, s):
        return True
    if scope.active >= policy.max_concurrent or scope.spawned >= policy.max_spawns:
        return True
    if read((Kind.FOLLOW, FollowUp.WAKE, ScopeId(s))) is not None:
        return True
    if not policy.capped or cap is None:
        return False
    in_line = read((Kind.STARVED, s)) is not None
    return in_line and (cap.active >= cap.limit or read((Kind.FOLLOW, FollowUp.WAKE_STARVED)) is not None)


def of_tasks(m: Model, cast: Cast) -> None:
    """Status and attempt, dependencies, ends (LIF)."""

    def each(holds: Any) -> Any:
        return lambda read: all(
            holds(read, t, cell) for t in cast.tasks if (cell := read((Kind.TASK, t))) is not None
        )

    m.always(
        "one body at a time",
        each(lambda read, t, task: _bodies(read, cast, t) == ([Ref(t, task.run, task.number)] if task.alive else [])),
        "a task has at most one living attempt, its newest, and knows whether it has",
        cites="LIF-15b ACT-8",
    )
    m.always(
        "in progress means a body",
        each(lambda read, t, task: task.status != "in_progress" or task.alive),
        "a task in progress has a living attempt: nothing is left behind",
        cites="LIF-3 ACT-7 LIF-15",
    )
    m.always(
        "pending means no body",
        each(lambda read, t, task: task.status != "pending" or not task.alive),
        "a pending task has no living attempt",
        cites="LIF-3 LIF-9",
    )
    m.always(
        "unmet counts what is missing",
        each(lambda read, t, task: task.unmet == _missing(read, cast, t)),
        "unmet is the number of dependencies not satisfied or not yet told of",
        cites="LIF-4",
    )
    m.always(
        "who can start waits",
        each(lambda read, t, task: not _could_start(read, t, task) or read((Kind.WAITER, t)) is not None),
        "an accepted task that nothing keeps from starting stands in a lane, or waits for its executor",
        cites="LIF-3 LIF-6",
    )
    m.always(
        "who waits could start",
        each(lambda read, t, task: read((Kind.WAITER, t)) is None or _could_start(read, t, task)),
        "only pending tasks with nothing unmet and no timer running wait for a slot",
        cites="LIF-3 LIF-6",
    )
    m.always_step(
        "started on satisfied dependencies",
        lambda before, after, action, change: all(
            _satisfied(before, cast, edge.key[1]) for edge in edges(change, "task", "start")
        ),
        "when a task starts, each required dependency is completed, each optional one ended, and no body runs on",
        cites="LIF-3a LIF-4",
    )
    m.always_step(
        "what ended stays ended",
        lambda before, after, action, change: all(
            edge.on == "reexecute" or edge.source == "failed"
            for edge in edges(change)
            if edge.machine in ("task", "reexecution") and edge.source in ENDED
        ),
        "completed and cancelled change by re-execution only",
        cites="LIF-1 LIF-9",
    )
    m.always_step(
        "no body without commit through the gate",
        lambda before, after, action, change: all(
            before((Kind.SCOPE, after(edge.key).scope)).state in CAN_EXECUTE
            for edge in edges(change, "attempt", "create")
        ),
        "an attempt begins only in a scope that can execute",
        cites="ACT-6 ACT-7",
    )
    m.sometimes(
        "a task completes",
        lambda read: any((c := read((Kind.TASK, t))) and c.status == "completed" for t in cast.tasks),
        "work gets done",
    )
    m.sometimes(
        "a cancelled task whose body still runs",
        lambda read: any((c := read((Kind.TASK, t))) and c.status == "cancelled" and c.alive for t in cast.tasks),
        "cancel is said before the body has stopped, and the slot is held",
        cites="LIF-8",
    )


def edges(change: Any, machine: str | None = None, on: str | None = None) -> list[Any]:
    """The edges of a change, of this machine and event."""
    assert isinstance(change, Change)
    return [e for e in change.edges if machine in (None, e.machine) and on in (None, e.on)]


def _bodies(read: Read, cast: Cast, task: int) -> list[Ref]:
    return [ref for ref in cast.refs if ref.owner == task and read((Kind.ATTEMPT, ref)) is not None]


def links_to(read: Read, cast: Cast, task: int) -> Iterable[tuple[TaskId, Any]]:
    """The links by which a task depends on others."""
    for on in cast.tasks:
        cell = read((Kind.TASK, on))
        for n in range(cell.links if cell is not None else 0):
            link = read((Kind.LINK, on, n + 1))
            if link is not None and link.dependent == task:
                yield TaskId(on), link  # type: ignore[arg-type]


def _missing(read: Read, cast: Cast, task: int) -> int:
    links = [link for _, link in links_to(read, cast, task)]
    return sum(1 for link in links if not link.met) + read((Kind.SPEC, task)).dependencies - len(links)


def _satisfied(read: Read, cast: Cast, task: int) -> bool:
    for on, link in links_to(read, cast, task):
        cell = read((Kind.TASK, on))
        if cell.alive or cell.status not in (("completed",) if link.required else ENDED):
            return False
    return True


def _could_start(read: Read, t: int, task: Any) -> bool:
    scope = read((Kind.SCOPE, read((Kind.SPEC, t)).scope))
    draining = read((Kind.FOLLOW, FollowUp.REJECT_QUEUED, read((Kind.SPEC, t)).scope)) is not None
    open_ = scope.state in ALIVE or (draining and read((Kind.WAITER, t)) is not None)
    return task.status == "pending" and task.unmet == 0 and task.due and open_


