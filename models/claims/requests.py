"""One-off requests: who is authorized, who waits, who is told why not (ACT-1 to ACT-4, ACT-13)."""

from typing import Any

from dhruva.cells import Kind
from dhruva.effects import Rejected
from dhruva.explore import Read
from dhruva.inputs import Ask, WaitExpired, Withdraw
from dhruva.table import Refused
from models.claims.cast import ALIVE, CAN_EXECUTE, LANES, Cast, begun, each, edges, effects, some
from models.claims.order import line
from models.world import Scene


def of_requests(scene: Scene, cast: Cast) -> None:
    m = scene.m
    requests = tuple((Kind.REQUEST, request) for request in cast.requests)
    m.always(
        "who is queued waits",
        each(requests, lambda read, key, _: read((Kind.WAITER, key[1])) is not None),
        "a queued request stands in a lane",
        cites="ACT-13e",
    )
    m.always(
        "the queue is bounded",
        each(
            ((Kind.SCOPE, s) for s in cast.scopes),
            lambda r, key, s: _queued(r, cast, key[1]) == s.queued <= _most(r((Kind.POLICY, key[1]))),
        ),
        "no more requests are queued than the policy says, and none where it does not queue",
        cites="ACT-13d ACT-13e",
    )
    m.always_step(
        "who leaves the queue starts, withdraws, or is told",
        lambda before, after, action, change: all(
            edge.target == _left(before, change, edge.key[1]) for edge in edges(change, "request")
        ),
        "a request that was queued ends as started with its attempt, as rejected with a reason, or withdrawn",
        cites="ACT-1b ACT-1c ACT-4a ACT-13g ACT-13h",
    )
    scene.always_step(
        "withdrawn by whom it concerns",
        lambda before, after, given, change: all(
            isinstance(given, Withdraw) and given.request == edge.key[1]
            for edge in edges(change, "request")
            if edge.target == "withdrawn"
        ),
        "a queued request is withdrawn by its caller alone",
        cites="ACT-13h",
    )
    scene.always_step(
        "a queued request is rejected by time or by dispose",
        lambda before, after, given, change: all(
            told.verdict == _why(before, told, isinstance(given, WaitExpired))
            for told in effects(change, Rejected)
        ),
        "the reason is the window when the wait ran out, and otherwise the first rule that was broken",
        cites="ACT-2e ACT-3a ACT-10c ACT-13g",
    )
    scene.takes(
        "who is queued can withdraw or be timed out",
        (Withdraw, WaitExpired),
        lambda read, given: read((Kind.REQUEST, given.request)) is not None,
        "a request that waits can be withdrawn, and its wait can run out",
        cites="ACT-2e ACT-13h",
    )
    scene.refuses(
        "a rejection names the first broken rule",
        (Ask,),
        lambda read, given, refused: _is_right(read, given, refused),
        "authorized or queued unless a rule is broken; the reason is that of the first",
        cites="ACT-1d ACT-2a ACT-2b ACT-2c ACT-2d ACT-2e ACT-3a ACT-3b ACT-3c ACT-3d ACT-6a ACT-6b ACT-13d "
        "ACT-17d",
    )
    scene.always_step(
        "an answer is commit or a place in the queue",
        lambda before, after, given, change: (
            not isinstance(given, Ask)
            or bool(begun(before, change)) == (_is_open(before, given) and _has_room(before, given))
        ),
        "who is not rejected is committed at once if a slot is free for it, and is queued otherwise",
        cites="ACT-1b ACT-2d ACT-13d LIF-6a",
    )
    if m.bounds["queued"]:
        m.sometimes("someone is queued", some(requests, lambda read, key, cell: True))


def _most(policy: Any) -> int:
    return int(policy.max_queued) if policy.queues else 0


def _has_room(read: Read, given: Ask) -> bool:
    return _is_free(read, given.scope, int(given.priority))


def _is_open(read: Read, given: Ask) -> bool:
    return _first_broken(read, given.scope, given.late) is None


def _queued(read: Read, cast: Cast, scope: int) -> int:
    cells = (read((Kind.REQUEST, request)) for request in cast.requests)
    return sum(1 for cell in cells if cell is not None and cell.scope == scope)


def _left(before: Read, change: Any, request: int) -> str:
    if any(ref.owner == request for ref, _ in begun(before, change)):
        return "started"
    told = any(rejected.request == request for rejected in effects(change, Rejected))
    return "rejected" if told else "withdrawn"


def _is_free(read: Read, scope: int, priority: int) -> bool:
    """Whether a slot is free for a newcomer of this priority: nobody who waits is overtaken."""
    cell, policy, cap = read((Kind.SCOPE, scope)), read((Kind.POLICY, scope)), read((Kind.CAP,))
    if cell.active >= policy.max_concurrent or (cell.capped and cap.active >= cap.limit):
        return False
    return not any(line(read, scope, at) for at in LANES[: priority + 1])


def _first_broken(read: Read, scope: int, late: bool) -> str | None:
    """The reason to reject whoever asks a scope now, but for the slots."""
    cell, policy = read((Kind.SCOPE, scope)), read((Kind.POLICY, scope))
    if cell is None:
        return "scope_not_found"
    if cell.state not in ALIVE:
        return "scope_disposed"
    if cell.state not in CAN_EXECUTE:
        return "scope_suspended" if cell.state == "SUSPENDED" else "scope_not_attached"
    if cell.spawned >= policy.max_spawns:
        return "spawn_limit"
    return "policy_window" if late else None


def _is_right(read: Read, given: Ask, refused: Refused) -> bool:
    if refused.rule != "ACT-3":
        return refused.because == "known_id"
    broken = _first_broken(read, given.scope, given.late)
    if broken is None and not _has_room(read, given):
        broken = _no_slot(read, given.scope)
    return refused.because == broken


def _no_slot(read: Read, scope: int) -> str | None:
    policy = read((Kind.POLICY, scope))
    if not policy.queues:
        return "concurrency_limit"
    return "queue_full" if read((Kind.SCOPE, scope)).queued >= policy.max_queued else None


def _why(read: Read, told: Rejected, late: bool) -> str | None:
    """The reason for a request that is queued, or that asks again."""
    if late:
        return "policy_window"
    cell = read((Kind.REQUEST, told.request)) or read((Kind.FOLLOW, "ask_again", told.request))
    return _first_broken(read, cell.scope, False) or _no_slot(read, cell.scope)
