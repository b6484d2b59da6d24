"""What a mutant changes in the graph of a model: which claim changes its verdict, or that none does.

The graph of a mutant is walked breadth first. Where it passes through states of the shipped kernel's graph
(`graph`), every path that did not consult the mutated thing is known and is not asked again; only the others,
and all that is new, are. Nothing is guessed: the walk visits every state of the mutant up to the first
violation, which is then confirmed by calling the model on the mutant from its initial state, step by step.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dhruva.explore.errors import ModelError, Move
from dhruva.explore.model import DEADLOCK, Claim, Model
from dhruva.explore.replay import confirm
from dhruva.step import Step
from dhruva.verify.graph import NOBODY, Graph, Leaf, State, Trie
from dhruva.verify.watch import Consulted

MOST_NEW = 20_000
"""How many states the mutant may have that the kernel has not, before its walk is cut."""

SAME, SURVIVED, CUT = "same", "survived", "cut"
BROKEN, LOST, RAISED, NO_WORLD = "broken", "lost", "raised", "no world"
KILLED = (BROKEN, LOST)
"""A verdict of a property changed: an `always`, a step or a run is broken, or a `sometimes` is lost."""


class Said(NamedTuple):
    """What one model says of a mutant."""

    outcome: str
    by: str = ""  # the property, or what was raised
    steps: int | None = None  # the length of the shortest trace
    new: int = 0  # states that the kernel has not
    differs: int = 0  # answers that differ from the kernel's
    counts_differ: bool = False  # other numbers of states or transitions

    @property
    def killed(self) -> bool:
        return self.outcome in KILLED


class Violated(Exception):
    """A claim is broken here."""

    def __init__(self, claim: str, at: int, move: Move | None = None) -> None:
        super().__init__(claim)
        self.claim, self.at, self.move = claim, at, move


def judge(
    graph: Graph,
    mutant: Step,
    consulted: Iterable[Consulted],
    *,
    only: frozenset[str] | None = None,
    runs: bool = True,
    most_new: int = MOST_NEW,
) -> Said:
    """What the model of the graph says of a kernel that differs where these are consulted.

    `only`: these properties alone are asked. `runs`: claims about runs too, which cost most.
    """
    elsewhere = frozenset(consulted)
    affected = {leaf for one in sorted(elsewhere) for leaf in graph.consulting.get(one, ())}
    if not affected and not elsewhere & graph.setup:
        return Said(SAME)
    model = graph.model
    if elsewhere & graph.setup:
        try:
            model = graph.build(mutant)
        except (ModelError, ValueError, KeyError, AssertionError) as error:
            return Said(NO_WORLD, str(error))
    graph.switch.step = mutant
    try:
        return Walk(graph, model, affected, only, runs, most_new).said()
    finally:
        graph.switch.step = graph.watch.step


class Walk:
    """One mutant on one graph. States below `graph` size are the kernel's, the others are new."""

    def __init__(
        self,
        graph: Graph,
        model: Model,
        affected: set[Leaf],
        only: frozenset[str] | None,
        runs: bool,
        most_new: int,
    ) -> None:
        self.graph, self.model, self.affected, self.runs = graph, model, affected, runs
        self.limit = len(graph.rows) + most_new
        self.size = len(graph.rows)
        self.tries = [Trie() for _ in model.actions]
        self.fresh: list[State] = []
        self.place: dict[State, int] = {}
        self.met = bytearray(self.size)
        self.born: dict[int, tuple[int, int, int]] = {}
        self.queue: deque[int] = deque()
        self.taken: dict[int, list[tuple[int, Leaf]]] = {}  # of new states
        self.differs = 0
        self.claims: dict[str, Claim] = {
            claim.name: claim for claim in model.claims() if only is None or claim.name in only
        }
        self.invariants = [name for name in graph.invariants if name in self.claims]
        self.at: dict[int, list[int]] = {}
        for number, leaf in self._affected():
            for state in leaf.states:
                self.at.setdefault(state, []).append(number)

    def _affected(self) -> Iterator[tuple[int, Leaf]]:
        for number, trie in enumerate(self.graph.tries):
            yield from ((number, leaf) for leaf in _leaves(trie.root) if leaf in self.affected)

    def said(self) -> Said:
        here = 0
        try:
            self._begin()
            while self.queue:
                here = self.queue.popleft()
                self._expand(here)
                if self.size + len(self.fresh) > self.limit:
                    return Said(CUT, f"more than {self.limit - self.size} new states", new=len(self.fresh))
            return self._whole()
        except Violated as no:
            return self._confirmed(no)
        except ModelError as error:
            return Said(RAISED, error.message, len(self._path(here)) + 1, len(self.fresh), self.differs)

    def _begin(self) -> None:
        """Up to the first state in which something is consulted that differs, both walks are the same."""
        graph = self.graph
        initial = graph.cells.write((), graph.cells.coded(self.model.cells.items()))
        if initial != graph.rows[0]:
            self._meet(initial, NOBODY)
            return
        first = min(self.at, default=0)
        known = graph.known[first]
        self.met[:known] = b"\1" * known
        self.queue.extend(range(first, known))

    def _expand(self, at: int) -> None:
        moved = False
        if at < self.size:
            for number, choice, leaf, target in self.graph.edges[at]:
                if leaf not in self.affected:
                    moved = True
                    if not self.met[target]:
                        self._met(target, (at, number, choice))
            for number in self.at.get(at, ()):
                moved |= self._take(at, number, self._mutated(number, self.graph.rows[at], at))
        else:
            state = self.fresh[at - self.size]
            taken = [(number, self._known(number, state)) for number in range(len(self.tries))]
            self.taken[at] = taken
            for number, leaf in taken:
                moved |= self._take(at, number, leaf)
        if not moved and DEADLOCK in self.claims and not self._is_final(at):
            raise Violated(DEADLOCK, at)

    def _take(self, at: int, number: int, leaf: Leaf) -> bool:
        for claim, choice in leaf.alarms:
            if claim in self.claims:
                raise Violated(claim, at, Move(number, choice))
        state = self.row(at)
        for choice, writes in leaf.moves:
            after = self.graph.cells.write(state, writes)
            target = self.graph.index.get(after)
            if target is None:
                if after not in self.place:
                    self._meet(after, (at, number, choice))
            elif not self.met[target]:
                self._met(target, (at, number, choice))
        return bool(leaf.moves)

    def _met(self, target: int, born: tuple[int, int, int]) -> None:
        self.met[target] = 1
        self.born[target] = born
        self.queue.append(target)

    def _meet(self, state: State, born: tuple[int, int, int]) -> None:
        """A state that the kernel never has: every claim is asked about it."""
        at = self.place[state] = self.size + len(self.fresh)
        self.fresh.append(state)
        self.born[at] = born
        self.queue.append(at)
        for claim in self.invariants:
            if not self.graph.holds(claim, state):
                raise Violated(claim, at)

    def _mutated(self, number: int, state: State, at: int | None = None) -> Leaf:
        leaf: Leaf | None = self.tries[number].find(state)
        if leaf is None:
            path, leaf = self.graph.leaf(self.model.actions[number], state)
            self.tries[number].insert(path, leaf)
            if at is not None and self.graph.taken[at][number].said != leaf.said:
                self.differs += 1
        return leaf

    def _known(self, number: int, state: State) -> Leaf:
        leaf: Leaf | None = self.graph.tries[number].find(state)
        return self._mutated(number, state) if leaf is None or leaf in self.affected else leaf

    def row(self, at: int) -> State:
        return self.graph.rows[at] if at < self.size else self.fresh[at - self.size]

    def _is_final(self, at: int) -> bool:
        return any(self.graph.value(part, self.row(at)) for part in self.graph.final)

    def _whole(self) -> Said:
        """Every state was visited: what must be reached, and what must be reached in the end."""
        value = self.graph.value
        for name, (part, shown) in self.graph.shown.items():
            if name not in self.claims:
                continue
            if not any(self.met[at] for at in shown) and not any(value(part, s) for s in self.fresh):
                return Said(LOST, name, None, len(self.fresh), self.differs)
        differ = self._counts_differ()
        live = [claim for claim in self.graph.live if claim.name in self.claims]
        if self.runs and differ and live:
            from dhruva.verify.runs import broken_run  # needs numpy, as the fast engine does

            found = broken_run(self, live)
            if found is not None:
                return Said(BROKEN, *found, len(self.fresh), self.differs)
        return Said(SURVIVED, "", None, len(self.fresh), self.differs, differ)

    def _counts_differ(self) -> bool:
        if self.fresh or sum(self.met) != self.size:
            return True
        return any(_successors(self.graph.edges[at], at) != self._successors(at) for at in sorted(self.at))

    def _successors(self, at: int) -> set[tuple[int, int]]:
        return {*self.changing(at)}

    def changing(self, at: int) -> Iterator[tuple[int, int]]:
        """The steps from a state that change it: action and target."""
        if at < self.size:
            for number, _, leaf, target in self.graph.edges[at]:
                if leaf not in self.affected and target != at:
                    yield number, target
            taken = [(n, self._mutated(n, self.graph.rows[at])) for n in self.at.get(at, ())]
        else:
            taken = self.taken[at]
        for number, leaf in taken:
            for _, writes in leaf.moves:
                after = self.graph.cells.write(self.row(at), writes)
                target = self.graph.index.get(after, self.place.get(after, at))
                if target != at:
                    yield number, target

    # The way to a violation, and its confirmation

    def _path(self, at: int) -> tuple[Move, ...]:
        moves: list[Move] = []
        born = self.born.get(at) or self.graph.born[at]
        while born != NOBODY:
            moves.append(Move(born[1], born[2]))
            born = self.born.get(born[0]) or self.graph.born[born[0]]
        return tuple(reversed(moves))

    def _confirmed(self, no: Violated) -> Said:
        path = self._path(no.at)
        if no.move is not None:
            path = (*path, no.move)
        confirm(self.model, self.claims[no.claim], path)
        return Said(BROKEN, no.claim, len(path), len(self.fresh), self.differs)


def _successors(edges: Iterable[tuple[int, int, Leaf, int]], at: int) -> set[tuple[int, int]]:
    return {(number, target) for number, _, _, target in edges if target != at}


def _leaves(root: object) -> Iterator[Leaf]:
    stack = [root]
    while stack:
        at = stack.pop()
        if isinstance(at, Leaf):
            yield at
        elif at is not None:
            stack.extend(at.branches.values())  # type: ignore[attr-defined]
