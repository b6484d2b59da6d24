"""The whole graph of a model, with what each recorded path of each action consulted.

Every action is a function of what it reads, so its calls form a decision trie, as in the explorer; here a
leaf also keeps which rows, follow-ups and decisions were consulted on the way (`watch`), and in which states
it is met. That is what `delta` needs to find out what a mutant changes without exploring everything again.

States are tuples of value codes, one per cell in the order in which cells were met, absent ones at the end
left off; they are numbered breadth first. It is plain Python, for models of some ten thousand states.
"""

from collections.abc import Callable, Hashable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from dhruva.explore.errors import ModelError
from dhruva.explore.forms import COMPARE, Comparison, Every, Predicate
from dhruva.explore.model import Action, Always, AlwaysStep, LeadsTo, Model, Sometimes
from dhruva.explore.outcomes import ask, holds_step, overlay
from dhruva.explore.values import Codes
from dhruva.step import Step
from dhruva.verify.watch import Consulted, Switch, Watch
from dhruva.walk import Book

State = tuple[int, ...]
Writes = tuple[tuple[int, int], ...]  # cell and code
Alarms = tuple[tuple[str, int], ...]
MOST = 200_000  # states: more would take minutes here, and belong to the explorer
NOBODY = (-1, -1, -1)


class Leaf:
    """The end of one path through an action: what it does there, and what it consulted on the way."""

    __slots__ = ("alarms", "consulted", "mask", "moves", "said", "states")

    def __init__(self, said: object, moves: tuple[tuple[int, Writes], ...], alarms: Alarms) -> None:
        self.said = said  # all that the kernel answered
        self.moves = moves  # per outcome its choice and what it writes
        self.alarms = alarms  # the step claims that are broken, with the choice that does it
        self.mask = 0  # a bit per cell that was read
        self.consulted: frozenset[Consulted] = frozenset()
        self.states: list[int] = []  # where the path was taken, in order


class Node:
    """One cell that is read, and where each value met so far leads."""

    __slots__ = ("branches", "cell")

    def __init__(self, cell: int) -> None:
        self.cell = cell
        self.branches: dict[int, Any] = {}


class Trie:
    """What a function of `read` was seen to do."""

    __slots__ = ("root",)

    def __init__(self) -> None:
        self.root: Any = None

    def find(self, state: State) -> Any:
        at, size = self.root, len(state)
        while type(at) is Node:
            cell = at.cell
            at = at.branches.get(state[cell] if cell < size else 0)
        return at

    def insert(self, path: list[tuple[int, int]], leaf: Any) -> None:
        if not path:
            self.root = leaf
            return
        if self.root is None:
            self.root = Node(path[0][0])
        at = self.root
        for (_, code), (following, _) in pairwise(path):
            below = at.branches.get(code)
            if below is None:
                below = at.branches[code] = Node(following)
            at = below
        at.branches[path[-1][1]] = leaf


class Part(NamedTuple):
    """One function of the state that a claim is made of."""

    ask: Callable[[Any], Any]
    trie: Trie


class Cells:
    """Where each cell stands in a state, and which value each code means."""

    def __init__(self) -> None:
        self.place: dict[Hashable, int] = {}
        self.codes = Codes()

    def write(self, state: State, writes: Writes) -> State:
        row = list(state)
        for place, code in writes:
            if place >= len(row):
                row.extend([0] * (place + 1 - len(row)))
            row[place] = code
        while row and not row[-1]:
            row.pop()
        return tuple(row)

    def coded(self, writes: Any) -> Writes:
        place, code = self.place, self.codes.code
        return tuple((place.setdefault(key, len(place)), code(value)) for key, value in writes)

    def call(self, run: Callable[[Any], Any], state: State) -> tuple[list[tuple[int, int]], Any]:
        """What a function says in this state, and the path of cells and codes that it read."""
        path: list[tuple[int, int]] = []
        known: dict[Hashable, Any] = {}

        def read(key: Hashable) -> Any:
            if key not in known:
                place = self.place.setdefault(key, len(self.place))
                code = state[place] if place < len(state) else 0
                known[key] = self.codes.values[code]
                path.append((place, code))
            return known[key]

        return path, run(read)


class Graph:
    """Every reachable state of a model under the kernel of a book, and every step."""

    def __init__(self, build: Callable[[Step], Model], book: Book) -> None:
        self.build = build
        self.watch = Watch(book)
        self.switch = Switch(self.watch.step)
        self.model = build(self.switch)
        self.setup = self.watch.take()
        self.cells = Cells()
        self.steps = [claim for claim in self.model.claims() if isinstance(claim, AlwaysStep)]
        self.tries = [Trie() for _ in self.model.actions]
        self.leaves: list[Leaf] = []
        self.rows: list[State] = [self.cells.write((), self.cells.coded(self.model.cells.items()))]
        self.index = {self.rows[0]: 0}
        self.born = [NOBODY]  # parent, action, choice
        self.known: list[int] = []  # how many states were met before each one was expanded
        self.taken: list[list[Leaf]] = []  # per state and action
        self.edges: list[list[tuple[int, int, Leaf, int]]] = []  # action, choice, leaf, target
        self._explore()
        self.consulting = _by_consulted(self.leaves)
        self.invariants = {
            claim.name: (claim.when and Part(claim.when, Trie()), _parts(claim.then))
            for claim in self.model.claims()
            if isinstance(claim, Always)
        }
        self.final = [Part(predicate, Trie()) for predicate in self.model.finals]
        self.shown = {c.name: self._where(c.test) for c in self.model.claims() if isinstance(c, Sometimes)}
        self.live = [claim for claim in self.model.claims() if isinstance(claim, LeadsTo)]
        self.goals = {
            claim.name: (claim.trigger and Part(claim.trigger, Trie()), Part(claim.goal, Trie()))
            for claim in self.live
        }

    def leaf(self, action: Action, state: State) -> tuple[list[tuple[int, int]], Leaf]:
        """Call the action, with the step claims about it, in this state."""

        def run(read: Any) -> Leaf:
            answer = ask(action, read)
            said: list[object] = list(answer.refusals)
            moves, alarms = [], []
            for outcome in answer.outcomes:
                after = overlay(read, outcome.writes)
                alarms += [
                    (claim.name, outcome.choice)
                    for claim in self.steps
                    if not holds_step(claim, claim.test, read, after, action, outcome)
                ]
                moves.append((outcome.choice, self.cells.coded(outcome.writes)))
                said.append(outcome.returned)
            return Leaf(said, tuple(moves), tuple(alarms))

        path, leaf = self.cells.call(run, state)
        for cell, _ in path:
            leaf.mask |= 1 << cell
        return path, leaf

    def value(self, part: Part, state: State) -> Any:
        """What a part of a claim says of a state. A claim looks at cells, and never asks the kernel."""
        found = part.trie.find(state)
        if found is None:
            step, self.switch.step = self.switch.step, _asked_by_a_claim
            try:
                path, found = self.cells.call(part.ask, state)
            except Exception as error:  # a claim of a model is any function
                raise ModelError(f"a claim raised {type(error).__name__}: {error}") from error
            finally:
                self.switch.step = step
            part.trie.insert(path, found)
        return found

    def holds(self, claim: str, state: State) -> bool:
        """Whether an `always` holds in a state."""
        when, (parts, compares) = self.invariants[claim]
        value = self.value
        if when is not None and not value(when, state):
            return True
        if compares is None:
            return all(value(part, state) for part in parts)
        return compares(lambda part: value(part, state))

    def _explore(self) -> None:
        """Breadth first. A path that read none of the cells that the last step changed is taken again."""
        actions, changed_by = self.model.actions, [0]
        at = 0
        while at < len(self.rows):
            if at > MOST:
                raise ModelError(f"{self.model.name}: more than {MOST:,} states at its quick bounds")
            self.known.append(len(self.rows))
            state, (parent, _, _), changed = self.rows[at], self.born[at], changed_by[at]
            if at == 0:
                taken = [self._learn(n, state) for n in range(len(actions))]
            else:
                taken = [
                    leaf if not leaf.mask & changed else self._learn(n, state)
                    for n, leaf in enumerate(self.taken[parent])
                ]
            self.taken.append(taken)
            self.edges.append(list(self._step(at, state, taken, changed_by)))
            at += 1

    def _step(self, at: int, state: State, taken: list[Leaf], changed_by: list[int]) -> Iterator[Any]:
        for number, leaf in enumerate(taken):
            leaf.states.append(at)
            for choice, writes in leaf.moves:
                after = self.cells.write(state, writes)
                target = self.index.get(after)
                if target is None:
                    target = self.index[after] = len(self.rows)
                    self.rows.append(after)
                    self.born.append((at, number, choice))
                    changed_by.append(sum({1 << cell for cell, _ in writes}))
                yield number, choice, leaf, target

    def _learn(self, number: int, state: State) -> Leaf:
        found: Leaf | None = self.tries[number].find(state)
        if found is None:
            self.watch.take()
            path, found = self.leaf(self.model.actions[number], state)
            found.consulted = self.watch.take()
            self.tries[number].insert(path, found)
            self.leaves.append(found)
        return found

    def _where(self, test: Predicate) -> tuple[Part, list[int]]:
        part = Part(test, Trie())
        return part, [at for at, state in enumerate(self.rows) if self.value(part, state)]


def _asked_by_a_claim(_read: Any, given: Any) -> Any:
    raise ValueError(f"a claim may look at cells, not ask the kernel: {given}")


def _parts(then: Predicate) -> tuple[list[Part], Callable[[Callable[[Part], Any]], bool] | None]:
    """The parts of a form that stay cheap to remember, and how a comparison of sums puts them together."""
    if isinstance(then, Every):
        return [Part(part, Trie()) for part in then.parts], None
    if not isinstance(then, Comparison):
        return [Part(then, Trie())], None
    left, right = ([Part(part, Trie()) for part in one.parts] for one in (then.left, then.right))
    compare = COMPARE[then.symbol]

    def compares(value: Callable[[Part], Any]) -> bool:
        return bool(compare(sum(map(value, left)), sum(map(value, right))))

    return [], compares


def _by_consulted(leaves: list[Leaf]) -> dict[Consulted, list[Leaf]]:
    found: dict[Consulted, list[Leaf]] = {}
    for leaf in leaves:
        for one in sorted(leaf.consulted):
            found.setdefault(one, []).append(leaf)
    return found
