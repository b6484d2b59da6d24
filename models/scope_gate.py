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
    Fail,
    OwnerGone,
    ResourceEvent,
    SetCap,
    Stopped,
    Succeed,
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

SCOPE, OTHER, NOWHERE = ScopeId(1), ScopeId(2), ScopeId(99)
THIRD, FOURTH = ScopeId(3), ScopeId(4)
PROCESS = ProcessId(9)
URGENT, NORMAL, CROWD = request_id(10), request_id(11), request_id(12)


def model(
    limit: int = 1,
    spawns: int = 2,
    retry: int = 1,
    queued: int = 2,
    resources: int = 1,
    cap: int = 0,
    timeout_retries: int = 0,
    requests: int = 2,
    others: int = 0,
    live: int = 0,
    step: Step = shipped,
) -> Model:
    """`queued` 0: the policy rejects what is over the limit. `cap` 0: no cap, and one scope.

    `live` 1: claims about what happens in the end are made too.
    `others` 1: further scopes are made meanwhile.
    `requests` 3: another of normal priority, in the second scope if there is one.
    """
    m = Model(
        "scope gate",
        limit=limit,
        spawns=spawns,
        retry=retry,
        queued=queued,
        resources=resources,
        cap=cap,
        timeout_retries=timeout_retries,
        requests=requests,
        others=others,
        live=live,
    )
    cast = claims.Cast(
        scopes=(SCOPE, OTHER) if cap else (SCOPE,),
        requests=(URGENT, NORMAL, CROWD)[:requests],
        numbers=min(spawns, 1 + retry),
        resources=resources,
    )
    policy = CreateScope(
        SCOPE, cap > 0, limit, spawns, retry, timeout_retries > 0, queued > 0, queued or 1, capped=cap > 0
    )
    setup = (SetCap(cap), policy, policy._replace(scope=OTHER)) if cap else (policy,)
    scene = Scene(m, step, setup, *((claims.buried,) if resources else ()))
    for scope in cast.scopes:
        _scope(scene, ScopeId(scope), cap)
    _registry(scene, policy, cap, others)
    _requests(scene, cast)
    for ref in cast.refs:
        _attempt(scene, ref)
        if ref.owner == URGENT and resources:
            _resources(scene, ref, resources)
    _claim(scene, cast, cap, queued)
    if live:
        _claim_progress(scene, cast)
    return m


def _scope(scene: Scene, scope: ScopeId, cap: int) -> None:
    claims.opens(scene, scope, mounted=cap > 0, suspends=cap == 0)
    scene.act(f"wake({scope})", Wake(scope, PROCESS))
    scene.handle(FollowUp.ABORT_EACH, scope)
    scene.handle(FollowUp.REJECT_QUEUED, scope)
    if cap and scope == SCOPE:
        scene.handle(FollowUp.WAKE_STARVED)


def _registry(scene: Scene, known: CreateScope, cap: int, others: int) -> None:
    """What is refused whatever happens; `others` are made once each."""
    scene.act("create again", known)
    scene.act("create without a slot", known._replace(scope=NOWHERE, max_concurrent=0))
    scene.act("set cap again" if cap else "set cap to nothing", SetCap(cap))
    if not cap:
        scene.act("create under no cap", known._replace(scope=NOWHERE, capped=True))
    for scope in (THIRD, FOURTH) if others else ():
        scene.act(f"create({scope})", known._replace(scope=scope, mount=scope == THIRD))
    claims.of_registry(scene)


def _requests(scene: Scene, cast: claims.Cast) -> None:
    for request in cast.requests:
        who = request_id(request)
        where = OTHER if who == CROWD and len(cast.scopes) > 1 else SCOPE
        priority = Priority.URGENT if who == URGENT else Priority.NORMAL
        scene.new(f"ask({who})", Ask(who, where, PROCESS, priority))
        scene.act(f"withdraw({who})", Withdraw(who))
        scene.act(f"wait expired({who})", WaitExpired(who))
        scene.handle(FollowUp.ASK_AGAIN, who)
    scene.act("ask nowhere", Ask(NORMAL, NOWHERE, PROCESS, Priority.NORMAL))
    scene.act("ask late", Ask(NORMAL, SCOPE, PROCESS, Priority.NORMAL, late=True))
    scene.act("what is no input", None)


def _attempt(scene: Scene, ref: Ref) -> None:
    name = f"{ref.owner}.{ref.number}"
    scene.act(f"succeed({name})", Succeed(ref))
    scene.act(f"fail({name})", Fail(ref))
    scene.act(f"stopped({name})", Stopped(ref))
    scene.act(f"owner gone({name})", OwnerGone(ref))
    scene.act(f"abort({name})", Abort(ref, AbortReason.USER))
    if ref.owner == NORMAL:
        scene.act(f"timeout({name})", Abort(ref, AbortReason.TIMEOUT))
        scene.act(f"shutdown({name})", Abort(ref, AbortReason.SHUTDOWN))
        scene.act(f"abort from inside({name})", Abort(ref, AbortReason.WORKER))
    for actor, reasoned in ((UserId(1), True), (None, True), (UserId(1), False)):
        scene.act(f"abandon({name}, {actor}, {reasoned})", Abandon(ref, actor, reasoned))


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


def _claim(scene: Scene, cast: claims.Cast, cap: int, queued: int) -> None:
    m = scene.m
    claims.of_scopes(m, cast)
    claims.of_dispose(m, cast)
    claims.of_gate(scene, cast)
    claims.of_requests(scene, cast)
    claims.of_ends(scene, cast)
    claims.of_retries(scene)
    if m.bounds["queued"]:
        claims.of_lanes(m, cast)
    if cast.resources:
        claims.of_resources(scene, cast)
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
    if queued > 1 and not cap:
        m.sometimes("two wait", lambda read: len(claims.waiters(read, cast, SCOPE)) > 1)


def _claim_progress(scene: Scene, cast: claims.Cast) -> None:
    ends = ("worker exited(*)", "handler stopped(*)") if cast.resources else ()
    claims.of_follow_ups(scene, "handle *")
    claims.of_disposal(scene, cast, "handle *", "stopped(*)", *ends)
    if scene.m.bounds["queued"]:
        claims.of_queued(scene, cast, "handle *", "wake(*)", "succeed(*)")


def _active(read: Read, cast: claims.Cast) -> int:
    return sum(read((Kind.SCOPE, s)).active for s in cast.scopes)
