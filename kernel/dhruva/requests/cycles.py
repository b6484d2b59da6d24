"""Cycles of a graph, all of them named, without recursion and in linear time (LIF-17).

Nodes are 0 to n-1 and `edges[node]` are those that it points to. First everything that leads nowhere
near a cycle is peeled off; for a graph without cycles, that is all. What is left is walked: whenever the
walk meets its own path, the loop is a cycle, its edges are cut, and the walk goes on from there. Each
edge is taken once, so cycles never share an edge, and what remains in the end has none.
"""

from collections.abc import Sequence

Edges = Sequence[Sequence[int]]


def cycles(edges: Edges, rank: Sequence[int]) -> list[list[int]]:
    """Cycles such that every cycle of the graph shares an edge with one of them.

    `rank` orders the nodes: which cycles are found, and where each begins, depends on the graph and on
    the ranks, not on the order of nodes or edges.
    """
    left = sorted(_knotted(edges), key=rank.__getitem__)
    if not left:
        return []
    inside = set(left)
    onward = {
        node: sorted((to for to in edges[node] if to in inside), key=rank.__getitem__, reverse=True)
        for node in left
    }
    found: list[list[int]] = []
    for node in left:
        _walk(node, onward, found)
    return [_from_lowest(cycle, rank) for cycle in found]


def _knotted(edges: Edges) -> list[int]:
    """The nodes from which one can walk for ever: all that is not peeled off from the ends."""
    pointed_from: list[list[int]] = [[] for _ in edges]
    count = [len(targets) for targets in edges]
    for node, targets in enumerate(edges):
        for target in targets:
            pointed_from[target].append(node)
    ends = [node for node, targets in enumerate(edges) if not targets]
    for node in ends:  # grows as it is walked
        for before in pointed_from[node]:
            count[before] -= 1
            if count[before] == 0:
                ends.append(before)
    return [node for node, still in enumerate(count) if still > 0] if len(ends) < len(edges) else []


def _walk(start: int, onward: dict[int, list[int]], found: list[list[int]]) -> None:
    """Walk until there is nowhere to go; each edge that is taken is gone."""
    path, at = [start], {start: 0}
    while path:
        targets = onward[path[-1]]
        if not targets:
            del at[path.pop()]
            continue
        target = targets.pop()
        if target not in at:
            at[target] = len(path)
            path.append(target)
            continue
        found.append(path[at[target] :])
        for node in path[at[target] + 1 :]:
            del at[node]
        del path[at[target] + 1 :]


def _from_lowest(cycle: list[int], rank: Sequence[int]) -> list[int]:
    lowest = min(range(len(cycle)), key=lambda place: rank[cycle[place]])
    return cycle[lowest:] + cycle[:lowest]
