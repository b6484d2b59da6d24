"""`liveness` on arrays: the same question about graphs of millions of states.

Strongly connected components come from scipy; each round settles all components at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array  # type: ignore[import-untyped]
from scipy.sparse.csgraph import (  # type: ignore[import-untyped]
    breadth_first_order,
    connected_components,
)

from dhruva.explore.liveness import Edges, Graph, Lasso, Question, lasso

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ArrayGraph:
    """Changing steps as arrays: step i leads from `source[i]` by `action[i]` to `target[i]`."""

    size: int
    source: Numbers
    action: Numbers
    target: Numbers

    def restricted(self, kept: Flags) -> ArrayGraph:
        return ArrayGraph(self.size, self.source[kept], self.action[kept], self.target[kept])

    def by_source(self) -> Graph:
        """The graph for those who ask for the steps of one state at a time."""
        order = np.argsort(self.source, kind="stable")
        first = np.searchsorted(self.source[order], np.arange(self.size + 1))
        action, target = self.action[order], self.target[order]

        def steps(state: int) -> Edges:
            here = slice(first[state], first[state + 1])
            return list(zip(action[here].tolist(), target[here].tolist(), strict=True))

        return Graph(steps, self.size)


def refute(
    graph: ArrayGraph, triggered: Flags, reached: Flags, weak: tuple[int, ...], strong: tuple[int, ...]
) -> Lasso | None:
    """A fair run that is triggered and never reaches the goal, or None."""
    region = _avoiding(graph, triggered & ~reached, reached)
    able = {action: _able(graph, action) for action in weak + strong}
    bad = np.zeros(graph.size, bool)
    for part in _fair(graph, region, able, weak, strong):
        bad |= part
    if not bad.any():
        return None
    question = Question(lambda s: bool(triggered[s]), lambda s: bool(reached[s]), weak, strong)
    return lasso(graph.by_source(), question, lambda s: bool(bad[s]))


def _avoiding(graph: ArrayGraph, first: Flags, reached: Flags) -> Flags:
    """States that are met after the trigger, the goal not having been met."""
    inside = graph.restricted(~reached[graph.source] & ~reached[graph.target])
    starts = np.flatnonzero(first)
    # One more state, from which all the starts can be reached, makes it a single search.
    source = np.concatenate((inside.source, np.full(len(starts), graph.size)))
    target = np.concatenate((inside.target, starts))
    order = breadth_first_order(
        _matrix(source, target, graph.size + 1), graph.size, return_predecessors=False
    )
    region = np.zeros(graph.size + 1, bool)
    region[order] = True
    return region[:-1]


def _fair(
    graph: ArrayGraph, region: Flags, able: dict[int, Flags], weak: tuple[int, ...], strong: tuple[int, ...]
) -> Iterator[Flags]:
    """Sets of states in which a run can stay and be fair; each round takes away what is settled."""
    while region.any():
        inner = graph.restricted(region[graph.source] & region[graph.target])
        count, label = connected_components(
            _matrix(inner.source, inner.target, graph.size), directed=True, connection="strong"
        )
        inner = inner.restricted(label[inner.source] == label[inner.target])
        hopeless = np.zeros(count, bool)
        avoid = np.zeros(graph.size, bool)
        unfair = np.zeros(count, bool)
        for action in weak:
            somewhere_unable = _marks(count, label[region & ~able[action]])
            hopeless |= ~(_taken(inner, label, count, action) | somewhere_unable)
        for action in strong:
            failing = _marks(count, label[region & able[action]]) & ~_taken(inner, label, count, action)
            unfair |= failing
            avoid |= able[action] & failing[label]
        yield region & ~(hopeless | unfair)[label]
        region = region & (~hopeless & unfair)[label] & ~avoid


def _able(graph: ArrayGraph, action: int) -> Flags:
    return _marks(graph.size, graph.source[graph.action == action])


def _taken(inner: ArrayGraph, label: Numbers, count: int, action: int) -> Flags:
    return _marks(count, label[inner.source[inner.action == action]])


def _marks(size: int, where: NDArray[Any]) -> Flags:
    marks = np.zeros(size, bool)
    marks[where] = True
    return marks


def _matrix(source: NDArray[Any], target: NDArray[Any], size: int) -> csr_array:
    return csr_array((np.ones(len(source), np.int8), (source, target)), shape=(size, size))
