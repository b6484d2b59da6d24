"""Whether a committed attempt is dispatched, carried by how many, and what a signal leads to (DSP-4 to 11).

Pressures and loads are integers in thousandths. A mean is never computed: sums are
compared with multiples, so that no rounding decides.
"""

from enum import StrEnum
from typing import Final, NamedTuple

from dhruva.limits import (
    COOPERATIVE_BOUND,
    MILLI,
    PRESSURES,
    THRESHOLD_FLOOR_MILLI,
    THRESHOLD_MILLI,
    THRESHOLD_STEP_MILLI,
    URGENCY_MAX,
)


class OutcomeSignal(StrEnum):
    """What comes back from a dispatch: pressure feedback, never a result (DSP-7)."""

    RETRY = "retry"
    ESCALATE = "escalate"
    DROP = "drop"


class Admission(StrEnum):
    """Dispatch, or the reason for the drop (DSP-10, DSP-11)."""

    DISPATCH = "dispatch"
    SPAWN_BUDGET_EXHAUSTED = "spawn_budget_exhausted"
    RETRY_DEPTH_EXHAUSTED = "retry_depth_exhausted"
    PRESSURE_EXCEEDED = "pressure_exceeded"
    SIGNALLED = "signalled"


class Readmission(NamedTuple):
    """The answer to a signal, with the depth and urgency that hold from now on."""

    admission: Admission
    depth: int
    urgency: int


def pressure(memory: int, queue_depth: int, saturation: int) -> int:
    """The sum of the three pressures, each clamped to 0..1 (DSP-10)."""
    return _clamp(memory, MILLI) + _clamp(queue_depth, MILLI) + _clamp(saturation, MILLI)


def threshold(urgency: int) -> int:
    """The mean pressure up to which this urgency is dispatched (DSP-9)."""
    return max(THRESHOLD_FLOOR_MILLI, THRESHOLD_MILLI - THRESHOLD_STEP_MILLI * _clamp(urgency, URGENCY_MAX))


def permits(total: int, urgency: int) -> bool:
    """Whether the mean pressure is not strictly above the threshold (DSP-10)."""
    return total <= PRESSURES * threshold(urgency)


def admit(spawned: int, budget: int, depth: int, max_depth: int, total: int, urgency: int) -> Admission:
    """Admission, in its order: budget, depth, pressure, then dispatch (DSP-10)."""
    if spawned >= budget:
        return Admission.SPAWN_BUDGET_EXHAUSTED
    if depth > max_depth:
        return Admission.RETRY_DEPTH_EXHAUSTED
    if not permits(total, urgency):
        return Admission.PRESSURE_EXCEEDED
    return Admission.DISPATCH


def readmit(
    signal: OutcomeSignal, spawned: int, budget: int, depth: int, max_depth: int, total: int, urgency: int
) -> Readmission:
    """What a signal leads to: admission one deeper, or a drop, which changes neither (DSP-8, 9, 11)."""
    if signal == OutcomeSignal.DROP:
        return Readmission(Admission.SIGNALLED, depth, urgency)
    raised = min(urgency + 1, URGENCY_MAX) if signal == OutcomeSignal.ESCALATE else urgency
    answer = admit(spawned, budget, depth + 1, max_depth, total, raised)
    if answer == Admission.DISPATCH:
        return Readmission(answer, depth + 1, raised)
    return Readmission(answer, depth, urgency)


def cooperative_count(cost: int, total: int, depth: int, max_depth: int, unit: int, most: int) -> int:
    """How many cooperatives share the load: clamp(floor(load / unit), 0, most) (DSP-6).

    load = cost x (1 + mean pressure) x (1 + depth / max_depth). Both sides of the division are
    multiplied out, and the floor is counted instead of divided: the bound is four.
    """
    by_depth, of_depth = (max_depth + depth, max_depth) if max_depth > 0 else (1, 1)
    load = cost * (PRESSURES * MILLI + total) * by_depth
    carried = unit * PRESSURES * MILLI * of_depth
    return sum(1 for k in _CARRIERS if k <= most and load >= k * carried)


_CARRIERS: Final = tuple(range(1, COOPERATIVE_BOUND + 1))


def _clamp(value: int, most: int) -> int:
    return min(max(value, 0), most)
