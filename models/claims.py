"""Claims that several models make, each stated once, over the cells of a cast.

A claim says what a requirement says, in terms of cells; it looks nothing up in a table or a decision.
Each family is one function, so that a model takes the families whose cells it has.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from dhruva.cells import FollowUp, Kind
from dhruva.explore import Model, Read, count, for_each
from dhruva.ids import OwnerId, Ref

CAN_EXECUTE = ("ATTACHED", "RUNNING")
ALIVE = ("INIT", "ATTACHED", "RUNNING", "SUSPENDED")
STREAM_ENDED = ("closed", "aborted")  # a stream that has ended is no longer alive, and stays until let go of
ENDED = ("completed", "failed", "cancelled")
LANES = (0, 2, 4, 6)  # where each lane's first and last stand in a Lanes cell, urgent before low


class Cast(NamedTuple):
    """All that can exist in a model."""

    scopes: tuple[int, ...] = ()
    tasks: tuple[int, ...] = ()
    requests: tuple[int, ...] = ()
    numbers: int = 1  # attempts per owner, at most
    runs: int = 1
    resources: int = 0  # per attempt, at most

    @property
    def owners(self) -> tuple[int, ...]:
        return (*self.tasks, *self.requests)

    @property
    def refs(self) -> tuple[Ref, ...]:
        return tuple(
            Ref(OwnerId(owner), run + 1, number + 1)
            for owner in self.owners
            for run in range(self.runs)
            for number in range(self.numbers)
        )

    def refs_of(self, owner: int) -> tuple[Ref, ...]:
        return tuple(ref for ref in self.refs if ref.owner == owner)


def some(keys: Iterable[Any], holds: Callable[[Read, Any, Any], bool]) -> Callable[[Read], bool]:
    """Whether the cell of some key is there and `holds(read, key, cell)`."""
    found = tuple(keys)
    return lambda read: any((c := read(key)) is not None and holds(read, key, c) for key in found)


def each(keys: Iterable[Any], holds: Callable[[Read, Any, Any], bool]) -> Callable[[Read], bool]:
    """Whether `holds(read, key, cell)` for each key whose cell is there."""
    return for_each(keys, lambda read, key: (c := read(key)) is None or holds(read, key, c))


def _named(name: str, of: int, among: tuple[int, ...]) -> str:
    return name if len(among) == 1 else f"{name} ({of})"


# Scopes and attempts (ACT)


def of_scopes(m: Model, cast: Cast) -> None:
    scopes = tuple((Kind.SCOPE, s) for s in cast.scopes)
    for s in cast.scopes:
        _counted(m, cast, s)
    m.always(
        "slots within the limit",
        each(scopes, lambda read, key, scope: scope.active <= read((Kind.POLICY, key[1])).max_concurrent),
        "no more slots are held than the scope may have",
        cites="ACT-2d ACT-13a LIF-7",
    )
    m.always(
        "spawns within the limit",
        each(scopes, lambda read, key, scope: scope.spawned <= read((Kind.POLICY, key[1])).max_spawns),
        "retries included, no more attempts are committed than the scope may ever have",
        cites="ACT-13b",
    )
    m.always_step(
        "no body without commit through the gate",
        lambda before, after, action, change: all(
            before((Kind.SCOPE, cell.scope)).state in CAN_EXECUTE for _, cell in begun(before, change)
        ),
        "an attempt begins only in a scope that can execute",
        cites="ACT-1c ACT-6a ACT-6c ACT-12a",
    )
    m.always_step(
        "a ref lives once",
        lambda before, after, action, change: all(
            ref.number > (before(("last", ref.owner)) or 0) for ref, _ in begun(before, change)
        ),
        "each attempt has a number that no attempt of its owner had before",
        cites="ACT-8a ACT-10b ACT-16e",
    )
    m.sometimes(
        "the limit is reached",
        some(scopes, lambda read, key, s: s.active == read((Kind.POLICY, key[1])).max_concurrent),
    )


def of_dispose(m: Model, cast: Cast) -> None:
    scopes = tuple((Kind.SCOPE, s) for s in cast.scopes)
    m.always(
        "disposed means nothing alive",
        each(scopes, lambda read, key, s: s.state != "DISPOSED" or s.live == s.active == s.queued == 0),
        "once a scope is DISPOSED, nothing of it is alive and no slot is held",
        cites="ACT-5h ACT-11e",
    )
    m.always(
        "disposing has something to wait for",
        each(scopes, lambda read, key, scope: scope.state != "DISPOSING" or scope.live > 0),
        "a scope of which nothing lives is DISPOSED in the step that saw the last of it end",
        cites="ACT-11a",
    )
    m.always(
        "disposing forgets nobody",
        for_each(cast.refs, lambda read, ref: _is_told_of_dispose(read, ref)),
        "in a scope that is being disposed, each attempt is aborting, or the walk is still on its way to it",
        cites="ACT-11b SHL-3d",
    )
    m.always_step(
        "dispose is for good",
        lambda before, after, action, change: all(
            before(key) is None or _only_forward(before(key), cell)
            for key, cell in written(change, Kind.SCOPE)
        ),
        "DISPOSING leads to DISPOSED alone, DISPOSED to nothing, and nothing leads back to ATTACHED",
        cites="ACT-5i ACT-5j ACT-11c",
    )
    m.sometimes("a scope is disposed", some(scopes, lambda read, key, s: s.state == "DISPOSED"))
    m.sometimes("dispose waits for a body", some(scopes, lambda read, key, s: s.state == "DISPOSING"))


def _counted(m: Model, cast: Cast, s: int) -> None:
    """The counters of a scope count what there is."""
    key = (Kind.SCOPE, s)
    attempts = tuple((Kind.ATTEMPT, ref) for ref in cast.refs)
    resources = tuple((Kind.RESOURCE, ref, n + 1) for ref in cast.refs for n in range(cast.resources))
    requests = tuple((Kind.REQUEST, request) for request in cast.requests)

    def here(read: Read, at: Any) -> bool:
        cell = read(at)
        return cell is not None and cell.scope == s and cell[0] not in STREAM_ENDED

    m.always(
        _named("slots are attempts", s, cast.scopes),
        count(attempts, here).equals(lambda read: read(key).active if read(key) else 0),
        "a slot is held exactly while an attempt is running or aborting",
        cites="ACT-2d ACT-7b ACT-16b LIF-8d",
    )
    m.always(
        _named("live counts the living", s, cast.scopes),
        count((*attempts, *resources, *requests), here).equals(lambda r: r(key).live if r(key) else 0),
        "`live` is the number of attempts, resources and queued requests that have not ended",
        cites="ACT-11e ACT-16c",
    )


def _is_told_of_dispose(read: Read, ref: Ref) -> bool:
    """The walk goes from newer to older; an attempt that ended while it was the walk's place restarts it."""
    attempt = read((Kind.ATTEMPT, ref))
    if attempt is None or attempt.state == "aborting":
        return True
    if read((Kind.SCOPE, attempt.scope)).state != "DISPOSING":
        return True
    walk = read((Kind.FOLLOW, FollowUp.ABORT_EACH, attempt.scope))
    if walk is None:
        return False
    at = walk.ref
    while at is not None and read((Kind.ATTEMPT, at)) is not None:
        if at == ref:
            return True
        at = read((Kind.ATTEMPT, at)).older
    return read((Kind.ATTEMPT, walk.ref)) is None


def _only_forward(before: Any, after: Any) -> bool:
    if before.state == "DISPOSED":
        return bool(after.state == "DISPOSED")
    if before.state == "DISPOSING":
        return after.state in ("DISPOSING", "DISPOSED")
    return before.state in ("INIT", "ATTACHED") or after.state != "ATTACHED"


def written(change: Any, *kinds: Kind) -> list[tuple[Any, Any]]:
    """Keys and cells of these kinds that a step wrote; `change` is what the action returned."""
    writes = change if isinstance(change, Mapping) else change.writes
    return [(key, cell) for key, cell in writes.items() if key[0] in kinds]


def begun(before: Read, change: Any) -> list[tuple[Ref, Any]]:
    """The attempts that begin with a step."""
    attempts = written(change, Kind.ATTEMPT)
    return [(key[1], cell) for key, cell in attempts if cell is not None and before(key) is None]


# Order (LIF-6, ACT-13)


def line(read: Read, scope: int, at: int) -> list[int] | None:
    """A lane from first to last, None if its links do not fit; `at` is its place in the Lanes cell."""
    lanes = read((Kind.LANES, scope))
    if lanes is None:
        return []
    owner, last, before = lanes[at], lanes[at + 1], None
    found: list[int] = []
    while owner is not None and owner not in found:
        cell = read((Kind.WAITER, owner))
        if cell is None or cell.before != before or cell.scope != scope or int(cell.priority) * 2 != at:
            return None
        found.append(owner)
        before, owner = owner, cell.behind
    return found if before == last and owner is None else None


def of_lanes(m: Model, cast: Cast) -> None:
    """Order is cells, and nobody who waits is lost."""
    m.always(
        "everyone waits in one lane",
        for_each(cast.scopes, lambda read, s: _lanes_fit(read, cast, s)),
        "lanes are lists from first to last, and who waits stands in exactly one of them",
        cites="LIF-6e LIF-6f",
    )
    m.always(
        "no wake-up is lost",
        for_each(cast.scopes, lambda read, s: _woken(read, cast, s)),
        "where someone waits and a slot is free in an open scope, the lanes are about to be looked at",
        cites="ACT-12c ACT-13e SHL-3d",
    )
    m.always_step(
        "first come first served",
        lambda before, after, action, change: all(
            _keeps_order(line(before, s, at) or [], line(after, s, at) or [])
            for s in (cast.scopes if written(change, Kind.LANES, Kind.WAITER) else ())
            for at in LANES
        ),
        "who comes into a lane stands behind all who wait there, and they keep their order",
        cites="ACT-13e LIF-6b",
    )
    m.always_step(
        "nobody is overtaken",
        lambda before, after, action, change: all(
            not _ahead(before, cell.scope, ref.owner, int(cell.priority))
            for ref, cell in begun(before, change)
        ),
        "what starts is the first of the most urgent lane in which someone waits, or more urgent than all",
        cites="ACT-13e LIF-6a LIF-6b",
    )
    m.sometimes("someone waits", lambda read: any(waiters(read, cast, s) for s in cast.scopes))


def waiters(read: Read, cast: Cast, scope: int) -> list[int]:
    """Who waits in the lanes of a scope."""
    found = ((owner, read((Kind.WAITER, owner))) for owner in cast.owners)
    return [o for o, cell in found if cell is not None and cell.scope == scope and cell.executor is None]


def _lanes_fit(read: Read, cast: Cast, s: int) -> bool:
    scope = read((Kind.SCOPE, s))
    lines = [line(read, s, at) for at in LANES]
    if scope is None or any(one is None for one in lines):
        return scope is None
    inside = sorted(owner for one in lines for owner in one or ())
    return inside == sorted(waiters(read, cast, s)) and scope.waiting == len(inside)


def _keeps_order(before: list[int], after: list[int]) -> bool:
    stayed = [owner for owner in before if owner in after]
    return after[: len(stayed)] == stayed


def _ahead(read: Read, scope: int, owner: int, priority: int) -> bool:
    """Whether someone waits whose turn is before this owner's."""
    if any(line(read, scope, at) for at in LANES[:priority]):
        return True
    own = line(read, scope, LANES[priority]) or []
    return bool(own) and own[0] != owner


def _woken(read: Read, cast: Cast, s: int) -> bool:
    scope, policy, cap = read((Kind.SCOPE, s)), read((Kind.POLICY, s)), read((Kind.CAP,))
    if scope is None or scope.state not in CAN_EXECUTE or not waiters(read, cast, s):
        return True
    if scope.active >= policy.max_concurrent or scope.spawned >= policy.max_spawns:
        return True
    if read((Kind.FOLLOW, FollowUp.WAKE, s)) is not None:
        return True
    if not scope.capped or cap is None:
        return False
    in_line = read((Kind.STARVED, s)) is not None
    return in_line and (cap.active >= cap.limit or read((Kind.FOLLOW, FollowUp.WAKE_STARVED)) is not None)


# Tasks (LIF)


def of_tasks(m: Model, cast: Cast) -> None:
    """Status and attempt, ends, refs."""
    tasks = tuple((Kind.TASK, t) for t in cast.tasks)
    m.always(
        "one body at a time",
        each(tasks, lambda read, key, task: _bodies(read, cast, key[1]) == _said(key[1], task)),
        "a task has at most one living attempt, its newest, and knows whether it has",
        cites="LIF-15b ACT-8a",
    )
    m.always(
        "in progress means a body",
        each(tasks, lambda read, key, task: task.status != "in_progress" or task.alive),
        "a task in progress has a living attempt: nothing is left behind",
        cites="LIF-3e ACT-7a",
    )
    m.always(
        "pending means no body",
        each(tasks, lambda read, key, task: task.status != "pending" or not task.alive),
        "a pending task has no living attempt",
        cites="LIF-3e LIF-8e",
    )
    m.always(
        "a body of an ended task is asked to stop",
        each(tasks, lambda read, key, t: t.status not in ENDED or not t.alive or _aborting(read, key[1], t)),
        "if a task has ended while its attempt lives, that attempt is aborting",
        cites="ACT-18c LIF-8b LIF-19b",
    )
    m.always(
        "tries within the policy",
        each(tasks, lambda read, key, task: task.tries <= read((Kind.SPEC, key[1])).max_attempts),
        "no task is tried more often in a run than its policy says",
        cites="ACT-2f ACT-10a LIF-14b",
    )
    m.always_step(
        "what ended stays as it is",
        lambda before, after, action, change: all(
            before(key) is None or _stays(before(key), cell) for key, cell in written(change, Kind.TASK)
        ),
        "completed, failed and cancelled change by re-execution only, which opens a new run",
        cites="LIF-1c LIF-9d LIF-14f LIF-15c LIF-8g",
    )
    m.sometimes("a task completes", some(tasks, lambda read, key, task: task.status == "completed"))
    m.sometimes("a task fails", some(tasks, lambda read, key, task: task.status == "failed"))
    m.sometimes(
        "a cancelled task whose body still runs",
        some(tasks, lambda read, key, task: task.status == "cancelled" and task.alive),
        "cancel is said before the body has stopped, and the slot is held",
    )


def _said(owner: OwnerId, task: Any) -> list[Ref]:
    return [Ref(owner, task.run, task.number)] if task.alive else []


def _bodies(read: Read, cast: Cast, task: int) -> list[Ref]:
    return [ref for ref in cast.refs_of(task) if read((Kind.ATTEMPT, ref)) is not None]


def _aborting(read: Read, owner: OwnerId, task: Any) -> bool:
    attempt = read((Kind.ATTEMPT, Ref(owner, task.run, task.number)))
    return attempt is not None and attempt.state == "aborting"


def _stays(before: Any, after: Any) -> bool:
    if after is None or before.status not in ENDED or after.status == before.status:
        return True
    return bool(after.status == "pending" and after.run == before.run + 1)
