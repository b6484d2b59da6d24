"""Does every fair run get there? On the whole graph of a finished search.

A run that refutes "trigger leads to goal" reaches a state with the trigger and then avoids the goal for
ever. In a finite graph it ends in a strongly connected set of states without the goal in which it can be
fair: each weakly fair action is taken inside the set or impossible somewhere in it; each strongly fair
action is taken inside or possible nowhere in it. Only steps that change the state count: a run may
stutter in one state for ever, unless a fair action could change it, and an ignored signal satisfies no
fairness.

This module is plain Python: the oracle for `fairness`, which does the same on arrays.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

Edges = list[tuple[int, int]]
Node = tuple[int, bool]


@dataclass(frozen=True)
class Graph:
    """Changing steps only: `steps[state]` lists (action, successor). State 0 is the initial one."""

    steps: Callable[[int], Edges]
    size: int


@dataclass(frozen=True)
class Question:
    """One liveness claim about a graph: where it is triggered, where its goal holds, who is fair."""

    triggered: Callable[[int], bool]
    reached: Callable[[int], bool]
    weak: tuple[int, ...]
    strong: tuple[int, ...]


@dataclass(frozen=True)
class Lasso:
    """A run that never gets there: states and the actions between them; it goes on from `loop` for ever.

    If `loop` is the last state, the run stutters there.
    """

    states: tuple[int, ...]
    actions: tuple[int, ...]
    loop: int


def refute(graph: Graph, question: Question) -> Lasso | None:
    """A fair run that is triggered and never reaches the goal, or None."""
    region = _avoiding(graph, question)
    bad: set[int] = set()
    for component in fair_components(graph, region, question):
        bad |= component
    return lasso(graph, question, bad.__contains__) if bad else None


def fair_components(graph: Graph, region: set[int], question: Question) -> Iterator[set[int]]:
    """Strongly connected parts of the region in which a run can stay and be fair."""
    pending = [region]
    while pending:
        for part in _components(graph, pending.pop()):
            unfair = [a for a in question.strong if _possible(graph, part, a) and not _taken(graph, part, a)]
            if any(
                all(_can(graph, state, a) for state in part) and not _taken(graph, part, a)
                for a in question.weak
            ):
                continue
            if unfair:
                # A run may still be fair in what is left when it keeps away from where these are possible.
                rest = {state for state in part if not any(_can(graph, state, a) for a in unfair)}
                pending.append(rest)
            else:
                yield part


def lasso(graph: Graph, question: Question, is_bad: Callable[[int], bool]) -> Lasso:
    """A shortest way into a fair component, and a fair way round in it."""
    stem = _stem(graph, question, is_bad)
    entry = stem[-1][1]
    component = _component_of(graph, entry, is_bad)
    loop = len(stem) - 1
    run = list(stem)
    for target in _obligations(graph, component, entry, question):
        if not _is_met(graph, run[loop:], target):
            run += _way(graph, run[-1][1], component, target)
    if len(run) > len(stem):
        run += _way(graph, run[-1][1], component, Visit(entry, None, None))
    return Lasso(tuple(state for _, state in run), tuple(action for action, _ in run[1:]), loop)


def _avoiding(graph: Graph, question: Question) -> set[int]:
    """States that are met after the trigger, the goal not having been met."""
    found = {s for s in range(graph.size) if question.triggered(s) and not question.reached(s)}
    pending = sorted(found)
    while pending:
        for _, after in graph.steps(pending.pop()):
            if after not in found and not question.reached(after):
                found.add(after)
                pending.append(after)
    return found


def _can(graph: Graph, state: int, action: int) -> bool:
    return any(one == action for one, _ in graph.steps(state))


def _possible(graph: Graph, part: Iterable[int], action: int) -> bool:
    return any(_can(graph, state, action) for state in part)


def _taken(graph: Graph, part: set[int], action: int) -> bool:
    return any(one == action and after in part for state in part for one, after in graph.steps(state))


def _components(graph: Graph, region: set[int]) -> Iterator[set[int]]:
    """Strongly connected components of the region, by Tarjan's algorithm without recursion."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    open_states: list[int] = []
    is_open: set[int] = set()
    for root in sorted(region):
        if root in order:
            continue
        work = [(root, iter(graph.steps(root)))]
        order[root] = low[root] = len(order)
        open_states.append(root)
        is_open.add(root)
        while work:
            state, rest = work[-1]
            for _, after in rest:
                if after not in region:
                    continue
                if after not in order:
                    order[after] = low[after] = len(order)
                    open_states.append(after)
                    is_open.add(after)
                    work.append((after, iter(graph.steps(after))))
                    break
                if after in is_open:
                    low[state] = min(low[state], order[after])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[state])
                if low[state] == order[state]:
                    part = set()
                    while state not in part:
                        part.add(open_states.pop())
                    is_open -= part
                    yield part


def _component_of(graph: Graph, entry: int, is_bad: Callable[[int], bool]) -> set[int]:
    """The strongly connected set of bad states around the entry."""
    ahead = {entry}
    pending = [entry]
    while pending:
        for _, after in graph.steps(pending.pop()):
            if after not in ahead and is_bad(after):
                ahead.add(after)
                pending.append(after)
    return next(part for part in _components(graph, ahead) if entry in part)


def _stem(graph: Graph, question: Question, is_bad: Callable[[int], bool]) -> list[tuple[int, int]]:
    """The shortest run to a bad state that was triggered and avoids the goal from then on."""
    parents: dict[Node, tuple[Node, int] | None] = {}
    queue: deque[Node] = deque()

    def enter(state: int, armed: bool, parent: tuple[Node, int] | None) -> Node | None:
        armed = (armed or question.triggered(state)) and not question.reached(state)
        node = (state, armed)
        if node in parents:
            return None
        parents[node] = parent
        queue.append(node)
        return node if armed and is_bad(state) else None

    end = enter(0, False, None)
    while end is None:
        node = queue.popleft()
        for action, after in graph.steps(node[0]):
            end = end or enter(after, node[1], (node, action))
    stem: list[tuple[int, int]] = []
    at: Node | None = end
    while at is not None:
        parent = parents[at]
        stem.append((-1 if parent is None else parent[1], at[0]))
        at = None if parent is None else parent[0]
    return stem[::-1]


class Visit(NamedTuple):
    """Something that a fair way round does: it takes an action at a state, or is where one is impossible."""

    state: int
    take: int | None
    impossible: int | None


def _obligations(graph: Graph, part: set[int], entry: int, question: Question) -> Iterator[Visit]:
    """What a fair way round must do; actions to be taken come first, as they lead past other states."""
    near = sorted(part, key=lambda state: (state != entry, state))
    elsewhere = []
    for action in dict.fromkeys(question.weak + question.strong):
        taken = next(
            (s for s in near for one, after in graph.steps(s) if one == action and after in part), None
        )
        if taken is not None:
            yield Visit(taken, action, None)
        elif action in question.weak:
            elsewhere.append(action)
    for action in elsewhere:
        yield Visit(next(s for s in near if not _can(graph, s, action)), None, action)


def _is_met(graph: Graph, ring: Edges, target: Visit) -> bool:
    """Whether the way round, which starts with the state it was entered by, does so already."""
    if target.take is not None:
        return any(action == target.take for action, _ in ring[1:])
    return any(target.impossible is not None and not _can(graph, s, target.impossible) for _, s in ring)


def _way(graph: Graph, start: int, part: set[int], target: Visit) -> Edges:
    """A shortest way inside the part to a state, and then by an action if one is asked for."""
    goal, action = target.state, target.take
    parents: dict[int, tuple[int, int]] = {}
    queue = deque([start])
    while goal != start and goal not in parents:
        state = queue.popleft()
        for one, after in graph.steps(state):
            if after in part and after not in parents and after != start:
                parents[after] = (one, state)
                queue.append(after)
    way: Edges = []
    at = goal
    while at != start:
        one, before = parents[at]
        way.append((one, at))
        at = before
    way.reverse()
    if action is not None:
        way.append(next((one, s) for one, s in graph.steps(goal) if one == action and s in part))
    return way
