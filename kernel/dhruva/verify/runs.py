"""Claims about runs, on the whole graph of a mutant: does every fair run still get there?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from dhruva.explore.fairness import ArrayGraph, Flags, refute
from dhruva.explore.model import LeadsTo
from dhruva.verify.graph import Part

if TYPE_CHECKING:
    from dhruva.verify.delta import Walk


def broken_run(walk: Walk, claims: Iterable[LeadsTo]) -> tuple[str, int] | None:
    """The first claim that some fair run breaks, and how long that run is; None if all hold."""
    states = _states(walk)
    graph = _graph(walk, states)
    for claim in claims:
        trigger, goal = walk.graph.goals[claim.name]
        first = np.arange(len(states)) == 0 if trigger is None else _where(walk, states, trigger)
        weak, strong = walk.model.matching(claim.weak), walk.model.matching(claim.strong)
        lasso = refute(graph, first, _where(walk, states, goal), weak, strong)
        if lasso is not None:
            return claim.name, len(lasso.actions)
    return None


def _states(walk: Walk) -> list[int]:
    """Every state that was met, the initial one first."""
    old = [at for at in range(walk.size) if walk.met[at]]
    new = list(range(walk.size, walk.size + len(walk.fresh)))
    return old + new if walk.met[0] else new + old


def _graph(walk: Walk, states: list[int]) -> ArrayGraph:
    number = {at: n for n, at in enumerate(states)}
    edges = [(number[at], action, number[to]) for at in states for action, to in walk.changing(at)]
    columns = np.array(edges, np.int32).reshape(-1, 3)
    return ArrayGraph(len(states), columns[:, 0], columns[:, 1], columns[:, 2])


def _where(walk: Walk, states: list[int], part: Part) -> Flags:
    return np.array([bool(walk.graph.value(part, walk.row(at))) for at in states], bool)
