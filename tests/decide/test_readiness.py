"""Readiness, order and the blocked view; the view against reachability as networkx computes it."""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, product
from typing import Any, Final, NamedTuple

import networkx as nx  # type: ignore[import-untyped]
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dhruva.decide import readiness
from dhruva.decide.readiness import Dependency
from dhruva.ids import OwnerId, Priority, TaskId, TaskStatus

BOOLS: Final = (False, True)
STATUSES: Final = (None, *TaskStatus)
PENDING: Final = TaskStatus.PENDING

SATISFIES: Final = {
    # LIF-4: the statuses that satisfy, where no attempt of the dependency is alive
    "required": {"completed"},
    "optional": {"completed", "failed", "cancelled"},
}


@pytest.mark.cites("LIF-4", "LIF-4a", "LIF-4b", "LIF-4c", "LIF-4d")
def test_which_dependencies_satisfy() -> None:
    """Every status and an unknown id, required and optional, with and without a live attempt."""
    for kind, statuses in SATISFIES.items():
        for status, alive in product(STATUSES, BOOLS):
            expected = status in statuses and not alive
            assert readiness.satisfied(status, kind == "required", alive) is expected


@pytest.mark.cites("LIF-5a")
def test_which_dependencies_block() -> None:
    """All cases. What blocks never satisfies at the same time."""
    for status, required in product(STATUSES, BOOLS):
        blocks = readiness.blocks(status, required)
        assert blocks is (required and status in ("failed", "cancelled"))
        assert not (blocks and readiness.satisfied(status, required, False))


@pytest.mark.cites("LIF-6a")
def test_the_first_lane_is_the_most_urgent_in_which_something_waits() -> None:
    """All sixteen cases."""
    for waits in product(BOOLS, repeat=4):
        lanes = [lane for lane, waiting in enumerate(waits) if waiting]
        assert readiness.first_lane(waits.__getitem__) == min(lanes, default=None)


def served(arrivals: list[Priority]) -> Iterator[tuple[Priority, int]]:
    """Take the head of the first lane until all lanes are empty."""
    lanes: dict[Priority, list[int]] = {priority: [] for priority in Priority}
    for place, priority in enumerate(arrivals):
        lanes[priority].append(place)
    while (lane := readiness.first_lane(lambda priority: bool(lanes[priority]))) is not None:
        yield lane, lanes[lane].pop(0)


@pytest.mark.cites("LIF-6a", "LIF-6b", "ACT-13e")
@settings(deadline=None)
@given(st.lists(st.sampled_from(Priority), max_size=30))
def test_all_are_served_by_priority_then_in_order_of_arrival(arrivals: list[Priority]) -> None:
    assert list(served(arrivals)) == sorted((priority, place) for place, priority in enumerate(arrivals))


def task(number: int) -> TaskId:
    return TaskId(OwnerId(number))


class Needs(NamedTuple):
    """One edge: who depends, on whom, and whether it is required."""

    dependent: int
    dependency: int
    required: bool


class Forest(NamedTuple):
    """Tasks 0..n-1 with their statuses (None: nobody knows the id), and who depends on whom."""

    statuses: tuple[TaskStatus | None, ...]
    needs: tuple[Needs, ...]

    def lookup(self) -> Callable[[TaskId], Iterable[Dependency]]:
        edges: dict[TaskId, list[Dependency]] = {}
        for needs in self.needs:
            found = Dependency(task(needs.dependency), needs.required, self.statuses[needs.dependency])
            edges.setdefault(task(needs.dependent), []).append(found)
        return lambda key: edges.get(key, [])


weighted = st.sampled_from([PENDING, PENDING, PENDING, *STATUSES])
kinds = st.sampled_from([None, None, None, True, False])


@st.composite
def forests(draw: st.DrawFn) -> Forest:
    """A random directed acyclic graph: each task may depend on those with a higher number."""
    size = draw(st.integers(2, 7))
    statuses = (PENDING, *draw(st.lists(weighted, min_size=size - 1, max_size=size - 1)))
    pairs = [(a, b) for a in range(size) for b in range(a + 1, size)]
    drawn = draw(st.lists(kinds, min_size=len(pairs), max_size=len(pairs)))
    needs = (Needs(*pair, kind) for pair, kind in zip(pairs, drawn, strict=True) if kind is not None)
    return Forest(statuses, tuple(needs))


def waits_on(forest: Forest) -> Any:
    """The graph along which waiting passes on: from pending tasks to pending ones and to causes."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(forest.statuses)))
    for needs in forest.needs:
        to = forest.statuses[needs.dependency]
        if forest.statuses[needs.dependent] == PENDING and (to == PENDING or is_cause(to, needs.required)):
            graph.add_edge(needs.dependent, needs.dependency)
    return graph


def is_cause(status: TaskStatus | None, required: bool) -> bool:
    return required and status in ("failed", "cancelled")


def assert_names_the_nearest_cause(forest: Forest) -> None:
    graph, chain = waits_on(forest), readiness.blocked(task(0), forest.lookup())
    distances = nx.single_source_shortest_path_length(graph, 0)
    causes = [node for node in distances if forest.statuses[node] != PENDING]
    assert bool(chain) is bool(causes)
    if chain:
        assert chain[0] == 0
        assert chain[-1] in causes
        assert all(graph.has_edge(*edge) for edge in pairwise(chain))
        assert len(chain) - 1 == min(distances[cause] for cause in causes)


FAILED: Final = TaskStatus.FAILED
BESIDES: Final = Forest(
    (PENDING, PENDING, FAILED), (Needs(0, 2, False), Needs(0, 1, True), Needs(1, 2, True))
)
"""Optional for one and required for another: seen by the first, it must still be found by the second."""

THROUGH: Final = Forest((PENDING, PENDING, FAILED), (Needs(0, 1, False), Needs(1, 2, True)))
"""The optional dependency is pending and blocked: it will not end, so it satisfies nobody."""


@pytest.mark.cites("LIF-5a", "LIF-5b", "LIF-4b")
@settings(deadline=None, max_examples=300)
@given(forests())
@example(BESIDES)
@example(THROUGH)
def test_blocked_is_transitive_and_names_the_nearest_cause(forest: Forest) -> None:
    assert_names_the_nearest_cause(forest)


def counted(
    lookup: Callable[[TaskId], Iterable[Dependency]], calls: list[TaskId]
) -> Callable[[TaskId], Iterable[Dependency]]:
    def counting(key: TaskId) -> Iterable[Dependency]:
        calls.append(key)
        return lookup(key)

    return counting


@pytest.mark.cites("LIF-5b")
@settings(deadline=None)
@given(forests())
def test_the_view_looks_at_no_task_twice(forest: Forest) -> None:
    calls: list[TaskId] = []
    readiness.blocked(task(0), counted(forest.lookup(), calls))
    assert len(calls) == len(set(calls))


def chain_of(length: int, end: TaskStatus) -> Forest:
    statuses = (*[PENDING] * (length - 1), end)
    return Forest(statuses, tuple(Needs(number, number + 1, True) for number in range(length - 1)))


@pytest.mark.cites("LIF-5b")
def test_a_long_chain_costs_one_lookup_per_task_and_no_recursion() -> None:
    for length in (2, 100, 10_000):
        calls: list[TaskId] = []
        chain = readiness.blocked(task(0), counted(chain_of(length, FAILED).lookup(), calls))
        assert chain == tuple(range(length))
        assert calls == list(range(length - 1))


@pytest.mark.cites("LIF-5b")
def test_a_ladder_with_a_million_paths_costs_one_lookup_per_task() -> None:
    """Twenty rungs of two tasks, each of which needs both of the next rung: 2 to the power of 20 paths."""
    needs = (Needs(n + a, n + 2 + b, True) for n in range(0, 40, 2) for a in (0, 1) for b in (0, 1))
    ladder = Forest((PENDING,) * 42, tuple(needs))
    calls: list[TaskId] = []
    assert readiness.blocked(task(0), counted(ladder.lookup(), calls)) == ()
    assert len(calls) == 41


@pytest.mark.cites("LIF-5b")
@settings(deadline=None)
@given(forests())
def test_blocked_ends_even_where_tasks_depend_on_each_other(forest: Forest) -> None:
    """Validation refuses cycles; the view must not hang on a store that has one."""
    needs = tuple(Needs(n.dependency, n.dependent, n.required) for n in forest.needs)
    looped = Forest(forest.statuses, (*forest.needs, *needs))
    assert_names_the_nearest_cause(looped)
