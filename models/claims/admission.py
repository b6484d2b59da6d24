"""Admission and outcome signals: budget, depth, pressure, drops, and who carries (DSP-4 to DSP-13)."""

from fractions import Fraction
from math import floor
from typing import Any

from dhruva.cells import Kind
from dhruva.effects import Announce, Dropped
from dhruva.explore import Read
from dhruva.ids import Ref, TaskId
from dhruva.inputs import Admit, Outcome
from models.claims.cast import each, effects, written
from models.world import Scene


def of_admission(scene: Scene, task: TaskId) -> None:
    m, dispatch = scene.m, (Kind.DISPATCH, task)

    def spec(read: Read) -> Any:
        return read((Kind.SPEC, task))

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
        lambda before, after, action, change: all(
            _is_final(after, drop) for drop in effects(change, Dropped)
        ),
        "a dropped attempt makes its task failed, and no retry follows",
        cites="ACT-10d ACT-18h DSP-11a DSP-11e DSP-11f",
    )
    scene.always_step(
        "admitted or dropped by the first broken rule",
        lambda before, after, given, change: (
            not isinstance(given, Admit | Outcome)
            or [drop.reason for drop in effects(change, Dropped)] == _reasons(before, given, spec(before))
        ),
        "budget is looked at first, then depth, then pressure; a signalled drop says so",
        cites="DSP-1a DSP-4c DSP-7a DSP-8b DSP-8c DSP-9c DSP-9d DSP-9e DSP-10a DSP-10b DSP-10c DSP-10d "
        "DSP-11c DSP-11d",
    )
    scene.always_step(
        "a signal that is honoured goes one deeper",
        lambda before, after, given, change: (
            not isinstance(given, Outcome)
            or _raised(before(dispatch), after(dispatch))
            == ((0, 0) if effects(change, Dropped) else (1, _rises(before(dispatch), given)))
        ),
        "retry and escalate add one to the depth, escalate one to the urgency up to 4, a drop nothing",
        cites="DSP-8a DSP-8d DSP-9a DSP-9b",
    )
    scene.always_step(
        "as many cooperatives as the load asks for",
        lambda before, after, given, change: all(
            before(key) is not None or cell.idle == _load(given, after(dispatch), spec(before))
            for key, cell in written(change, Kind.GROUP)
            if cell is not None
        ),
        "floor(cost x (1 + mean pressure) x (1 + depth / max depth) / unit), clamped to 0..max",
        cites="DSP-6a DSP-6b DSP-6c DSP-6d DSP-6e DSP-6f DSP-6h",
    )
    scene.always_step(
        "a drop is on record",
        lambda before, after, given, change: all(
            (drop.depth, drop.spawned, drop.budget, drop.pressure)
            == (
                after(dispatch).depth,
                after(dispatch).spawned,
                spec(before).budget,
                _total(given),
            )
            for drop in effects(change, Dropped)
        ),
        "the record of a drop has depth, spawn count, budget and pressure as they were",
        cites="DSP-11b",
    )
    scene.always_step(
        "what happens to a dispatch is told",
        lambda before, after, given, change: (
            not isinstance(given, Admit | Outcome)
            or {said.event for said in effects(change, Announce)} == _told(before, after, given)
        ),
        "admitted, spawned, cooperative carry, retry, escalation and a change of pressure are announced",
        cites="DSP-13",
    )
    scene.takes(
        "an attempt is dispatched once it is accepted",
        (Admit,),
        lambda r, given: (a := r((Kind.ATTEMPT, given.ref))) is not None and _is_new(a),
        "a running attempt that was not dispatched yet is admitted or dropped",
        cites="DSP-1a DSP-10a",
    )
    scene.takes(
        "a signal is heard once the carrier is spent",
        (Outcome,),
        lambda read, given: _is_over(read, given),
        "retry, escalate and drop are heard of the newest dispatch of a running attempt, when it is over",
        cites="DSP-1a DSP-7a DSP-7b",
    )
    scene.always_step(
        "no signal before the carrier is spent",
        lambda before, after, given, change: not isinstance(given, Outcome) or _is_over(before, given),
        "no signal is honoured for a call that may still be on its way, for an older one, or for a dead ref",
        cites="ACT-8b DSP-1a DSP-5a DSP-7b",
    )
    if m.bounds["depth"] or m.bounds["budget"] == 1:
        m.sometimes(
            "the budget is spent", lambda r: (c := r(dispatch)) is not None and c.spawned == spec(r).budget
        )
    if m.bounds["depth"]:
        m.sometimes("urgency is raised", lambda r: (c := r(dispatch)) is not None and c.urgency == 1)


def _is_final(after: Read, drop: Dropped) -> bool:
    return after((Kind.ATTEMPT, drop.ref)) is None and after((Kind.TASK, drop.ref.owner)).status == "failed"


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


def _total(given: Any) -> int:
    """The sum of the three pressures, each within 0..1, in thousandths."""
    return sum(max(0, min(1000, part)) for part in (given.memory, given.queue_depth, given.saturation))


def _reasons(before: Read, given: Any, spec: Any) -> list[str]:
    """Why this admission, or this signal, ends in a drop; empty if it is dispatched."""
    found = _of_this_run(before, given.ref)
    spawned, depth, level = (0, 0, 0) if found is None else (found.spawned, found.depth, found.urgency)
    if isinstance(given, Outcome):
        if given.signal == "drop":
            return ["signalled"]
        depth, level = depth + 1, min(4, level + (given.signal == "escalate"))
    if spawned >= spec.budget:
        return ["spawn_budget_exhausted"]
    if depth > spec.max_depth:
        return ["retry_depth_exhausted"]
    return ["pressure_exceeded"] if _total(given) > 3 * max(500, 900 - 100 * level) else []


def _raised(before: Any, after: Any) -> tuple[int, int]:
    return after.depth - before.depth, after.urgency - before.urgency


def _rises(before: Any, given: Outcome) -> int:
    return int(given.signal == "escalate" and before.urgency < 4)


def _load(given: Any, counters: Any, spec: Any) -> int:
    deeper = Fraction(counters.depth, spec.max_depth) if spec.max_depth else Fraction(0)
    load = Fraction(given.cost, 1000) * (1 + Fraction(_total(given), 3000)) * (1 + deeper)
    return max(0, min(2, floor(load)))


def _of_this_run(read: Read, ref: Ref) -> Any:
    """The counters of the run that the attempt is of, if anything was dispatched in it."""
    found = read((Kind.DISPATCH, ref.owner))
    return found if found is not None and found.run == ref.run else None


def _told(before: Read, after: Read, given: Any) -> set[str]:
    was, now = _of_this_run(before, given.ref), after((Kind.DISPATCH, given.ref.owner))
    told = set()
    if was is not None and was.pressure not in (None, _total(given)):
        told.add("pressure_changed")
    if now.spawned == (0 if was is None else was.spawned):
        return told
    if isinstance(given, Outcome):
        told.add("retry" if given.signal == "retry" else "escalation")
    carried = after((Kind.GROUP, given.ref, now.spawned)).idle > 0
    return told | {"admitted", "spawned"} | ({"cooperative_carry"} if carried else set())


def _is_new(attempt: Any) -> bool:
    return bool(attempt.state == "running" and attempt.spawn == 0)


def _is_over(read: Read, given: Outcome) -> bool:
    attempt, group = read((Kind.ATTEMPT, given.ref)), read((Kind.GROUP, given.ref, given.spawn))
    newest = attempt is not None and attempt.state == "running" and attempt.spawn == given.spawn
    return newest and group is not None and bool(group.state == "void")
