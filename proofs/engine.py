"""Decisions on a path, and the solver that knows which of them can be taken.

A run is a function that asks `decide` (is this formula true?) and `choose` (which of n?). The engine answers
with the first answer that is possible, remembers what else could have been answered, and runs the function
again for the rest: depth first, until every path has been walked. Nothing is copied and nothing is rewritten,
so the function can be any Python, and here it is `dhruva.step.step`.

The solver's stack follows the trace: an answer that two paths share is given to the solver once.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import z3  # type: ignore[import-untyped]

TIMEOUT_MS: Final = 20_000


class Unsupported(Exception):
    """The code under proof did something that the engine cannot follow. Never caught, never guessed."""


class Unproved(Exception):
    """The solver gave up. Not refuted in time is not proved."""


class Pruned(BaseException):
    """No world meets the premises on this path: it is left. Not an Exception, so that no rule can
    catch it.
    """


class Restart(BaseException):
    """A constant turned up in a key where a symbol may stand: all paths are walked again, knowing it."""


class Choice:
    """One answer of the trace, and what else could have been answered."""

    __slots__ = ("condition", "pushed", "rest", "taken")

    def __init__(self, taken: int, rest: list[int], condition: Any, pushed: bool) -> None:
        self.taken, self.rest, self.condition, self.pushed = taken, rest, condition, pushed


class Engine:
    """The trace of one exploration."""

    def __init__(self, constants: dict[str, set[int]] | None = None) -> None:
        self.solver = z3.SimpleSolver()
        self.solver.set("timeout", TIMEOUT_MS)
        self.trace: list[Choice] = []
        self.at = 0
        self.known: dict[Any, Any] = {}
        self.constants = {} if constants is None else constants
        self.checks = self.fresh = 0

    # Answers

    def choose(self, among: int) -> int:
        """One of so many, all of them in turn."""
        if self.at < len(self.trace):
            taken = self.trace[self.at].taken
        else:
            taken = 0
            self.trace.append(Choice(0, list(range(among - 1, 0, -1)), None, False))
        self.at += 1
        return taken

    def decide(self, formula: Any) -> bool:
        """Whether the formula is true on this path; both answers are walked if both are possible."""
        if z3.is_true(formula):
            return True
        if z3.is_false(formula):
            return False
        found = self.known.get(formula.get_id())
        if found is not None:
            return bool(found[0])
        if self.at == len(self.trace):
            self._ask(formula)
        answer = bool(self.trace[self.at].taken)
        self.at += 1
        self.known[formula.get_id()] = (answer, formula)  # with the formula: it keeps its id
        return answer

    def _ask(self, formula: Any) -> None:
        yes, no = self.possible(formula), self.possible(z3.Not(formula))
        if yes and no:
            self._push(formula)
            self.trace.append(Choice(1, [0], formula, True))
        elif yes or no:
            self.trace.append(Choice(int(yes), [], None, False))
        else:
            raise Pruned

    def assume(self, formula: Any) -> None:
        """A premise: paths in which it cannot be met are left."""
        if z3.is_true(formula):
            return
        if self.at == len(self.trace):
            if not self.possible(formula):
                raise Pruned
            self._push(formula)
            self.trace.append(Choice(1, [], formula, True))
        self.at += 1

    def possible(self, formula: Any) -> bool:
        """Whether the formula can be true here. What the solver cannot tell may be: more paths, never
        fewer.
        """
        self.checks += 1
        return bool(self.solver.check(formula) != z3.unsat)

    def refute(self, formula: Any) -> Any:
        """None if the formula is true in every world of this path, else a model in which it is not."""
        self.checks += 1
        answer = self.solver.check(z3.Not(formula))
        if answer == z3.unsat:
            return None
        if answer == z3.sat:
            return self.solver.model()
        raise Unproved(self.solver.reason_unknown())

    def _push(self, formula: Any) -> None:
        self.solver.push()
        self.solver.add(formula)

    # Walking all paths

    def paths(self, run: Callable[[], Any], base: int = 0) -> Iterator[Any]:
        """What `run` returns on each path that goes on from the first `base` answers of the trace."""
        known = dict(self.known)
        while True:
            self.at, self.known = base, dict(known)
            self.fresh = self.fresh if base else 0
            try:
                found = run()
            except Pruned:
                pass
            else:
                yield found
            if not self._next(base):
                self.known = known
                return

    def back_to(self, base: int) -> None:
        """Forget the answers after the first `base`: a claim was left before its end."""
        while len(self.trace) > base:
            if self.trace.pop().pushed:
                self.solver.pop()

    def _next(self, base: int) -> bool:
        while len(self.trace) > base:
            last = self.trace[-1]
            if last.pushed:
                self.solver.pop()
            if last.rest:
                last.taken = last.rest.pop()
                if last.pushed:
                    self._push(z3.Not(last.condition))
                return True
            self.trace.pop()
        return False
