"""The reference engine (VER-2): breadth first, one state at a time, plainly right.

It is the oracle for every other engine, so it is written to be read. A state is a tuple of value codes,
one per cell in the order in which cells were met; absent cells at the end are left off, which keeps the
tuple the same however many cells appear later. Nothing is iterated in hash order: the same model gives
the same search under any PYTHONHASHSEED.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import partial

from dhruva.explore import values
from dhruva.explore.errors import ModelError, Move, Path, unbounded
from dhruva.explore.forms import Predicate, Read
from dhruva.explore.liveness import Graph, Question, refute
from dhruva.explore.model import Action, Always, AlwaysStep, LeadsTo, Model, NoDeadlock, Sometimes
from dhruva.explore.outcomes import (
    Answer,
    Outcome,
    ask,
    holds,
    holds_step,
    is_final,
    overlay,
    signature,
    unsteady,
)
from dhruva.explore.search import AUDIT_CALLS, Coverage, Plan, Search, Tally
from dhruva.explore.values import ABSENT, Codes, show_key

State = tuple[int, ...]

# The first states have their actions asked again, and of the others one in so many.
_AUDIT_FIRST = 256
_AUDIT_EVERY = 64


class Cells:
    """Where each cell stands in a state, and which value each code means."""

    def __init__(self) -> None:
        self.place: dict[Hashable, int] = {}
        self.codes = Codes()

    def read(self, state: State) -> Read:
        def read(key: Hashable) -> object:
            place = self.place.get(key, len(state))
            return self.codes.values[state[place]] if place < len(state) else None

        return read

    def write(self, state: State, writes: tuple[tuple[Hashable, Hashable], ...]) -> State:
        row = list(state)
        for key, value in writes:
            place = self.place.setdefault(key, len(self.place))
            row.extend([ABSENT] * (place + 1 - len(row)))
            row[place] = self.codes.code(value)
            if len(self.codes.values) > values.MAX_VALUES:
                raise unbounded(values.show_key(key), len(self.codes.values))
        while row and row[-1] == ABSENT:
            row.pop()
        return tuple(row)


class Reference:
    """One search. `parents` holds every state met, with the step that first met it."""

    def __init__(self, model: Model, plan: Plan) -> None:
        self.model = model
        self.plan = plan
        self.claims = model.claims()
        self.cells = Cells()
        self.initial = self.cells.write((), tuple(model.cells.items()))
        self.parents: dict[State, tuple[State, Move] | None] = {self.initial: None}
        self.here = self.initial
        self.transitions = 0
        self.expanded = 0
        self.paths: dict[str, Path] = {}
        self.loops: dict[str, int] = {}
        self.reached = {c.name: 0 for c in self.claims if isinstance(c, Always) and c.when is not None}
        self.actions = Tally(action.name for action in model.actions)
        self.edges = Tally()
        self.refusals = Tally()

    def run(self) -> Search:
        try:
            return self.levels()
        except ModelError as error:
            raise ModelError(error.message, self.path(self.here)) from error

    def levels(self) -> Search:
        level, depth = [self.initial], 0
        while True:
            for state in level:
                self.check_state(state)
            if self.refuted() and not self.plan.keep_going:
                return self.result(depth)
            following: list[State] = []
            for state in level:
                cut = self.plan.budget.spent(len(self.parents))
                if cut is not None:
                    return self.result(depth + bool(following), cut=cut)
                if self.plan.progress is not None:
                    self.plan.progress(len(self.parents), len(level), depth)
                following.extend(self.expand(state))
            if not following:
                self.check_liveness()
                return self.result(depth, complete=True)
            level, depth = following, depth + 1

    def check_state(self, state: State) -> None:
        self.here = state
        read = self.cells.read(state)
        for claim in self.claims:
            match claim:
                case Always(when=when, then=then):
                    if when is not None:
                        if not holds(claim, when, read):
                            continue
                        self.reached[claim.name] += 1
                    if claim.name not in self.paths and not holds(claim, then, read):
                        self.paths[claim.name] = self.path(state)
                case Sometimes(test=test):
                    if claim.name not in self.paths and holds(claim, test, read):
                        self.paths[claim.name] = self.path(state)

    def expand(self, state: State) -> Iterator[State]:
        """Take every step from this state; yields the states that nobody had met."""
        self.here = state
        read = self.cells.read(state)
        stuck = True
        audited = self.plan.audit and (self.expanded < _AUDIT_FIRST or self.expanded % _AUDIT_EVERY == 0)
        self.expanded += 1
        for number, action in enumerate(self.model.actions):
            answer = ask(action, read)
            if audited:
                self.audit(state, action, answer)
            for refusal in answer.refusals:
                self.refusals.add(refusal, 1)
            successors = set()
            for outcome in answer.outcomes:
                stuck = False
                move = Move(number, outcome.choice)
                self.check_step(move, read, outcome)
                after = self.cells.write(state, outcome.writes)
                is_new = after not in self.parents
                self.actions.add(action.name, after not in successors, is_new)
                for edge in outcome.edges:
                    self.edges.add(edge, 1, is_new)
                successors.add(after)
                if is_new:
                    self.parents[after] = (state, move)
                    yield after
            self.transitions += len(successors)
        if stuck:
            self.check_deadlock(read)

    def audit(self, state: State, action: Action, answer: Answer) -> None:
        """The action must say the same again, and leave the values it read alone."""
        for _ in range(AUDIT_CALLS):
            if signature(ask(action, self.cells.read(state))) != signature(answer):
                raise unsteady(f"action {action.name!r}")
        for key, place in self.cells.place.items():
            if place < len(state) and not self.cells.codes.is_intact(state[place]):
                raise ModelError(f"action {action.name!r} changed the value of {show_key(key)} in place")

    def check_step(self, move: Move, read: Read, outcome: Outcome) -> None:
        action = self.model.actions[move.action]
        for claim in self.claims:
            if isinstance(claim, AlwaysStep) and claim.name not in self.paths:
                after = overlay(read, outcome.writes)
                if not holds_step(claim, claim.test, read, after, action, outcome):
                    self.paths[claim.name] = (*self.path(self.here), move)

    def check_deadlock(self, read: Read) -> None:
        for claim in self.claims:
            unsettled = isinstance(claim, NoDeadlock) and claim.name not in self.paths
            if unsettled and not is_final(self.model.finals, read):
                self.paths[claim.name] = self.path(self.here)

    def check_liveness(self) -> None:
        """Claims about runs, once the whole graph is known."""
        claims = [claim for claim in self.claims if isinstance(claim, LeadsTo)]
        if not claims or not self.plan.liveness:
            return
        states = list(self.parents)
        moves = [[(m, after) for m, after in self.steps(state) if after != state] for state in states]
        place = {state: position for position, state in enumerate(states)}
        edges = [[(move.action, place[after]) for move, after in row] for row in moves]
        for claim in claims:
            question = self.question(claim, states)
            lasso = refute(Graph(edges.__getitem__, len(states)), question)
            if lasso is not None:
                taken = zip(lasso.states, lasso.actions, lasso.states[1:], strict=False)
                self.paths[claim.name] = tuple(
                    next(m for m, s in moves[one] if m.action == action and place[s] == other)
                    for one, action, other in taken
                )
                self.loops[claim.name] = lasso.loop

    def question(self, claim: LeadsTo, states: list[State]) -> Question:
        def asked(predicate: Predicate, position: int) -> bool:
            self.here = states[position]
            return holds(claim, predicate, self.cells.read(states[position]))

        trigger, goal = claim.trigger, claim.goal
        first = (lambda position: position == 0) if trigger is None else partial(asked, trigger)
        weak, strong = self.model.matching(claim.weak), self.model.matching(claim.strong)
        return Question(first, partial(asked, goal), weak, strong)

    def steps(self, state: State) -> Iterator[tuple[Move, State]]:
        """The steps from a state, those that change nothing included."""
        read = self.cells.read(state)
        for number, action in enumerate(self.model.actions):
            for outcome in ask(action, read).outcomes:
                yield Move(number, outcome.choice), self.cells.write(state, outcome.writes)

    def refuted(self) -> bool:
        return any(claim.name in self.paths for claim in self.claims if not isinstance(claim, Sometimes))

    def path(self, state: State) -> Path:
        moves: list[Move] = []
        while (parent := self.parents[state]) is not None:
            state, move = parent
            moves.append(move)
        return tuple(reversed(moves))

    def result(self, depth: int, complete: bool = False, cut: str | None = None) -> Search:
        coverage = Coverage(self.actions.counts(), self.edges.by_name(), self.refusals.by_name())
        return Search(
            distinct=len(self.parents),
            transitions=self.transitions,
            depth=depth,
            paths=self.paths,
            reached=self.reached,
            coverage=coverage,
            complete=complete,
            cut=cut,
            unexpanded=len(self.parents) - self.expanded,
            loops=self.loops,
        )


def search(model: Model, plan: Plan) -> Search:
    """Visit every reachable state of the model."""
    return Reference(model, plan).run()
