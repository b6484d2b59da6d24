"""Why a scope, a queued request, an attempt or what it holds does not move on (ACT)."""

from typing import Any, Final

from dhruva.cells import FollowUp, Key, OwnerKind
from dhruva.decide.authority import Verdict
from dhruva.ids import OwnerId, ProcessId, ScopeId, UserId
from dhruva.inputs import (
    Abandon,
    Fail,
    Handle,
    Mount,
    OwnerGone,
    ResourceEvent,
    Resume,
    Stopped,
    Succeed,
    Wake,
)
from dhruva.machines.attempt import AttemptState
from dhruva.machines.scope import ScopeState
from dhruva.rules import authority, keys, lanes
from dhruva.why.answer import Reason, Way, Who, Why
from dhruva.why.asking import Asking, linked

SOMEONE: Final = UserId(0)
SOME_PROCESS: Final = ProcessId(0)
FULL: Final = frozenset({Verdict.CONCURRENCY_LIMIT, Verdict.QUEUED, Verdict.QUEUE_FULL})
GATE: Final = {Verdict.SCOPE_SUSPENDED: Reason.SUSPENDED, Verdict.SCOPE_NOT_ATTACHED: Reason.NOT_ATTACHED}


def of_scope(asking: Asking, key: Key) -> Why:
    cell, scope = asking.cell(key), ScopeId(key[1])
    if cell is None:
        return Why(key, None, Reason.ABSENT, "ACT-17")
    if cell.state == ScopeState.DISPOSED:
        return Why(key, cell.state, Reason.ENDED, "ACT-11", str(cell.state))
    if cell.state == ScopeState.DISPOSING:
        return _draining(asking, key, cell)
    verdict = authority.verdict(asking.walk, scope, 0, 1, False, None)
    if verdict == Verdict.AUTHORIZED:
        return Why(key, cell.state, Reason.OPEN, "ACT-2")
    return held_back(asking, key, cell.state, scope, verdict)


def _draining(asking: Asking, key: Key, cell: Any) -> Why:
    """First whoever holds a slot, by name; then what waits; what outlives its attempt is only counted."""
    on = _holders(asking, key[1])
    first = lanes.head(asking.walk, key[1])
    if not on and first is not None:
        on = (_owner_key(first.kind, first.owner),)
    walks = (FollowUp.ABORT_EACH, FollowUp.REJECT_QUEUED)
    ways = asking.ways(*((Handle(keys.follow(kind, key[1])), Who.SHELL) for kind in walks))
    return Why(key, cell.state, Reason.DRAINING, "ACT-11", "", on, cell.live - len(on), ways)


def _owner_key(kind: OwnerKind, owner: OwnerId) -> Key:
    return keys.task(owner) if kind == OwnerKind.TASK else keys.request(owner)


def _holders(asking: Asking, scope: ScopeId) -> tuple[Key, ...]:
    """Attempts that hold a slot of this scope, newest first."""

    def older(ref: Any) -> Any:
        attempt = asking.cell(keys.attempt(ref))
        return None if attempt is None else attempt.older

    cell = asking.cell(keys.scope(scope))
    return tuple(keys.attempt(ref) for ref in linked(None if cell is None else cell.newest, older))


def held_back(asking: Asking, key: Key, state: str, scope: ScopeId, verdict: Verdict) -> Why:
    """The authority says no to what would start here: for which reason, and who can change that."""
    home = keys.scope(scope)
    if verdict in FULL:
        return _full(asking, key, state, scope)
    if verdict in GATE:
        ways = asking.ways((Resume(scope), Who.CALLER), (Mount(scope), Who.CALLER))
        return Why(key, state, GATE[verdict], "ACT-2 ACT-3", str(verdict), (home,), ways=ways)
    return Why(key, state, Reason.HOPELESS, "ACT-2 ACT-3", str(verdict), (home,))


def _full(asking: Asking, key: Key, state: str, scope: ScopeId) -> Why:
    """Every slot of the scope is held, or every slot under the cap."""
    cell, policy = asking.cell(keys.scope(scope)), asking.cell(keys.policy(scope))
    if cell.active >= policy.max_concurrent:
        on = _holders(asking, scope)
        return Why(key, state, Reason.SLOT, "ACT-2 ACT-13", "", on, cell.active - len(on))
    return Why(key, state, Reason.CAP, "ACT-13", "", (keys.CAP,))


def in_line(asking: Asking, key: Key, state: str, scope: ScopeId) -> Why:
    """Nothing keeps it from starting but its place: the head starts when the lanes are looked at (LIF-6)."""
    first = lanes.head(asking.walk, scope)
    if first is None:
        return Why(key, state, Reason.LOST, "LIF-6 ACT-13")
    if first.owner != key[1]:
        return Why(key, state, Reason.TURN, "LIF-6 ACT-13", "", (_owner_key(first.kind, first.owner),))
    ways = asking.ways((Wake(scope, SOME_PROCESS), Who.SHELL))
    if ways:
        return Why(key, state, Reason.MAY_START, "LIF-3 LIF-6", ways=ways)
    fed = asking.ways((Handle(keys.follow(FollowUp.WAKE_STARVED)), Who.SHELL))
    if fed:
        return Why(key, state, Reason.CAP, "ACT-13", "", (keys.CAP,), ways=fed)
    return Why(key, state, Reason.LOST, "LIF-6 ACT-13")


def of_request(asking: Asking, key: Key) -> Why:
    cell = asking.cell(key)
    if cell is None:
        again = asking.ways((Handle(keys.follow(FollowUp.ASK_AGAIN, key[1])), Who.SHELL))
        if again:
            return Why(key, None, Reason.ASKING_AGAIN, "ACT-10", ways=again)
        return Why(key, None, Reason.ABSENT, "ACT-1")
    policy = asking.cell(keys.policy(cell.scope))
    most = 1 if policy is None else 1 + policy.retry
    verdict = authority.verdict(asking.walk, cell.scope, cell.number - 1, most, False, None)
    if verdict == Verdict.AUTHORIZED:
        return in_line(asking, key, cell.state, cell.scope)
    if verdict == Verdict.SCOPE_DISPOSED:  # it is rejected as the walk comes to it
        ways = asking.ways((Handle(keys.follow(FollowUp.REJECT_QUEUED, cell.scope)), Who.SHELL))
        return held_back(asking, key, cell.state, cell.scope, verdict)._replace(ways=ways)
    return held_back(asking, key, cell.state, cell.scope, verdict)


def of_cap(asking: Asking, key: Key) -> Why:
    """The limit over all scopes: who holds its slots is known to the scopes."""
    cell = asking.cell(key)
    if cell is None:
        return Why(key, None, Reason.ABSENT, "ACT-13")
    ways = asking.ways((Handle(keys.follow(FollowUp.WAKE_STARVED)), Who.SHELL))
    if cell.active < cell.limit:
        return Why(key, "", Reason.OPEN, "ACT-13", ways=ways)
    return Why(key, "", Reason.CAP, "ACT-13", "", (), cell.active, ways)


def of_attempt(asking: Asking, key: Key) -> Why:
    cell = asking.cell(key)
    if cell is None:
        return Why(key, None, Reason.ABSENT, "ACT-8")
    ends = (Succeed(key[1]), Fail(key[1])) if cell.state == AttemptState.RUNNING else (Stopped(key[1]),)
    ways = asking.ways(
        *((end, Who.BODY) for end in ends),
        (OwnerGone(key[1]), Who.SYSTEM),
        (Abandon(key[1], SOMEONE, True), Who.OPERATOR),
    )
    if cell.state == AttemptState.RUNNING:
        return Why(key, cell.state, Reason.BODY, "ACT-16", ways=ways)
    return Why(key, cell.state, Reason.STOPPING, "ACT-11 ACT-16", str(cell.reason), ways=ways)


def of_resource(asking: Asking, key: Key) -> Why:
    """A worker, handler or stream: the events that its own table has for it here."""
    cell = asking.cell(key)
    if cell is None:
        return Why(key, None, Reason.ABSENT, "ACT-9")
    moves = asking.walk.book.moves[cell.kind]
    events = [event for (state, event), move in moves.items() if state == cell.state and not move.stays]
    ways = tuple(Way(ResourceEvent(key[1], key[2], event), Who.HOLDER) for event in events)  # type: ignore[arg-type]
    if not ways:
        return Why(key, cell.state, Reason.ENDED, "ACT-9", str(cell.state))
    return Why(key, cell.state, Reason.RESOURCE, "ACT-9", ways=ways)
