"""Dispatch: budget, depth, pressure, cooperatives, carrier commit, the call, outcome signals, drops.

One task whose attempt is admitted under low, high or extreme pressure, with cooperatives; its carriers
commit, the call is taken, acknowledged, fails or is lost, an outcome signal retries, escalates or drops, and
at any point in between the attempt may be aborted and end, lose its owner, be retried under a new ref, or the
task cancelled. Signals come late, twice and for older spawns.

Left out: other tasks and scopes (no rule of dispatch looks at them) and locks (models/lock_release.py). Two
spawns suffice for "the next one": a rule compares the newest spawn number with the one it is given. Pressure
enters rules only through comparisons with thresholds, so one reading below all of them, one between two
levels and one above all stand for every number. Attempts run out with the scope's spawns.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from dhruva.cells import EffectKind, FollowUp, Key, Kind
from dhruva.decide.admission import OutcomeSignal
from dhruva.effects import Dropped
from dhruva.explore import Model, Read, count, for_each
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
from models.claims import each
from models.world import Scene, task_id

SCOPE, PROCESS, EXECUTOR, TASK = ScopeId(1), ProcessId(9), ExecutorId(5), task_id(20)
LOW, HIGH, EXTREME = 0, 850, 950  # thousandths: below all thresholds, between levels 0 and 1, above all
COST = 1000  # of one dispatch: one cooperative at no pressure, two never come before depth 1
MOST = 2  # cooperatives per group


def model(
    budget: int = 2,
    depth: int = 1,
    attempts: int = 2,
    cost: int = COST,
    spawns: int = 1,
    step: Step = shipped,
) -> Model:
    """`spawns` are attempts of the scope, `budget` are carriers of a run."""
    m = Model("carrier group", budget=budget, depth=depth, attempts=attempts, cost=cost, spawns=spawns)
    cast = claims.Cast((SCOPE,), (TASK,), numbers=spawns)
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
    for ref in cast.refs:
        _attempt(scene, ref, cost)
        for spawn in range(1, budget + 1):
            _carrier(scene, ref, spawn, cost)
    claims.of_scopes(m, cast)
    claims.of_tasks(m, cast)
    _claim_carriers(m, cast, budget)
    _claim_counters(m)
    m.allow_deadlock("spawns and budgets run out, and the dispatch layer waits for no signal (DSP-1c)")
    return m


def _attempt(scene: Scene, ref: Ref, cost: int) -> None:
    n = ref.number
    for pressure in (LOW, EXTREME):
        scene.act(f"admit({n}, {pressure})", Admit(ref, cost, pressure, pressure, pressure))
    scene.act(f"succeed({n})", Succeed(ref))
    scene.act(f"fail({n})", Fail(ref))
    scene.act(f"stopped({n})", Stopped(ref))
    scene.act(f"owner gone({n})", OwnerGone(ref))
    scene.act(f"timeout({n})", Abort(ref, AbortReason.TIMEOUT))
    scene.handle(FollowUp.END_RESOURCES, ref)


def _call(ref: Ref, spawn: int) -> Key:
    return (Kind.EFFECT, EffectKind.DISPATCH, ref, spawn)


def _carrier(scene: Scene, ref: Ref, spawn: int, cost: int) -> None:
    name = f"{ref.number}.{spawn}"
    call = _call(ref, spawn)
    for number in range(1, MOST + 1):
        scene.act(f"withdraw({name}.{number})", WithdrawCooperative(ref, spawn, number))
    scene.act(f"commit({name})", CommitCarrier(ref, spawn))
    scene.act(f"take({name})", Take(call))
    scene.act(f"ack({name})", Ack(call))
    scene.act(f"call failed({name})", EffectFailed(call))
    scene.act(f"lost({name})", Lost(call))
    scene.act(f"resolve({name})", Resolve(call, True, UserId(1), True))
    for signal in OutcomeSignal:
        for pressure in (LOW, HIGH):
            given = Outcome(ref, spawn, signal, cost, pressure, pressure, pressure)
            scene.act(f"{signal}({name}, {pressure})", given)


def _groups(cast: claims.Cast, budget: int) -> tuple[Key, ...]:
    return tuple((Kind.GROUP, ref, spawn + 1) for ref in cast.refs for spawn in range(budget))


def _claim_carriers(m: Model, cast: claims.Cast, budget: int) -> None:
    groups = _groups(cast, budget)
    for group in groups:
        helpers = tuple((Kind.COOPERATIVE, *group[1:], n + 1) for n in range(2 * MOST))
        m.always(
            f"idle counts cooperatives ({group[1].number}.{group[2]})",
            count(helpers, lambda read, key: read(key) is not None).equals(partial(_idle, group)),
            "a group knows how many cooperatives have not withdrawn",
            cites="DSP-5a",
        )
    m.always(
        "the primary commits alone",
        each(groups, lambda read, key, group: group.state not in ("committed", "void") or group.idle == 0),
        "once a primary has committed, none of its cooperatives is there any more",
        cites="DSP-5b DSP-5c DSP-5d",
    )
    m.always(
        "carriers are bounded",
        each(groups, lambda read, key, group: group.idle <= MOST),
        "a group has no more cooperatives than the most that is configured",
        cites="DSP-6d DSP-6h DSP-12a",
    )
    m.always(
        "one carrier at work per attempt",
        for_each(cast.refs, lambda read, ref: sum(_works(read, ref, n) for n in range(1, budget + 1)) <= 1),
        "at most one primary of an attempt is idle or committed at a time",
        cites="DSP-1a DSP-2b DSP-5a",
    )
    m.always(
        "committed means the call is on its way",
        each(
            groups, lambda read, key, group: (group.state == "committed") == _is_open(read(_call(*key[1:])))
        ),
        "a primary is committed exactly while its call is neither over nor of unknown outcome",
        cites="DSP-2b DSP-3a DSP-3d",
    )
    m.always_step(
        "a carrier commits once",
        lambda before, after, action, change: all(_forward(before(key), after, key) for key in groups),
        "void and withdrawn are final, nothing goes back to idle, and no carrier goes before its call",
        cites="DSP-2b DSP-2e DSP-3a",
    )
    m.always_step(
        "calls only for attempts that run",
        lambda before, after, action, change: all(
            _runs(before, key[1]) for key in groups if _issued(before, after, _call(*key[1:]))
        ),
        "no call is issued or taken for an attempt that has ended or was asked to end",
        cites="ACT-8b SHL-4d",
    )
    if m.bounds["cost"]:
        m.sometimes("two cooperatives", claims.some(groups, lambda read, key, group: group.idle == 2))
    m.sometimes("a call in doubt", lambda read: any(_in_doubt(read(_call(*key[1:]))) for key in groups))
    m.sometimes("a second carrier commits", lambda r: any(_works(r, ref, budget) == 1 for ref in cast.refs))


def _idle(key: Key, read: Read) -> int:
    group = read(key)
    return 0 if group is None else int(group.idle)


def _works(read: Read, ref: Ref, spawn: int) -> int:
    group = read((Kind.GROUP, ref, spawn))
    return int(group is not None and group.state in ("idle", "committed"))


def _is_open(call: Any) -> bool:
    return call is not None and call.state in ("pending", "taken")


def _in_doubt(call: Any) -> bool:
    return call is not None and call.state == "indeterminate"


def _forward(was: Any, after: Read, key: Key) -> bool:
    now = after(key)
    if was is None or now is None:
        return was is None or was.state != "committed" or not _is_open(after(_call(*key[1:])))
    onward = {"idle": ("idle", "committed", "withdrawn"), "committed": ("committed", "void")}
    return now.state in onward.get(was.state, (was.state,))


def _runs(read: Read, ref: Ref) -> bool:
    attempt = read((Kind.ATTEMPT, ref))
    return attempt is not None and attempt.state == "running"


def _issued(before: Read, after: Read, call: Key) -> bool:
    """A step that creates the call, or lets someone perform it."""
    was, now = before(call), after(call)
    return now is not None and (was is None or (was.state == "pending" and now.state == "taken"))


def _claim_counters(m: Model) -> None:
    dispatch = (Kind.DISPATCH, TASK)

    def spec(read: Read) -> Any:
        return read((Kind.SPEC, TASK))

    m.always(
        "within the budget",
        each((dispatch,), lambda read, key, cell: cell.spawned <= spec(read).budget),
        "in a run no more primaries are spawned than the task declares",
        cites="DSP-4b DSP-4c DSP-9e DSP-12a",
    )
    m.always(
        "within the depth",
        each((dispatch,), lambda read, key, cell: cell.depth <= spec(read).max_depth and cell.urgency <= 4),
        "depth stays within what the task declares, and urgency within 4",
        cites="DSP-8b DSP-8c DSP-9b",
    )
    m.always_step(
        "counters only grow",
        lambda before, after, action, change: _grows(before(dispatch), after(dispatch)),
        "within a run, spawns, depth and urgency never fall, and none is forgotten",
        cites="DSP-8a DSP-8d DSP-9a DSP-12b",
    )
    m.always_step(
        "a drop is final",
        lambda before, after, action, change: all(_is_final(after, drop) for drop in _drops(change)),
        "a dropped attempt makes its task failed, and no retry follows",
        cites="ACT-10d ACT-18h DSP-11a DSP-11e DSP-11f",
    )
    m.always_step(
        "the first broken rule is the reason",
        lambda before, after, action, change: all(_reason_fits(drop, action) for drop in _drops(change)),
        "budget is looked at first, then depth, then pressure; a signalled drop says so",
        cites="DSP-4c DSP-10a DSP-11c DSP-11d",
    )
    m.sometimes(
        "the budget is spent", lambda r: (c := r(dispatch)) is not None and c.spawned == spec(r).budget
    )
    if m.bounds["depth"]:
        m.sometimes("urgency is raised", lambda r: (c := r(dispatch)) is not None and c.urgency == 1)


def _drops(change: Any) -> Iterator[Dropped]:
    return (effect for effect in change.effects if isinstance(effect, Dropped))


def _is_final(after: Read, drop: Dropped) -> bool:
    return after((Kind.ATTEMPT, drop.ref)) is None and after((Kind.TASK, TASK)).status == "failed"


def _reason_fits(drop: Dropped, action: str) -> bool:
    if drop.reason == "signalled":
        return action.startswith("drop")
    if drop.spawned >= drop.budget:
        return drop.reason == "spawn_budget_exhausted"
    return drop.reason in ("retry_depth_exhausted", "pressure_exceeded")


def _grows(before: Any, after: Any) -> bool:
    if before is None or after is None:
        return before is None
    if after.run != before.run:
        return bool(after.run > before.run)
    return bool(
        before.spawned <= after.spawned <= before.spawned + 1
        and before.depth <= after.depth <= before.depth + 1
        and before.urgency <= after.urgency <= before.urgency + 1
    )
