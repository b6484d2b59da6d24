"""Who waits, in which order, and that nobody is forgotten there (LIF-6, ACT-13)."""

from dhruva.cells import FollowUp, Kind
from dhruva.explore import Model, Read, for_each
from models.claims.cast import CAN_EXECUTE, LANES, Cast, begun, written


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
        cites="ACT-12c ACT-13e LIF-7 SHL-3d",
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
