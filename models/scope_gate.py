"""The gate of a scope: requests of two priorities, queue, suspend, dispose, retry, what attempts hold.

Two one-off requests, one urgent, one of normal priority, ask a scope once each; a third, low one may take
part under a cap over two scopes. The first request's attempts hold a worker, a handler or a stream, which
start, finish, fail and outlive the body. Suspend, resume and dispose come at any time, events of bodies under
dead refs too.

Left out: tasks (models/task_lifecycle.py and models/kernel.py run them through the same lanes) and dispatch
(models/carrier_group.py). One slot suffices for contention, since a rule compares a counter with a limit and
never two attempts with each other; two requests give every order within and across lanes of length up to two.
A retry gives each request two refs. Ids of requests are given out once, so each asks once.
"""

from typing import Any

from dhruva.cells import FollowUp, Kind
from dhruva.explore import Model, Read
from dhruva.ids import Priority, ProcessId, Ref, ScopeId, UserId
from dhruva.inputs import (
    Abandon,
    Abort,
    AddHandler,
    AddStream,
    AddWorker,
    Ask,
    CreateScope,
    Dispose,
    Fail,
    Mount,
    OwnerGone,
    ResourceEvent,
    Resume,
    SetCap,
    Stopped,
    Succeed,
    Suspend,
    WaitExpired,
    Wake,
    Withdraw,
)
from dhruva.machines.attempt import AbortReason
from dhruva.machines.resources import HandlerEvent, StreamEvent, WorkerEvent
from dhruva.step import Step
from dhruva.step import step as shipped
from models import claims
from models.world import Scene, request_id

SCOPE, OTHER = ScopeId(1), ScopeId(2)
PROCESS = ProcessId(9)
ORDERED_TO_END = ("terminating", "cancelling")
URGENT, NORMAL, CROWD = request_id(10), request_id(11), request_id(12)


def model(
    limit: int = 1,
    spawns: int = 2,
    retry: int = 1,
    queued: int = 2,
    resources: int = 1,
    cap: int = 0,
    step: Step = shipped,
) -> Model:
    """`queued` 0: the policy rejects what is over the limit. `cap` 0: no cap, and one scope."""
    m = Model(
        "scope gate", limit=limit, spawns=spawns, retry=retry, queued=queued, resources=resources, cap=cap
    )
    cast = claims.Cast(
        scopes=(SCOPE, OTHER) if cap else (SCOPE,),
        requests=(URGENT, NORMAL, CROWD) if cap else (URGENT, NORMAL),
        numbers=min(spawns, 1 + retry),
        resources=resources,
    )
    policy = CreateScope(
        SCOPE, cap > 0, limit, spawns, retry, queues=queued > 0, max_queued=queued, capped=cap > 0
    )
    setup = (SetCap(cap), policy, policy._replace(scope=OTHER)) if cap else (policy,)
    scene = Scene(m, step, setup)
    for scope in cast.scopes:
        _scope(scene, ScopeId(scope), cap)
    _requests(scene, cast)
    for ref in cast.refs:
        _attempt(scene, ref)
        if ref.owner == URGENT and resources:
            _resources(scene, ref, resources)
    _claim(m, cast, cap)
    return m


def _scope(scene: Scene, scope: ScopeId, cap: int) -> None:
    scene.act(f"wake({scope})", Wake(scope, PROCESS))
    scene.act(f"dispose({scope})", Dispose(scope))
    scene.handle(FollowUp.ABORT_EACH, scope)
    scene.handle(FollowUp.REJECT_QUEUED, scope)
    if not cap:
        scene.act(f"mount({scope})", Mount(scope))
        scene.act(f"suspend({scope})", Suspend(scope))
        scene.act(f"resume({scope})", Resume(scope))
    elif scope == SCOPE:
        scene.handle(FollowUp.WAKE_STARVED)


def _requests(scene: Scene, cast: claims.Cast) -> None:
    for request in cast.requests:
        who = request_id(request)
        where = OTHER if who == CROWD else SCOPE
        priority = Priority.URGENT if who == URGENT else Priority.NORMAL
        scene.new(f"ask({who})", Ask(who, where, PROCESS, priority))
        scene.act(f"withdraw({who})", Withdraw(who))
        scene.act(f"wait expired({who})", WaitExpired(who))
        scene.handle(FollowUp.ASK_AGAIN, who)


def _attempt(scene: Scene, ref: Ref) -> None:
    name = f"{ref.owner}.{ref.number}"
    scene.act(f"succeed({name})", Succeed(ref))
    scene.act(f"fail({name})", Fail(ref))
    scene.act(f"stopped({name})", Stopped(ref))
    scene.act(f"owner gone({name})", OwnerGone(ref))
    scene.act(f"abort({name})", Abort(ref, AbortReason.USER))
    if ref.owner == NORMAL:
        scene.act(f"timeout({name})", Abort(ref, AbortReason.TIMEOUT))
        scene.act(f"abandon({name})", Abandon(ref, UserId(1), True))


def _resources(scene: Scene, ref: Ref, most: int) -> None:
    """The numbers of what an attempt holds run out."""

    def room(read: Read) -> bool:
        attempt = read((Kind.ATTEMPT, ref))
        return attempt is None or bool(attempt.resources < most)

    name = f"{ref.owner}.{ref.number}"
    scene.act(f"add worker({name})", AddWorker(ref), when=room)
    scene.act(f"add handler({name})", AddHandler(ref), when=room)
    scene.act(f"add stream({name})", AddStream(ref), when=room)
    scene.handle(FollowUp.END_RESOURCES, ref)
    for number in range(1, most + 1):
        for event in (*WorkerEvent, *HandlerEvent, *StreamEvent):
            machine = type(event).__name__.removesuffix("Event").lower()
            scene.act(f"{machine} {event}({name}.{number})", ResourceEvent(ref, number, event))


def _claim(m: Model, cast: claims.Cast, cap: int) -> None:
    claims.of_scopes(m, cast)
    claims.of_dispose(m, cast)
    if m.bounds["queued"]:
        claims.of_lanes(m, cast)
    if cast.resources:
        _claim_resources(m, cast)
    requests = tuple((Kind.REQUEST, request) for request in cast.requests)
    m.always(
        "the queue is bounded",
        claims.each(
            ((Kind.SCOPE, s) for s in cast.scopes),
            lambda read, key, s: (
                _queued(read, cast, key[1]) == s.queued <= read((Kind.POLICY, key[1])).max_queued
            ),
        ),
        "no more requests are queued than the policy says, and none where it does not queue",
        cites="ACT-13d ACT-13e",
    )
    m.always(
        "who is queued waits",
        claims.each(requests, lambda read, key, _: read((Kind.WAITER, key[1])) is not None),
        "a queued request stands in a lane",
        cites="ACT-13e",
    )
    if cap:
        m.always(
            "slots within the cap",
            lambda read: read((Kind.CAP,)).active == _active(read, cast) <= cap,
            "all scopes together hold no more slots than the cap",
            cites="ACT-13a",
        )
        m.sometimes("a scope waits for the cap", lambda read: read((Kind.CAP,)).first is not None)
    if cast.numbers > 1:
        refs = tuple((Kind.ATTEMPT, ref) for ref in cast.refs if ref.number > 1)
        m.sometimes("a second attempt", claims.some(refs, lambda read, key, cell: True))
    if m.bounds["queued"]:
        m.sometimes("someone is queued", claims.some(requests, lambda read, key, cell: True))
    if m.bounds["queued"] and not cap:
        m.sometimes("two wait", lambda read: len(claims.waiters(read, cast, SCOPE)) > 1)


def _queued(read: Read, cast: claims.Cast, scope: int) -> int:
    cells = (read((Kind.REQUEST, request)) for request in cast.requests)
    return sum(1 for cell in cells if cell is not None and cell.scope == scope)


def _active(read: Read, cast: claims.Cast) -> int:
    return sum(read((Kind.SCOPE, s)).active for s in cast.scopes)


def _claim_resources(m: Model, cast: claims.Cast) -> None:
    """Workers, handlers, streams."""
    keys = tuple((Kind.RESOURCE, ref, n + 1) for ref in cast.refs for n in range(cast.resources))
    m.always(
        "what outlives its attempt is told to end",
        claims.each(keys, lambda read, key, cell: _runs_on(read, key) or _ends_soon(read, key, cell)),
        "a worker, handler or stream whose attempt no longer runs was told to end, or is about to be",
        cites="ACT-9b ACT-11b ACT-16c",
    )
    m.always_step(
        "resources only while running",
        lambda before, after, action, change: all(
            cell is None or before(key) is not None or _may_hold(before, key)
            for key, cell in claims.written(change, Kind.RESOURCE)
        ),
        "a worker, handler or stream begins only for a running attempt, in a scope that is not suspended",
        cites="ACT-9a ACT-9c ACT-12a",
    )
    m.sometimes(
        "a worker outlives its attempt", claims.some(keys, lambda read, key, _: _holder(read, key) is None)
    )


def _holder(read: Read, key: Any) -> Any:
    return read((Kind.ATTEMPT, key[1]))


def _runs_on(read: Read, key: Any) -> bool:
    attempt = _holder(read, key)
    return attempt is not None and attempt.state == "running"


def _ends_soon(read: Read, key: Any, cell: Any) -> bool:
    ending = read((Kind.FOLLOW, FollowUp.END_RESOURCES, key[1]))
    return cell.state in ORDERED_TO_END or (ending is not None and ending.cursor <= key[2] <= ending.last)


def _may_hold(read: Read, key: Any) -> bool:
    return _runs_on(read, key) and read((Kind.SCOPE, _holder(read, key).scope)).state in claims.CAN_EXECUTE
