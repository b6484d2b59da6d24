"""Admission, signals and cooperatives, against exact fractions and chains of signals played to their end."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, cycle, islice, pairwise, product
from math import floor
from typing import Final, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dhruva.decide import admission
from dhruva.decide.admission import Admission, OutcomeSignal
from dhruva.limits import COOPERATIVE_MAX, COOPERATIVE_UNIT_MILLI

ORDER: Final = ("spawn_budget_exhausted", "retry_depth_exhausted", "pressure_exceeded")
BREAKAGES: Final = tuple(frozenset(some) for size in range(4) for some in combinations(ORDER, size))
LEVELS: Final = range(5)
THRESHOLDS: Final = (Fraction(9, 10), Fraction(8, 10), Fraction(7, 10), Fraction(6, 10), Fraction(5, 10))

few = st.integers(0, 4)
levels = st.integers(0, 4)
parts = st.integers(-200, 1200) | st.sampled_from([0, 1000])
totals = st.integers(0, 3000)


def thousandths(value: int) -> Fraction:
    return Fraction(value, 1000)


def mean(*three: int) -> Fraction:
    """The mean pressure, each part clamped to 0..1, in exact arithmetic."""
    return sum((min(max(thousandths(part), Fraction(0)), Fraction(1)) for part in three), Fraction(0)) / 3


@pytest.mark.cites("DSP-10b", "DSP-10d")
@settings(deadline=None)
@given(parts, parts, parts)
def test_the_pressure_is_three_times_the_mean_of_the_clamped_parts(m: int, q: int, s: int) -> None:
    total = admission.pressure(m, q, s)
    assert isinstance(total, int)
    assert Fraction(total, 3 * 1000) == mean(m, q, s)
    assert 0 <= total <= 3000


@pytest.mark.cites("DSP-10b")
@settings(deadline=None)
@given(parts, parts, parts)
def test_each_part_is_clamped_and_clamping_again_changes_nothing(m: int, q: int, s: int) -> None:
    clamped = [sorted((0, part, 1000))[1] for part in (m, q, s)]
    assert admission.pressure(*clamped) == admission.pressure(m, q, s)


@pytest.mark.cites("DSP-9c", "DSP-9d")
def test_the_threshold_is_tighter_per_level_down_to_the_floor() -> None:
    """All five levels."""
    answers = [admission.threshold(level) for level in LEVELS]
    assert [thousandths(answer) for answer in answers] == list(THRESHOLDS)
    assert all(tighter < wider for wider, tighter in pairwise(answers))


def sums_near(level: int, off: int) -> tuple[int, int, int]:
    """Three parts whose mean is the threshold of this level, or a thousandth of a third beside it."""
    at = int(THRESHOLDS[level] * 1000)
    return at, at - 7, at + 7 + off


@pytest.mark.cites("DSP-9d", "DSP-10c", "DSP-10d")
@settings(deadline=None, max_examples=200)
@given(st.builds(sums_near, levels, st.integers(-3, 3)) | st.tuples(parts, parts, parts))
def test_pressure_permits_unless_the_mean_is_strictly_above(three: tuple[int, int, int]) -> None:
    """All five levels; no rounding decides, so a third of a thousandth counts."""
    for level in LEVELS:
        above = mean(*three) > THRESHOLDS[level]
        assert admission.permits(admission.pressure(*three), level) is not above


class Numbers(NamedTuple):
    """How far the counts are from their limits, on either side."""

    limit: int
    below: int
    above: int
    level: int


numbers = st.builds(Numbers, few, few, few, levels)


def admitted(broken: frozenset[str], n: Numbers) -> Admission:
    """Admission under facts that break exactly these rules."""
    at = int(THRESHOLDS[n.level] * 3000)
    return admission.admit(
        spawned=n.limit + 1 + n.above if "spawn_budget_exhausted" in broken else max(0, n.limit - n.below),
        budget=n.limit + 1,
        depth=n.limit + 1 + n.above if "retry_depth_exhausted" in broken else max(0, n.limit - n.below),
        max_depth=n.limit,
        total=at + 1 + n.above if "pressure_exceeded" in broken else at - n.below,
        urgency=n.level,
    )


@pytest.mark.cites("DSP-8b", "DSP-10a", "DSP-11c", "DSP-4c")
@settings(deadline=None, max_examples=200)
@given(numbers)
def test_the_reason_is_the_first_broken_rule(n: Numbers) -> None:
    """Every set of broken rules, for each choice of numbers."""
    for broken in BREAKAGES:
        expected = next((reason for reason in ORDER if reason in broken), "dispatch")
        assert admitted(broken, n) == expected


class Case(NamedTuple):
    """What is known when a signal comes."""

    spawned: int
    budget: int
    depth: int
    max_depth: int
    total: int
    urgency: int


near_thresholds = st.builds(
    lambda level, off: int(THRESHOLDS[level] * 3000) + off, levels, st.integers(-1, 1)
)
cases = st.builds(Case, few, st.integers(0, 8), few, st.integers(0, 8), near_thresholds | totals, levels)


def honoured(case: Case, level: int) -> bool:
    """The guards of DSP-8, as it lists them."""
    return (
        case.depth < case.max_depth
        and case.spawned < case.budget
        and Fraction(case.total, 3000) <= THRESHOLDS[level]
    )


@pytest.mark.cites("DSP-8", "DSP-8a", "DSP-8c", "DSP-8d", "DSP-8e")
@settings(deadline=None, max_examples=400)
@given(cases)
def test_a_retry_is_honoured_iff_its_guards_hold_and_goes_one_deeper(case: Case) -> None:
    answer = admission.readmit(OutcomeSignal.RETRY, *case)
    assert (answer.admission == "dispatch") == honoured(case, case.urgency)
    assert answer.depth == case.depth + honoured(case, case.urgency)
    assert answer.urgency == case.urgency


@pytest.mark.cites("DSP-9", "DSP-9a", "DSP-9b", "DSP-9d", "DSP-9e")
@settings(deadline=None, max_examples=400)
@given(cases)
def test_an_escalation_meets_the_same_guards_at_the_next_level(case: Case) -> None:
    next_level = {0: 1, 1: 2, 2: 3, 3: 4, 4: 4}[case.urgency]
    answer = admission.readmit(OutcomeSignal.ESCALATE, *case)
    passes = honoured(case, next_level)
    assert (answer.admission == "dispatch") == passes
    assert answer.depth == case.depth + passes
    assert answer.urgency == (next_level if passes else case.urgency)


@pytest.mark.cites("DSP-9c", "DSP-9e")
@settings(deadline=None, max_examples=200)
@given(cases)
def test_what_escalation_may_do_a_retry_may_do_too(case: Case) -> None:
    """It bypasses nothing: the guards are never weaker than those of a plain retry."""
    escalated = admission.readmit(OutcomeSignal.ESCALATE, *case).admission
    assert escalated != "dispatch" or admission.readmit(OutcomeSignal.RETRY, *case).admission == "dispatch"


@pytest.mark.cites("DSP-10a", "DSP-11c", "DSP-4c")
@settings(deadline=None, max_examples=200)
@given(cases, st.sampled_from([OutcomeSignal.RETRY, OutcomeSignal.ESCALATE]))
def test_a_refused_signal_is_dropped_for_the_first_broken_guard(case: Case, signal: OutcomeSignal) -> None:
    answer = admission.readmit(signal, *case).admission
    if case.spawned >= case.budget:
        assert answer == "spawn_budget_exhausted"
    elif case.depth >= case.max_depth:
        assert answer == "retry_depth_exhausted"
    else:
        assert answer in ("pressure_exceeded", "dispatch")


@pytest.mark.cites("DSP-11d")
@settings(deadline=None)
@given(cases)
def test_a_drop_signal_always_drops(case: Case) -> None:
    assert admission.readmit(OutcomeSignal.DROP, *case) == ("signalled", case.depth, case.urgency)


@pytest.mark.cites("DSP-7a", "DSP-11c", "DSP-11d")
def test_signals_and_reasons_are_those_of_the_contract() -> None:
    assert set(OutcomeSignal) == {"retry", "escalate", "drop"}
    assert set(Admission) == {"dispatch", *ORDER, "signalled"}


class Load(NamedTuple):
    """What the number of cooperatives is computed from; cost, total and unit are in thousandths."""

    cost: int
    total: int
    depth: int
    max_depth: int
    unit: int
    most: int

    def carriers(self) -> Fraction:
        """Expected load by the unit, in exact arithmetic."""
        by_depth = 1 + Fraction(self.depth, self.max_depth) if self.max_depth else Fraction(1)
        load = thousandths(self.cost) * (1 + Fraction(self.total, 3000)) * by_depth
        return load / thousandths(self.unit)

    def answer(self) -> int:
        return admission.cooperative_count(*self)


def load_near(whole: int, off: int, total: int, depth: int, unit: int, most: int) -> Load:
    """A load that is a whole number of units, or just beside it."""
    factor = (1 + Fraction(total, 3000)) * (2 if depth else 1)
    return Load(floor(whole * unit / factor) + off, total, depth, depth, unit, most)


some_loads = st.builds(
    Load, st.integers(-1000, 6000), totals, few, few, st.integers(1, 3000), st.integers(0, 6)
)
whole_loads = st.builds(
    load_near,
    st.integers(0, 5),
    st.integers(-1, 1),
    st.sampled_from([0, 1500, 3000]),
    few,
    st.sampled_from([300, 1000]),
    st.integers(0, 6),
)
loads = some_loads | whole_loads


@pytest.mark.cites("DSP-6", "DSP-6a", "DSP-6b", "DSP-6d", "DSP-6e")
@settings(deadline=None, max_examples=500)
@given(loads)
@example(Load(1000, 0, 0, 0, 1000, 2))
@example(Load(999, 0, 3, 0, 1000, 2))
def test_the_cooperatives_are_the_clamped_floor_of_load_by_unit(load: Load) -> None:
    assert load.answer() == min(max(floor(load.carriers()), 0), load.most, 4)


@pytest.mark.cites("DSP-6a", "DSP-6e")
@settings(deadline=None, max_examples=200)
@given(loads, st.integers(0, 3000), st.integers(0, 1000), few)
def test_more_cost_pressure_or_depth_never_takes_a_cooperative_away(
    load: Load, cost: int, total: int, depth: int
) -> None:
    heavier = load._replace(cost=max(load.cost, 0) + cost, total=load.total + total, depth=load.depth + depth)
    assert load.answer() <= heavier.answer()


@pytest.mark.cites("DSP-6f")
@settings(deadline=None)
@given(loads)
def test_without_a_cost_there_is_no_cooperative(load: Load) -> None:
    assert load._replace(cost=0).answer() == 0


class Spawned(NamedTuple):
    """A group that was dispatched: its place in the run, and its cooperatives."""

    number: int
    depth: int
    urgency: int
    cooperatives: int


def run(
    budget: int, max_depth: int, cost: int, signals: Iterable[tuple[OutcomeSignal, int]]
) -> Iterator[Spawned]:
    """A run from its acceptance on: each dispatch is answered by the next signal, until a drop."""
    spawned, depth, urgency = 0, 0, 0
    answer = admission.admit(spawned, budget, depth, max_depth, 0, urgency)
    for signal, total in signals:
        if answer != Admission.DISPATCH:
            return
        spawned += 1
        unit, most = COOPERATIVE_UNIT_MILLI, COOPERATIVE_MAX
        shared = admission.cooperative_count(cost, total, depth, max_depth, unit, most)
        yield Spawned(spawned, depth, urgency, shared)
        answer, depth, urgency = admission.readmit(signal, spawned, budget, depth, max_depth, total, urgency)


signals = st.lists(st.tuples(st.sampled_from(list(OutcomeSignal)), totals), min_size=1, max_size=6)
limits = st.integers(0, 12)
MORE: Final = 100
"""More dispatches than any run below may make: a run that is cut by it did not end."""


@pytest.mark.cites("DSP-4b", "DSP-6d", "DSP-6g", "DSP-6h", "DSP-12a")
@settings(deadline=None, max_examples=200)
@given(limits, limits, st.integers(0, 5000), signals)
def test_no_sequence_of_signals_passes_the_budget(
    budget: int, max_depth: int, cost: int, signals: list[tuple[OutcomeSignal, int]]
) -> None:
    groups = list(islice(run(budget, max_depth, cost, cycle(signals)), MORE))
    assert len(groups) <= budget
    assert all(group.cooperatives <= 2 for group in groups)
    assert sum(1 + group.cooperatives for group in groups) <= budget * (1 + 2)


@pytest.mark.cites("DSP-8a", "DSP-8b", "DSP-9b", "DSP-11a")
@settings(deadline=None, max_examples=200)
@given(limits, limits, signals)
def test_within_a_run_depth_and_urgency_only_grow_up_to_their_bounds(
    budget: int, max_depth: int, signals: list[tuple[OutcomeSignal, int]]
) -> None:
    groups = list(islice(run(budget, max_depth, 0, cycle(signals)), MORE))
    assert [group.depth for group in groups] == list(range(len(groups)))
    assert all(group.depth <= max_depth and group.urgency <= 4 for group in groups)
    assert all(before.urgency <= after.urgency for before, after in pairwise(groups))


@pytest.mark.cites("DSP-4b", "DSP-8c", "DSP-8d", "DSP-9a", "DSP-12a")
@settings(deadline=None, max_examples=200)
@given(limits, limits, st.sampled_from([OutcomeSignal.RETRY, OutcomeSignal.ESCALATE]), st.integers(0, 1500))
def test_every_chain_ends_and_under_low_pressure_no_sooner_than_its_limits(
    budget: int, max_depth: int, signal: OutcomeSignal, total: int
) -> None:
    """A mean of one half or less permits every level, so budget and depth alone decide."""
    groups = list(islice(run(budget, max_depth, 0, cycle([(signal, total)])), MORE))
    assert len(groups) == min(budget, max_depth + 1)


@pytest.mark.cites("DSP-11a", "DSP-11d")
@settings(deadline=None)
@given(limits, limits, st.lists(st.sampled_from(["retry", "escalate"]), max_size=5))
def test_nothing_is_dispatched_after_a_drop(budget: int, max_depth: int, before: list[str]) -> None:
    quiet = [(OutcomeSignal(word), 0) for word in (*before, "drop")]
    groups = list(islice(run(budget, max_depth, 0, cycle(quiet)), MORE))
    assert len(groups) == min(budget, max_depth + 1, len(quiet))


@pytest.mark.cites("DSP-9c", "DSP-10c")
def test_a_wider_threshold_or_less_pressure_never_refuses_more() -> None:
    """Every total from nothing to full, every level."""
    for total, level in product(range(3001), LEVELS):
        if admission.permits(total, level):
            assert total == 0 or admission.permits(total - 1, level)
            assert level == 0 or admission.permits(total, level - 1)
