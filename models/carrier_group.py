"""Dispatch: budget, depth, pressure, cooperatives, carrier commit, the call, outcome signals, drops.

One task whose attempt is admitted under low, high or extreme pressure, with cooperatives; its carriers
commit, the call is taken, acknowledged, fails or is lost, an outcome signal retries, escalates or drops, and
at any point in between the attempt may be aborted and end, lose its owner, be retried under a new ref, or the
task cancelled. Signals come late, twice and for older spawns.

Left out: other tasks and scopes (no rule of dispatch looks at them) and locks (models/lock_release.py). Two
spawns suffice for "the next one": a rule compares the newest spawn number with the one it is given. Pressure
enters rules only through comparisons with thresholds, so one reading below all of them, one at the first
(and above the next) and one above all stand for every number. Attempts run out with the scope's spawns.
"""

from dhruva.cells import EffectKind, FollowUp, Key, Kind
from dhruva.decide.admission import OutcomeSignal
from dhruva.explore import Model
from dhruva.ids import ExecutorId, ProcessId, Ref, ScopeId, UserId
from dhruva.inputs import (
    Abort,
    Ack,
    Admit,
    Cancel,
    CommitCarrier,
    CreateScope,
    CreateTask,
    Due,
    EffectFailed,
    Fail,
    Lost,
    Outcome,
    OwnerGone,
    Reset,
    Resolve,
    Stopped,
    Succeed,
    Take,
    Wake,
    WithdrawCooperative,
)
from dhruva.machines.attempt import AbortReason
from dhruva.step import Step
from dhruva.step import step as shipped
from models import claims
from models.claims.admission import of_admission
from models.claims.carriers import of_carriers, of_spent
from models.world import Scene, task_id

SCOPE, PROCESS, EXECUTOR, TASK = ScopeId(1), ProcessId(9), ExecutorId(5), task_id(20)
LOW, HIGH, EXTREME = 0, 900, 950  # thousandths: below all thresholds, at that of level 0, above all
COST = 1000  # of one dispatch: one cooperative at no pressure, two never come before depth 1
MOST = 2  # cooperatives per group


def model(
    budget: int = 2,
    depth: int = 1,
    attempts: int = 2,
    cost: int = COST,
    spawns: int = 1,
    runs: int = 1,
    live: int = 0,
    step: Step = shipped,
) -> Model:
    """`spawns` are attempts of the scope, `budget` are carriers of a run.

    `runs` 2: the task may be re-executed; some ends of calls and bodies, which one run shows, are left out.
    `live` 1: claims about what happens in the end are made too.
    """
    m = Model(
        "carrier group",
        budget=budget,
        depth=depth,
        attempts=attempts,
        cost=cost,
        spawns=spawns,
        runs=runs,
        live=live,
    )
    cast = claims.Cast((SCOPE,), (TASK,), numbers=spawns, runs=runs)
    setup = (
        CreateScope(SCOPE, max_concurrent=1, max_spawns=spawns),
        CreateTask(TASK, SCOPE, EXECUTOR, max_attempts=attempts, budget=budget, max_depth=depth),
        Wake(SCOPE, PROCESS),
    )
    scene = Scene(m, step, setup)
    scene.act("wake", Wake(SCOPE, PROCESS))
    scene.act("cancel", Cancel(TASK))
    scene.act("due", Due(TASK, 1, 1))
    scene.handle(FollowUp.TELL, TASK)
    if runs > 1:
        scene.act("re-execute", Reset(TASK, None), when=lambda read: read((Kind.TASK, TASK)).run < runs)
        scene.handle(FollowUp.RESET, TASK)
    for ref in cast.refs:
        _attempt(scene, ref, cost)
        for spawn in range(1, budget + 1):
            _carrier(scene, ref, spawn, cost)
    claims.of_scopes(m, cast)
    claims.of_tasks(m, cast)
    claims.of_cancel(scene)
    claims.of_ends(scene, cast)
    claims.of_outcomes(scene)
    of_carriers(scene, cast, budget)
    of_admission(scene, TASK)
    if live:
        claims.of_follow_ups(scene, "handle *")
        of_spent(scene, cast, budget, "handle *", "withdraw(*)", "commit(*)", "take(*)", "ack(*)")
    m.allow_deadlock("spawns and budgets run out, and the dispatch layer waits for no signal (DSP-1c)")
    return m


def _attempt(scene: Scene, ref: Ref, cost: int) -> None:
    n = _named(ref)
    for pressure in (LOW, EXTREME):
        scene.act(f"admit({n}, {pressure})", Admit(ref, cost, pressure, pressure, pressure))
    scene.act(f"succeed({n})", Succeed(ref))
    scene.act(f"fail({n})", Fail(ref))
    scene.act(f"stopped({n})", Stopped(ref))
    if scene.m.bounds["runs"] == 1:
        scene.act(f"owner gone({n})", OwnerGone(ref))
        scene.act(f"timeout({n})", Abort(ref, AbortReason.TIMEOUT))
    scene.handle(FollowUp.END_RESOURCES, ref)


def _named(ref: Ref) -> str:
    return str(ref.number) if ref.run == 1 else f"{ref.run}.{ref.number}"


def _call(ref: Ref, spawn: int) -> Key:
    return (Kind.EFFECT, EffectKind.DISPATCH, ref, spawn)


def _carrier(scene: Scene, ref: Ref, spawn: int, cost: int) -> None:
    name = f"{_named(ref)}.{spawn}"
    call = _call(ref, spawn)
    for number in range(1, MOST + 1):
        scene.act(f"withdraw({name}.{number})", WithdrawCooperative(ref, spawn, number))
    scene.act(f"commit({name})", CommitCarrier(ref, spawn))
    scene.act(f"take({name})", Take(call))
    scene.act(f"ack({name})", Ack(call))
    if scene.m.bounds["runs"] == 1:
        scene.act(f"call failed({name})", EffectFailed(call))
        scene.act(f"lost({name})", Lost(call))
        scene.act(f"resolve({name})", Resolve(call, True, UserId(1), True))
    for signal in OutcomeSignal:
        for pressure in (LOW, HIGH):
            given = Outcome(ref, spawn, signal, cost, pressure, pressure, pressure)
            scene.act(f"{signal}({name}, {pressure})", given)
