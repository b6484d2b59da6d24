"""Admission, re-admission and what cooperatives share (DSP-4, 6, 8 to 11)."""

from dhruva.decide.admission import (
    Admission,
    OutcomeSignal,
    Readmission,
    admit,
    cooperative_count,
    permits,
    pressure,
    readmit,
    threshold,
)
from dhruva.limits import COOPERATIVE_BOUND, COOPERATIVE_UNIT_MILLI
from proofs.contracts.registry import contract


@contract(cites="DSP-4 DSP-8 DSP-10")
def dispatched_only_within_budget_depth_and_pressure(
    spawned: int, budget: int, depth: int, max_depth: int, total: int, urgency: int
) -> Admission:
    """
    post: (_ == Admission.DISPATCH) == (spawned < budget and depth <= max_depth and permits(total, urgency))
    """
    return admit(spawned, budget, depth, max_depth, total, urgency)


@contract(cites="DSP-10")
def admission_names_budget_before_depth_before_pressure(
    spawned: int, budget: int, depth: int, max_depth: int, total: int, urgency: int
) -> Admission:
    """
    post: (_ == Admission.SPAWN_BUDGET_EXHAUSTED) == (spawned >= budget)
    post: _ != Admission.RETRY_DEPTH_EXHAUSTED or (spawned < budget and depth > max_depth)
    post: _ != Admission.PRESSURE_EXCEEDED or (spawned < budget and depth <= max_depth)
    post: _ != Admission.SIGNALLED
    """
    return admit(spawned, budget, depth, max_depth, total, urgency)


@contract(cites="DSP-8 DSP-9")
def a_signal_is_honoured_one_deeper_within_the_same_guards(
    signal: OutcomeSignal, spawned: int, budget: int, depth: int, max_depth: int, total: int, urgency: int
) -> Readmission:
    """
    pre: 0 <= urgency <= 4
    post: _.depth == (depth + 1 if _.admission == Admission.DISPATCH else depth)
    post: _.admission != Admission.DISPATCH or (depth < max_depth and spawned < budget)
    post: _.admission != Admission.DISPATCH or permits(total, _.urgency)
    post: urgency <= _.urgency <= min(4, urgency + 1)
    post: _.urgency == urgency or signal == OutcomeSignal.ESCALATE
    """
    return readmit(signal, spawned, budget, depth, max_depth, total, urgency)


@contract(cites="DSP-9")
def an_escalation_that_is_honoured_is_one_level_more_urgent(
    spawned: int, budget: int, depth: int, max_depth: int, total: int, urgency: int
) -> Readmission:
    """
    pre: 0 <= urgency <= 4
    post: _.admission != Admission.DISPATCH or _.urgency == min(4, urgency + 1)
    """
    return readmit(OutcomeSignal.ESCALATE, spawned, budget, depth, max_depth, total, urgency)


@contract(cites="DSP-11")
def a_drop_signal_drops_and_says_so(
    signal: OutcomeSignal, spawned: int, budget: int, depth: int, max_depth: int, total: int, urgency: int
) -> Readmission:
    """
    post: (_.admission == Admission.SIGNALLED) == (signal == OutcomeSignal.DROP)
    post: _.admission == Admission.DISPATCH or (_.depth == depth and _.urgency == urgency)
    """
    return readmit(signal, spawned, budget, depth, max_depth, total, urgency)


@contract(cites="DSP-9")
def thresholds_fall_by_a_tenth_per_level_down_to_a_half(urgency: int) -> int:
    """
    post: 500 <= _ <= 900
    post: not 0 <= urgency <= 4 or _ == 900 - 100 * urgency
    post: 0 <= urgency <= 4 or _ == (900 if urgency < 0 else 500)
    """
    return threshold(urgency)


def _in_range(*pressures: int) -> bool:
    return all(0 <= pressure <= 1000 for pressure in pressures)


@contract(cites="DSP-10")
def each_pressure_counts_from_none_to_one_whole(memory: int, queue_depth: int, saturation: int) -> int:
    """
    post: 0 <= _ <= 3000
    post: not _in_range(memory, queue_depth, saturation) or _ == memory + queue_depth + saturation
    post: memory <= 1000 or _ == pressure(1000, queue_depth, saturation)
    post: saturation >= 0 or _ == pressure(memory, queue_depth, 0)
    """
    return pressure(memory, queue_depth, saturation)


@contract(cites="DSP-10")
def only_a_mean_strictly_above_the_threshold_is_too_much(total: int, urgency: int) -> bool:
    """
    post: _ == (not total > 3 * threshold(urgency))
    """
    return permits(total, urgency)


@contract(cites="DSP-6")
def cooperatives_are_the_whole_units_of_load_up_to_the_most(cost: int, total: int, most: int) -> int:
    """
    pre: cost >= 0 and 0 <= total <= 3000 and 0 <= most <= COOPERATIVE_BOUND
    post: 0 <= _ <= most
    post: _ * COOPERATIVE_UNIT_MILLI * 3000 <= cost * (3000 + total)
    post: _ == most or (_ + 1) * COOPERATIVE_UNIT_MILLI * 3000 > cost * (3000 + total)
    """
    return cooperative_count(cost, total, 0, 0, COOPERATIVE_UNIT_MILLI, most)


@contract(cites="DSP-6")
def load_grows_with_depth_up_to_twice(cost: int, depth: int, most: int) -> int:
    """
    pre: cost >= 0 and 0 <= depth <= 3 and 0 <= most <= COOPERATIVE_BOUND
    post: 0 <= _ <= most
    post: _ * COOPERATIVE_UNIT_MILLI * 3 <= cost * (3 + depth)
    post: _ == most or (_ + 1) * COOPERATIVE_UNIT_MILLI * 3 > cost * (3 + depth)
    """
    return cooperative_count(cost, 0, depth, 3, COOPERATIVE_UNIT_MILLI, most)
