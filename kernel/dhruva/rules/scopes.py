"""Inputs of scopes and one-off requests: the registry, the gate, the queue (ACT)."""

from typing import Final

from dhruva.cells import Again, Cap, FollowUp, Key, OwnerKind, Policy, Request, Scope
from dhruva.decide.authority import Verdict
from dhruva.ids import Ref, RequestId
from dhruva.inputs import (
    Ask,
    CreateScope,
    Dispose,
    Mount,
    Resume,
    SetCap,
    Suspend,
    WaitExpired,
    Wake,
    Withdraw,
)
from dhruva.machines.request import RequestEffect, RequestEvent, RequestState
from dhruva.machines.scope import ScopeEvent, ScopeState
from dhruva.machines.task import TaskGuard
from dhruva.rules import authority, keys, lanes
from dhruva.table import Refused
from dhruva.walk import ABSENT, NOTHING, Given, Rule, Walk

AUTHORIZED: Final = Verdict.AUTHORIZED
QUEUED: Final = Verdict.QUEUED
WAITS: Final = RequestState.QUEUED
START: Final = RequestEvent.START
COMMIT: Final = RequestEffect.COMMIT
_new: Final = tuple.__new__  # see walk.py
EXPIRED: Final = Given(verdict=Verdict.POLICY_WINDOW)


def set_cap(walk: Walk, given: SetCap) -> Refused | None:
    if walk[keys.CAP] is not None:
        return Refused("scope", None, "set_cap", "ACT-13", "known_cap")
    if given.limit < 1:
        return Refused("scope", None, "set_cap", "ACT-13", "limit")
    walk[keys.CAP] = Cap(0, given.limit, None, None)
    return None


def create(walk: Walk, given: CreateScope) -> Refused | None:
    """A known id is an error, and the first lives on (ACT-17)."""
    key = keys.scope(given.scope)
    known = walk[key]
    if known is not None:
        return Refused("scope", known.state, "create", "ACT-17", "known_id")
    if given.max_concurrent < 1:
        return Refused("scope", None, "create", "ACT-13", "max_concurrent")
    if given.capped and walk[keys.CAP] is None:
        return Refused("scope", None, "create", "ACT-13", "no_cap")
    walk.create("scope", key, Scope(ScopeState.INIT, 0, 0, 0, 0, 0, None, given.capped))
    walk[keys.POLICY, given.scope] = Policy(
        given.max_concurrent,
        given.max_spawns,
        given.retry,
        given.retry_on_timeout,
        given.queues,
        given.max_queued,
    )
    return walk.fire("scope", key, ScopeEvent.MOUNTED, NOTHING) if given.mount else None


def mount(walk: Walk, given: Mount) -> Refused | None:
    return walk.fire("scope", keys.scope(given.scope), ScopeEvent.MOUNTED, NOTHING)


def suspend(walk: Walk, given: Suspend) -> Refused | None:
    return walk.fire("scope", keys.scope(given.scope), ScopeEvent.SUSPEND, NOTHING)


def resume(walk: Walk, given: Resume) -> Refused | None:
    return walk.fire("scope", keys.scope(given.scope), ScopeEvent.RESUME, NOTHING)


def dispose(walk: Walk, given: Dispose) -> Refused | None:
    return walk.fire("scope", keys.scope(given.scope), ScopeEvent.DISPOSE, NOTHING)


def ask(walk: Walk, given: Ask) -> Refused | None:
    """Rejected for one reason, and nothing is looked at but what gave it (ACT-4); or it starts, or waits."""
    request, scope, process, priority, late = given
    answer = authority.verdict(walk, scope, 0, None, late, priority)
    if answer != AUTHORIZED and answer != QUEUED:
        cell = walk[keys.SCOPE, scope]
        return _new(Refused, ("scope", cell and cell.state, "ask", "ACT-3", answer))
    first = _new(Ref, (request, 1, 1))
    if walk[keys.REQUEST, request] is not None or walk[keys.ATTEMPT, first] is not None:
        return Refused("request", WAITS, "ask", "ACT-1", "known_id")
    return start_or_queue(walk, request, _new(Again, (scope, process, priority, 1)), answer)


def start_or_queue(walk: Walk, request: RequestId, wanted: Again, answer: Verdict) -> Refused | None:
    """One that need not wait is committed as one that leaves the queue is."""
    if answer == AUTHORIZED:
        return walk.carry("request", COMMIT, (keys.REQUEST, request), wanted, NOTHING)
    _request(walk, request, wanted)
    _queue(walk, request, wanted)
    return None


def _request(walk: Walk, request: RequestId, wanted: Again) -> None:
    cell = Request(WAITS, wanted.scope, wanted.process, wanted.priority, wanted.number)
    walk.create("request", (keys.REQUEST, request), cell)


def _queue(walk: Walk, request: RequestId, wanted: Again) -> None:
    """Where a slot of the scope is free, the cap is what it waits for: the lanes are looked at again."""
    lanes.enter(walk, wanted.scope, request, OwnerKind.REQUEST, wanted.priority)
    key = keys.scope(wanted.scope)
    scope, rules = walk[key], walk[keys.POLICY, wanted.scope]
    if scope is not None and rules is not None:
        walk[key] = scope._replace(queued=scope.queued + 1, live=scope.live + 1)
        if scope.active < rules.max_concurrent:
            lanes.wake(walk, wanted.scope)


def withdraw(walk: Walk, given: Withdraw) -> Refused | None:
    """One that is about to ask again is taken back like one that waits (ACT-10, ACT-13)."""
    key, again = keys.request(given.request), keys.follow(FollowUp.ASK_AGAIN, given.request)
    wanted = walk[again] if walk[key] is None else None
    if wanted is not None:
        walk[again] = None
        _request(walk, given.request, wanted)
    return walk.fire("request", key, RequestEvent.WITHDRAW, NOTHING)


def wait_expired(walk: Walk, given: WaitExpired) -> Refused | None:
    return walk.fire("request", keys.request(given.request), RequestEvent.REJECT, EXPIRED)


def wake(walk: Walk, given: Wake) -> Refused | None:
    """Start what is first, if it may; the follow-up is over when nothing may (LIF-6, ACT-13)."""
    key = (keys.FOLLOW, lanes.WAKE, given.scope)
    if walk[key] is None:
        return Refused("follow-up", None, FollowUp.WAKE, "SHL-3", ABSENT)
    walk.handled = key
    first = lanes.head(walk, given.scope)
    if first is None:
        walk[key] = None
    elif first.kind == lanes.OF_TASK:
        _start_task(walk, key, first, given)
    else:
        return _start_request(walk, key, first, given)
    return None


def _start_task(walk: Walk, key: Key, first: lanes.Head, given: Wake) -> None:
    asked = _new(Given, (given.process, given.executor, *NOTHING[2:]))
    refused = walk.try_fire("task", (keys.TASK, first.owner), lanes.START, asked)
    if refused is None:
        return
    if refused.because == TaskGuard.AUTHORIZED:
        _nothing_may_start(walk, key, given)
        return
    spec = walk[keys.SPEC, first.owner]
    if refused.because == TaskGuard.EXECUTOR and spec is not None:
        lanes.await_executor(walk, first.owner, spec.executor)
        return
    lanes.leave(walk, first.owner)


def _start_request(walk: Walk, key: Key, first: lanes.Head, given: Wake) -> Refused | None:
    """Re-authorized when it is its turn (ACT-13)."""
    request = walk[keys.REQUEST, first.owner]
    if request is None or request.scope != given.scope:
        lanes.leave(walk, first.owner)
        return None
    answer = authority.verdict(walk, given.scope, request.number - 1, None, False, None)
    if answer == AUTHORIZED:
        return walk.fire("request", keys.request(first.owner), START, NOTHING)
    _nothing_may_start(walk, key, given)
    return None


def _nothing_may_start(walk: Walk, key: Key, given: Wake) -> None:
    """The follow-up is over. Under a full cap the scope stands in line for the next slot."""
    walk[key] = None
    scope, cap = walk[keys.SCOPE, given.scope], walk[keys.CAP]
    if scope is not None and scope.capped and cap is not None and cap.active >= cap.limit:
        lanes.starve(walk, given.scope)


RULES: Final[dict[type, Rule]] = {
    SetCap: set_cap,
    CreateScope: create,
    Mount: mount,
    Suspend: suspend,
    Resume: resume,
    Dispose: dispose,
    Ask: ask,
    Withdraw: withdraw,
    WaitExpired: wait_expired,
    Wake: wake,
}
