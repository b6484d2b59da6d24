"""The composition: one scope, two tasks of which one needs the other, dispatch, a lock: everything at once.

Cancel, suspend, resume and dispose come at any time; the process that runs bodies is gone at any time, and
another one goes on; follow-ups interleave with everything; ends of bodies, timers and observations come late,
twice, or under a dead ref. The first task's attempts are dispatched: a carrier commits, a claim is made and
handed over, the target is spawned and observed, or never observed.

Left out, each in a model of its own with the same step: one-off requests and resources
(models/scope_gate.py), re-execution (models/task_lifecycle.py), re-admission (models/carrier_group.py), two
owners of one lock (models/lock_release.py), workflows (models/instance_signals.py). Two tasks are the least
that need each other, one slot the least that is contended; both attempts of the first task contend for the
target. Attempts run out with the scope's spawns, claims with its attempts.
"""

from collections.abc import Mapping
from typing import Any

from dhruva.assume import GHOST
from dhruva.cells import Change, EffectKind, FollowUp, Key, Kind
from dhruva.decide.plan import Plan
from dhruva.explore import Model, Read, count, for_each
from dhruva.ids import ExecutorId, Nonce, ProcessId, Ref, ScopeId, TargetId
from dhruva.inputs import (
    Abort,
    Ack,
    Admit,
    Cancel,
    Claim,
    CommitCarrier,
    CreateScope,
    CreateTask,
    Deliver,
    Depend,
    Due,
    Fail,
    Observe,
    OwnerGone,
    Stopped,
    Succeed,
    Take,
    Unobserved,
    Wake,
)
from dhruva.machines.attempt import AbortReason
from dhruva.machines.release import ReleaseEvent
from dhruva.step import Step
from dhruva.step import step as shipped
from models import claims
from models.world import Scene, task_id

SCOPE, EXECUTOR, TARGET = ScopeId(1), ExecutorId(5), TargetId(7)
MORTAL, HEIR = ProcessId(8), ProcessId(9)
FIRST, SECOND, THIRD = task_id(20), task_id(21), task_id(22)
LOCK: Key = (Kind.LOCK, TARGET)
UP: Key = (GHOST, "process", MORTAL)


def model(
    attempts: int = 1,
    limit: int = 1,
    spawns: int = 2,
    dispatch: int = 1,
    tasks: int = 2,
    live: int = 0,
    step: Step = shipped,
) -> Model:
    """`dispatch` 0: bodies are not dispatched, no lock is taken; timeout and shutdown abort them.

    `tasks` 3: another dependent, which waits for any end of the first task.
    `live` 1: claims about what happens in the end are made too.
    """
    m = Model(
        "kernel", attempts=attempts, limit=limit, spawns=spawns, dispatch=dispatch, tasks=tasks, live=live
    )
    cast = claims.Cast((SCOPE,), (FIRST, SECOND, THIRD)[:tasks], numbers=spawns)
    setup = [
        CreateScope(SCOPE, max_concurrent=limit, max_spawns=spawns),
        CreateTask(FIRST, SCOPE, EXECUTOR, max_attempts=attempts, budget=attempts),
        CreateTask(SECOND, SCOPE, EXECUTOR, dependencies=1),
        Depend(SECOND, FIRST),
    ]
    if tasks > 2:
        setup += [CreateTask(THIRD, SCOPE, EXECUTOR, dependencies=1), Depend(THIRD, FIRST, required=False)]
    scene = Scene(m, step, setup, _bodies)
    m.var(UP, "up")
    m.var((GHOST, "process", HEIR), "up")
    _scope(scene)
    for task in (FIRST, SECOND, THIRD)[:tasks]:
        scene.act(f"cancel({task})", Cancel(task))
        scene.handle(FollowUp.TELL, task)
    scene.handle(FollowUp.READY, FIRST)
    for tries in range(1, attempts):
        scene.act(f"due({tries})", Due(FIRST, 1, tries))
    for ref in cast.refs:
        _ends(scene, ref, dispatch == 0)
    if dispatch:
        for ref in cast.refs_of(FIRST)[:attempts]:
            _dispatch(scene, ref, attempts)
    _crash(m, cast)
    _claim(scene, cast)
    if live:
        _claim_progress(scene, cast, attempts > 1)
    return m


def _bodies(_read: Read, change: Change) -> Mapping[Key, Any]:
    """Ghosts: a body runs from commit until its own end was reported, or its process is gone."""
    moves = ((edge.key[1], str(edge.on)) for edge in change.edges if edge.machine == "attempt")
    runs = {"create": True, "succeed": None, "error": None, "stopped": None}
    return {(GHOST, "runs", ref): runs[on] for ref, on in moves if on in runs}


def _scope(scene: Scene) -> None:
    claims.opens(scene, SCOPE)
    scene.act("wake in the first process", Wake(SCOPE, MORTAL), when=lambda read: read(UP) == "up")
    scene.act("wake in the second process", Wake(SCOPE, HEIR), when=lambda read: read(UP) != "up")
    scene.handle(FollowUp.ABORT_EACH, SCOPE)
    scene.handle(FollowUp.REJECT_QUEUED, SCOPE)


def _ends(scene: Scene, ref: Ref, aborts: bool) -> None:
    name = f"{ref.owner}.{ref.number}"
    scene.act(f"succeed({name})", Succeed(ref))
    scene.act(f"stopped({name})", Stopped(ref))
    scene.act(f"owner gone({name})", OwnerGone(ref))
    if ref.owner == FIRST:
        scene.act(f"fail({name})", Fail(ref))
    if ref.owner == FIRST and aborts:
        scene.act(f"timeout({name})", Abort(ref, AbortReason.TIMEOUT))
        scene.act(f"shutdown({name})", Abort(ref, AbortReason.SHUTDOWN))


def _dispatch(scene: Scene, ref: Ref, nonces: int) -> None:
    """The spawn number is the attempt's number at most: each attempt is dispatched once."""
    scene.act(f"admit({ref.number})", Admit(ref, 0, 0, 0, 0))
    scene.handle(FollowUp.END_RESOURCES, ref)
    for spawn in range(1, ref.number + 1):
        name = f"{ref.number}.{spawn}"
        call = (Kind.EFFECT, EffectKind.DISPATCH, ref, spawn)
        scene.act(f"commit({name})", CommitCarrier(ref, spawn))
        scene.act(f"take({name})", Take(call))
        scene.act(f"ack({name})", Ack(call))
        _lock(scene, ref, spawn, nonces)


def _lock(scene: Scene, ref: Ref, spawn: int, nonces: int) -> None:
    """Who takes a call claims the target for it, and hands that claim over."""
    name = f"{ref.number}.{spawn}"
    call = (Kind.EFFECT, EffectKind.DISPATCH, ref, spawn)

    def is_taken(read: Read) -> bool:
        cell, lock = read(call), read(LOCK)
        return cell is not None and cell.state == "taken" and (lock is None or lock.nonce < nonces)

    def claimed(read: Read, change: Change) -> Mapping[Key, Any]:
        nonce = (change.writes.get(LOCK) or read(LOCK))[1]
        return {(GHOST, "claimant", TARGET, nonce): ref}

    scene.act(f"claim({name})", Claim(TARGET), when=is_taken, ghosts=claimed)
    for nonce in range(1, nonces + 1):
        given = Deliver(ref, spawn, Plan.BACKGROUND_SPAWN, TARGET, TARGET, Nonce(nonce))
        scene.act(f"deliver({name}, {nonce})", given)
        if (ref.number, spawn) == (1, 1):
            scene.act(f"unobserved({nonce})", Unobserved(TARGET, Nonce(nonce)))
    scene.act(f"observe({name})", Observe(ref, spawn, ReleaseEvent.SOCKET_ALIVE))


def _crash(m: Model, cast: claims.Cast) -> None:
    """The first process is gone, and with it every body that it ran."""

    def crash(read: Read) -> object:
        if read(UP) != "up":
            return None
        mine = (r for r in cast.refs if (c := read((Kind.ATTEMPT, r))) is not None and c.process == MORTAL)
        return {UP: "gone", **{(GHOST, "runs", ref): None for ref in mine}}

    m.action("crash", crash)


def _claim(scene: Scene, cast: claims.Cast) -> None:
    m = scene.m
    claims.of_scopes(m, cast)
    claims.of_dispose(m, cast)
    claims.of_gate(scene, cast)
    claims.of_lanes(m, cast)
    claims.of_tasks(m, cast)
    claims.of_cancel(scene)
    claims.of_ends(scene, cast)
    claims.of_outcomes(scene)
    claims.of_dependencies(m, cast)
    for task in cast.tasks:
        runs = tuple((GHOST, "runs", ref) for ref in cast.refs_of(task))
        m.always(
            f"one body really runs ({task})",
            count(runs, lambda read, key: read(key) is not None).at_most(1),
            "whatever is late, lost or gone, no two bodies of a task run at the same time",
            cites="LIF-15b LIF-15d LIF-15e",
        )
    m.always(
        "a body that runs holds a slot",
        for_each(
            cast.refs,
            lambda read, ref: not read((GHOST, "runs", ref)) or read((Kind.ATTEMPT, ref)) is not None,
        ),
        "a slot is not free before the end of the body was observed",
        cites="ACT-16b LIF-8d",
    )
    if m.bounds["dispatch"]:
        _claim_lock(m, cast)
    m.sometimes(
        "crashed in the middle",
        lambda r: r(UP) == "gone" and (c := r((Kind.TASK, FIRST))) is not None and c.alive,
    )


def _claim_progress(scene: Scene, cast: claims.Cast, retries: bool) -> None:
    claims.of_follow_ups(scene, "handle *")
    claims.of_disposal(scene, cast, "handle *", "stopped(*)")
    claims.of_cancelled(scene, cast, "stopped(*)")
    timers = ("due(*)",) if retries else ()
    claims.of_accepted(scene, cast, "handle *", "wake in *", "succeed(*)", *timers)


def _claim_lock(m: Model, cast: claims.Cast) -> None:
    m.always_step(
        "a lock waits for an observation",
        lambda before, after, action, change: (
            (lock := before(LOCK)) is None
            or lock.state == "free"
            or after(LOCK).state != "free"
            or action.startswith("observe")
        ),
        "cancel, dispose, crash and the end of an attempt release no lock; an observation does",
        cites="LIF-8d REL-8c REL-8d",
    )
    m.always_step(
        "no call for who must stop",
        lambda before, after, action, change: (
            not action.startswith("take") or _none_taken(before, after, cast)
        ),
        "no call is taken for an attempt that was asked to end",
        cites="ACT-8b SHL-4d",
    )
    m.sometimes(
        "a lock outlives its task", lambda read: _lock_is_held(read) and not read((Kind.TASK, FIRST)).alive
    )
    m.sometimes(
        "a lock outlives its scope", lambda r: _lock_is_held(r) and r((Kind.SCOPE, SCOPE)).state == "DISPOSED"
    )


def _none_taken(before: Read, after: Read, cast: claims.Cast) -> bool:
    keys = (
        (Kind.EFFECT, EffectKind.DISPATCH, ref, spawn + 1) for ref in cast.refs for spawn in range(ref.number)
    )
    taken = (key for key in keys if (c := after(key)) is not None and c.state == "taken" and before(key) != c)
    return all((a := before((Kind.ATTEMPT, key[2]))) is not None and a.state == "running" for key in taken)


def _lock_is_held(read: Read) -> bool:
    lock = read(LOCK)
    return lock is not None and lock.state in ("held", "retained")
