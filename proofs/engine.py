"""Decisions on a path, and the solver that knows which of them can be taken.

A run is a function that asks `decide` (is this formula true?). The engine answers with an answer that is
possible, remembers whether the other one is possible too, and runs the function again for it: depth first,
until every path has been walked. Nothing is copied and nothing is rewritten, so the function can be any
Python, and here it is `dhruva.step.step`.

The trace of a path is the solver's stack: an answer that two paths share is given to the solver once. A part
of a run whose paths were merged (merge.py) is one entry of the trace.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import z3  # type: ignore[import-untyped]

TIMEOUT_MS: Final = 120_000


class Unsupported(Exception):
    """The code under proof did something that the engine cannot follow. Never caught, never guessed."""


class Unproved(Exception):
    """The solver gave up. Not refuted in time is not proved."""


class Pruned(BaseException):
    """No world meets the premises on this path: it is left. Not an Exception, so that no rule can
    catch it.
    """


class Entry:
    """One entry of a trace: an answer, a fact that was added, or a part that was merged."""

    __slots__ = ("answer", "asked", "open", "pushed", "record")

    def __init__(self, asked: Any, answer: bool, open_: bool, pushed: Any, record: Any = None) -> None:
        self.asked = asked  # the formula that was decided; None for a fact or a merged part
        self.answer = answer
        self.open = open_  # the other answer has still to be walked
        self.pushed = pushed  # what the solver was given; None: nothing
        self.record = record


class Engine:
    """The trace of one exploration."""

    def __init__(self, on_unsat: Any = None) -> None:
        self.solver = z3.SimpleSolver()
        self.solver.set("timeout", TIMEOUT_MS)
        self.trace: list[Entry] = []
        self.at = 0
        self.known: dict[int, tuple[bool, Any]] = {}
        self.names: dict[Any, tuple[str, Any]] = {}  # of cells, by key; with the key, whose terms it keeps
        self.checks = self.walked = 0
        self.on_unsat = on_unsat
        self._model: Any = None  # of the whole stack, if one is at hand

    # Answers

    def decide(self, formula: Any) -> bool:
        """Whether the formula is true on this path; both answers are walked if both are possible."""
        if formula is True or formula is False:
            return bool(formula)
        if z3.is_not(formula):
            return not self.decide(formula.arg(0))
        if z3.is_true(formula) or z3.is_false(formula):
            return bool(z3.is_true(formula))
        found = self.known.get(formula.get_id())
        if found is not None:
            return found[0]
        if self.at == len(self.trace):
            self._ask(formula)
        entry = self.trace[self.at]
        if entry.asked is None or not entry.asked.eq(formula):
            raise Unsupported("two runs of one path differ: the code under proof is not deterministic")
        self.at += 1
        self.known[formula.get_id()] = (entry.answer, formula)  # with the formula: it keeps its id
        return entry.answer

    def _ask(self, formula: Any) -> None:
        first = self._in_model(formula)
        if first is None:
            first = self.possible(formula)
            if not first and not self.possible(z3.Not(formula)):
                raise Pruned
            other = first and self.possible(z3.Not(formula))
        else:
            other = self.possible(z3.Not(formula) if first else formula)
        pushed = None
        if other:
            pushed = formula if first else z3.Not(formula)
            self._push(pushed)
        self.trace.append(Entry(formula, first, other, pushed))

    def _in_model(self, formula: Any) -> bool | None:
        """The answer in the model at hand, which shows that this answer is possible."""
        if self._model is None:
            return None
        value = self._model.eval(formula, model_completion=True)
        return True if z3.is_true(value) else False if z3.is_false(value) else None

    def fact(self, formula: Any, record: Any = None) -> Any:
        """A premise. A path in which it cannot be met is left when that is noticed."""
        if self.at == len(self.trace):
            if formula is False:
                raise Pruned
            trivial = formula is True or z3.is_true(formula)
            if not trivial:
                self._push(formula)
                if self._model is not None and not self._in_model(formula):
                    self._model = None
            self.trace.append(Entry(None, True, False, None if trivial else formula, record))
        entry = self.trace[self.at]
        if entry.asked is not None:
            raise Unsupported("two runs of one path differ: the code under proof is not deterministic")
        self.at += 1
        return entry.record

    def recorded(self) -> bool:
        """Whether this place of the path was reached before, so that the trace knows what comes."""
        return self.at < len(self.trace)

    def fresh(self) -> int:
        """A number that no other place of this path has."""
        self.fact(True)
        return self.at

    def possible(self, formula: Any) -> bool:
        """Whether the formula can be true here. What the solver cannot tell may be: more paths, never
        fewer.
        """
        self.checks += 1
        answer = self.solver.check(formula)
        if answer == z3.sat and self._model is None:
            self._model = self.solver.model()
        if answer == z3.unsat and self.on_unsat is not None:
            self.on_unsat(self.stack(), formula)
        return bool(answer != z3.unsat)

    def refute(self, formula: Any) -> Any:
        """None if the formula is true in every world of this path, else a model in which it is not."""
        self.checks += 1
        answer = self.solver.check(z3.Not(formula))
        if answer == z3.unsat:
            if self.on_unsat is not None:
                self.on_unsat(self.stack(), z3.Not(formula))
            return None
        if answer == z3.sat:
            return self.solver.model()
        raise Unproved(self.solver.reason_unknown())

    def stack(self) -> list[Any]:
        """What the solver has been given on this path."""
        return [entry.pushed for entry in self.trace if entry.pushed is not None]

    def smt2(self, formula: Any) -> str:
        """The query of this formula on this path, for another solver."""
        asked = z3.Solver()
        asked.add(*self.solver.assertions(), formula)
        return str(asked.to_smt2())

    def _push(self, formula: Any) -> None:
        self.solver.push()
        self.solver.add(formula)

    # Walking all paths

    def paths(self, run: Callable[[], Any], base: int = 0) -> Iterator[Any]:
        """What `run` returns on each path that goes on from the first `base` entries of the trace."""
        known = self.known
        while True:
            self.at, self.known = base, dict(known)
            try:
                found = run()
            except Pruned:
                pass
            else:
                self.walked += 1
                yield found
            if not self._next(base):
                self.at, self.known = base, known
                return

    def guard(self, base: int) -> tuple[list[Any], list[Any]]:
        """The answers given since `base`, and the facts, each under the answers before it."""
        answers: list[Any] = []
        facts: list[Any] = []
        for entry in self.trace[base:]:
            if entry.pushed is None:
                continue
            if entry.asked is not None:
                answers.append(entry.pushed)
            else:
                facts.append(z3.Implies(z3.And(*answers), entry.pushed) if answers else entry.pushed)
        return answers, facts

    def back_to(self, base: int) -> None:
        """Forget the entries after the first `base`: a claim was left before its end."""
        while len(self.trace) > base:
            if self.trace.pop().pushed is not None:
                self.solver.pop()
                self._model = None
        self.at = base

    def _next(self, base: int) -> bool:
        while len(self.trace) > base:
            last = self.trace[-1]
            if last.pushed is not None:
                self.solver.pop()
                self._model = None
            if last.open:
                last.open, last.answer = False, not last.answer
                last.pushed = last.asked if last.answer else z3.Not(last.asked)
                self._push(last.pushed)
                return True
            self.trace.pop()
        return False
