"""A model as recorded functions: what the fast engine and the exports work on.

Every action, and every part of every property, becomes a Function with its own trie. Step properties are
asked where the action is: what they say is part of the action's leaf. An `always` with a `when` is
recorded as one implication, and the `when` once more, to count where it was reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dhruva.explore.fields import Layout, Words
from dhruva.explore.forms import Comparison, Every, Predicate, Read
from dhruva.explore.model import Always, AlwaysStep, Claim, Model, NoDeadlock, Sometimes
from dhruva.explore.outcomes import (
    FINAL,
    Answer,
    ask,
    boolean,
    holds,
    holds_step,
    integer,
    overlay,
    signature,
    unsteady,
)
from dhruva.explore.search import AUDIT_CALLS, Tally
from dhruva.explore.tables import Does, Writes
from dhruva.explore.trie import Function, Leaf
from dhruva.explore.values import identity, show, show_key

# More paths than this through one function are worth a word: a form over many cells would be cheaper.
MANY_PATHS = 4096


@dataclass(frozen=True, eq=False)
class StateCheck:
    """One function of the state; `alarm` is the result that settles the claim."""

    claim: Claim
    function: Function
    alarm: bool


@dataclass(frozen=True, eq=False)
class SumCheck:
    """A comparison of sums: the signed parts, added up, are compared with 0."""

    claim: Claim
    sign: dict[Function, int]
    symbol: str
    when: Function | None


class Learned:
    """The functions of a model, and the layout of its cells."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.layout = Layout(model.cells.items())
        self.calls = 0
        self.steps = [claim for claim in model.claims() if isinstance(claim, AlwaysStep)]
        self.actions = [
            Function(f"action {action.name!r}", self._action(number))
            for number, action in enumerate(model.actions)
        ]
        self.checks: list[StateCheck] = []
        self.sums: list[SumCheck] = []
        self.whens: dict[str, Function] = {}
        for claim in model.claims():
            self._claim(claim)
        deadlocks = any(isinstance(claim, NoDeadlock) for claim in model.claims())
        self.final = self._predicate(FINAL, _any(model.finals)) if deadlocks else None

    def record(self, function: Function, words: Words) -> Leaf:
        self.calls += 1
        return function.record(self.layout, words)

    def audit(self, function: Function, leaf: Leaf, words: Words) -> None:
        """Call a function where its trie already has an answer, and compare."""
        for _ in range(AUDIT_CALLS):
            _, again = function.call(self.layout, words)
            if _signature(again) != _signature(leaf.result):
                raise unsteady(function.name)
        leaf.is_audited = True

    def functions(self) -> Iterator[Function]:
        yield from self.actions
        yield from (check.function for check in self.checks)
        yield from (function for check in self.sums for function in check.sign)
        yield from self.whens.values()

    def coverage(self) -> tuple[Tally, Tally]:
        """How often each edge and each refusal was met, from how often the leaves were."""
        edges, refusals = Tally(), Tally()
        for action in self.actions:
            for leaf in action.leaves:
                answer: Answer = leaf.result.answer
                for outcome, new in zip(answer.outcomes, leaf.news, strict=True):
                    for edge in outcome.edges:
                        edges.add(edge, leaf.hits, new)
                for refusal in answer.refusals:
                    refusals.add(refusal, leaf.hits)
        return edges, refusals

    def untaken(self) -> tuple[str, ...]:
        """Where an action reads a cell, the values that this cell has elsewhere but never had there."""
        found = []
        # There are far more nodes than values, and to show a value takes long.
        shown = {field: [show(value) for value in field.values] for field in self.layout.fields}
        for action, function in zip(self.model.actions, self.actions, strict=True):
            for node in function.nodes():
                missing = [v for code, v in enumerate(shown[node.field]) if code not in node.branches]
                if missing:
                    found.append(f"{action.name}: {show_key(node.field.key)} = {' or '.join(missing)}")
        return tuple(found)

    def notes(self) -> tuple[str, ...]:
        return tuple(
            f"{function.name} has {len(function.leaves):,} paths: a form over many cells would be cheaper"
            for function in self.functions()
            if len(function.leaves) > MANY_PATHS
        )

    def _action(self, number: int) -> Callable[[Read], Does]:
        action = self.model.actions[number]

        def run(read: Read) -> Does:
            answer = ask(action, read)
            outcomes: list[Writes] = []
            alarms: list[tuple[str, int]] = []
            for outcome in answer.outcomes:
                after = overlay(read, outcome.writes)
                alarms += [
                    (claim.name, outcome.choice)
                    for claim in self.steps
                    if not holds_step(claim, claim.test, read, after, action, outcome)
                ]
                coded = ((self.layout.field(key), value) for key, value in outcome.writes)
                changes = tuple((field, field.code(value)) for field, value in coded)
                outcomes.append(Writes(outcome.choice, changes))
            return Does(tuple(outcomes), tuple(alarms), answer)

        return run

    def _claim(self, claim: Claim) -> None:
        match claim:
            case Sometimes(test=test):
                self.checks.append(StateCheck(claim, self.claim_part(claim, test), True))
            case Always(when=when, then=then):
                if when is not None:
                    self.whens[claim.name] = self.claim_part(claim, when)
                if isinstance(then, Comparison):
                    self.sums.append(self._sum(claim, then, self.whens.get(claim.name)))
                    return
                for part in then.parts if isinstance(then, Every) else (then,):
                    implied = part if when is None else _implies(claim, when, part)
                    self.checks.append(StateCheck(claim, self.claim_part(claim, implied), False))

    def _sum(self, claim: Claim, comparison: Comparison, when: Function | None) -> SumCheck:
        name = f"property {claim.name!r}"
        sign = {Function(name, _integer(name, part)): 1 for part in comparison.left.parts}
        sign |= {Function(name, _integer(name, part)): -1 for part in comparison.right.parts}
        return SumCheck(claim, sign, comparison.symbol, when)

    def claim_part(self, claim: Claim, predicate: Predicate) -> Function:
        return self._predicate(f"property {claim.name!r}", predicate)

    def _predicate(self, name: str, predicate: Predicate) -> Function:
        return Function(name, lambda read: boolean(name, predicate, read))


def _implies(claim: Claim, when: Predicate, then: Predicate) -> Predicate:
    return lambda read: not holds(claim, when, read) or holds(claim, then, read)


def _any(predicates: list[Predicate]) -> Predicate:
    return lambda read: any(predicate(read) for predicate in predicates)


def _integer(name: str, part: Callable[[Read], int]) -> Callable[[Read], int]:
    return lambda read: integer(name, part, read)


def _signature(result: Any) -> object:
    """What must be the same when a function is called again in a state with the same cells."""
    return (signature(result.answer), result.alarms) if isinstance(result, Does) else identity(result)
