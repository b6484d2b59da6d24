"""Cycles are found, each as a whole, without recursion, and nothing that is none is called one."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.requests.cycles import cycles


def is_acyclic(edges: list[list[int]]) -> bool:
    """Whether nodes without edges can be taken away until none is left."""
    left = {node: set(targets) for node, targets in enumerate(edges)}
    while ends := [node for node, targets in left.items() if not targets & left.keys()]:
        for node in ends:
            del left[node]
    return not left


@st.composite
def graphs(draw: st.DrawFn) -> list[list[int]]:
    size = draw(st.integers(0, 8))
    nodes = st.integers(0, max(size - 1, 0))
    return [sorted(draw(st.sets(nodes, max_size=3))) for _ in range(size)]


@pytest.mark.cites("LIF-17g")
@settings(max_examples=300, deadline=None)
@given(graphs())
def test_each_is_a_simple_cycle_and_without_their_edges_none_is_left(edges: list[list[int]]) -> None:
    rest = [list(targets) for targets in edges]
    for cycle in cycles(edges, range(len(edges))):
        assert len(set(cycle)) == len(cycle)
        assert cycle[0] == min(cycle)
        for node, target in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            rest[node].remove(target)  # fails if two cycles share an edge, or it is no edge
    assert is_acyclic(rest)
    assert (not cycles(edges, range(len(edges)))) == is_acyclic(edges)


@pytest.mark.cites("LIF-17g")
@settings(max_examples=200, deadline=None)
@given(graphs(), st.randoms(use_true_random=False))
def test_neither_the_order_of_nodes_nor_of_edges_matters(edges: list[list[int]], random: Random) -> None:
    renamed = list(range(len(edges)))
    random.shuffle(renamed)
    shuffled: list[list[int]] = [[] for _ in edges]
    for node, targets in enumerate(edges):
        shuffled[renamed[node]] = random.sample([renamed[target] for target in targets], len(targets))
    rank = [0] * len(edges)
    for node, name in enumerate(renamed):
        rank[name] = node
    back = {name: node for node, name in enumerate(renamed)}
    found = [[back[name] for name in cycle] for cycle in cycles(shuffled, rank)]
    assert found == cycles(edges, range(len(edges)))


@pytest.mark.cites("LIF-17g")
def test_two_cycles_through_one_node_are_both_named() -> None:
    assert cycles([[1, 2], [0], [3], [0]], range(4)) == [[0, 1], [0, 2, 3]]


@pytest.mark.cites("LIF-17g")
def test_a_ring_of_a_hundred_thousand_is_named_as_a_whole() -> None:
    size = 100_000
    ring = [[(node + 1) % size] for node in range(size)]
    assert cycles(ring, range(size)) == [list(range(size))]
