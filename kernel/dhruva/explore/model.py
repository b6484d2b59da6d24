"""What a model says: cells, actions, properties. Nothing here searches.

A model is one ordinary Python file with a function `model(...)` whose keyword parameters are its bounds:

    def model(tasks: int = 3, limit: int = 2) -> Model:
        m = Model("scope gate", tasks=tasks, limit=limit)
        m.var("slots", 0)
        m.action("commit", lambda read: {"slots": read("slots") + 1} if read("slots") < limit else None)
        m.always("never above the limit", lambda read: read("slots") <= limit, "slots stay within the limit")
        return m

Cells live under any hashable key. None means absent: a key that was never written reads as None, and
writing None removes the cell. What an action depends on is not declared: `read` is its only access to the
state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Concatenate, ParamSpec

from dhruva.explore.errors import ModelError
from dhruva.explore.forms import Predicate, Read
from dhruva.explore.values import show_key

StepPredicate = Callable[[Read, Read, str, Any], bool]
Bound = int | bool | str
Cites = str | tuple[str, ...]
Patterns = str | tuple[str, ...]
P = ParamSpec("P")

DEADLOCK = "no deadlock"


@dataclass(frozen=True)
class Action:
    """Something that may happen. `run` is a pure function of `read`; `outcomes` says what it may return."""

    name: str
    run: Callable[[Read], object]


@dataclass(frozen=True)
class Claim:
    """What all properties have: a name, an English sentence, and the requirements it is evidence for."""

    kind: ClassVar[str]
    name: str
    sentence: str
    cites: tuple[str, ...]


@dataclass(frozen=True)
class Always(Claim):
    """`then` holds in every reachable state in which `when` holds (everywhere, if there is no `when`)."""

    kind: ClassVar[str] = "always"
    then: Predicate
    when: Predicate | None


@dataclass(frozen=True)
class Sometimes(Claim):
    """Some reachable state satisfies `test`: the guard against properties that hold of nothing."""

    kind: ClassVar[str] = "sometimes"
    test: Predicate


@dataclass(frozen=True)
class AlwaysStep(Claim):
    """`test(before, after, action, outcome)` holds of every step; `outcome` is what the action returned."""

    kind: ClassVar[str] = "always_step"
    test: StepPredicate


@dataclass(frozen=True)
class LeadsTo(Claim):
    """On every fair run, a state with `trigger` is followed by one with `goal`, at once or later.

    `trigger` None means the initial state. `weak` and `strong` are patterns of action names, `*` standing for
    anything: an action that stays possible (strong: that becomes possible again and again) is taken in the
    end. Only steps that change the state count, both as possible and as taken.
    """

    kind: ClassVar[str] = "leads_to"
    trigger: Predicate | None
    goal: Predicate
    weak: tuple[str, ...]
    strong: tuple[str, ...]


@dataclass(frozen=True)
class Eventually(LeadsTo):
    """Every fair run reaches `goal`."""

    kind: ClassVar[str] = "eventually"


@dataclass(frozen=True)
class NoDeadlock(Claim):
    """Every reachable state that is not final has a step, be it one that changes nothing."""

    kind: ClassVar[str] = "deadlock"


class Model:
    """Cells with their first values, actions, and properties, in the order in which they are declared."""

    def __init__(self, name: str, **bounds: Bound) -> None:
        self.name = name
        self.bounds: dict[str, Bound] = dict(bounds)
        self.cells: dict[Hashable, Hashable] = {}
        self.actions: list[Action] = []
        self.properties: list[Claim] = []
        self.finals: list[Predicate] = []
        self.deadlock_allowed: str | None = None

    def var(self, key: Hashable, value: Hashable) -> None:
        """A cell that exists from the start."""
        try:
            taken = key in self.cells
            hash(value)
        except TypeError as error:
            raise ModelError(f"variable {key!r}: {error}; keys and values must be hashable") from error
        if taken:
            raise ModelError(f"variable {show_key(key)} is declared twice")
        self.cells[key] = value

    def action(
        self, name: str, run: Callable[Concatenate[Read, P], object], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """`run(read, *args)` returns None (not possible now), a mapping of writes, or a list of outcomes."""
        if any(name == action.name for action in self.actions):
            raise ModelError(f"action {name!r} is declared twice")
        if not callable(run):
            raise ModelError(f"action {name!r} must be a function of read, not {run!r}")
        self.actions.append(Action(name, lambda read: run(read, *args, **kwargs)))

    def always(
        self,
        name: str,
        predicate: Predicate | None = None,
        sentence: str = "",
        *,
        when: Predicate | None = None,
        then: Predicate | None = None,
        cites: Cites = (),
    ) -> None:
        """Either `predicate`, or `when` and `then`. A `when` that no state reaches is reported."""
        if (predicate is None) == (then is None) or (when is not None and then is None):
            raise ModelError(f"property {name!r} needs either a predicate, or `when` and `then`")
        claim = predicate if predicate is not None else then
        assert claim is not None
        self._add(Always(name, sentence, _ids(cites), claim, when))

    def sometimes(self, name: str, predicate: Predicate, sentence: str = "", *, cites: Cites = ()) -> None:
        self._add(Sometimes(name, sentence, _ids(cites), predicate))

    def always_step(
        self, name: str, predicate: StepPredicate, sentence: str = "", *, cites: Cites = ()
    ) -> None:
        """`predicate(before, after, action, outcome)`; `before` and `after` read the two states."""
        self._add(AlwaysStep(name, sentence, _ids(cites), predicate))

    def leads_to(
        self,
        name: str,
        trigger: Predicate,
        goal: Predicate,
        sentence: str = "",
        *,
        fair: Patterns = (),
        strongly_fair: Patterns = (),
        cites: Cites = (),
    ) -> None:
        """Whenever `trigger` holds, `goal` holds then or later, on every run that is fair to the actions."""
        weak, strong = _patterns(fair), _patterns(strongly_fair)
        self._add(LeadsTo(name, sentence, _ids(cites), trigger, goal, weak, strong))

    def eventually(
        self,
        name: str,
        goal: Predicate,
        sentence: str = "",
        *,
        fair: Patterns = (),
        strongly_fair: Patterns = (),
        cites: Cites = (),
    ) -> None:
        """Every run that is fair to the actions reaches `goal`."""
        weak, strong = _patterns(fair), _patterns(strongly_fair)
        self._add(Eventually(name, sentence, _ids(cites), None, goal, weak, strong))

    def matching(self, patterns: tuple[str, ...]) -> tuple[int, ...]:
        """Positions of the actions that the patterns name."""
        found: dict[int, None] = {}
        for pattern in patterns:
            parts = re.compile(".*".join(map(re.escape, pattern.split("*"))))
            numbers = [n for n, action in enumerate(self.actions) if parts.fullmatch(action.name)]
            if not numbers:
                raise ModelError(f"fairness for {pattern!r}: no action has such a name")
            found.update(dict.fromkeys(numbers))
        return tuple(sorted(found))

    def final(self, predicate: Predicate) -> None:
        """States in which nothing more need happen. Several declarations add up."""
        self.finals.append(predicate)

    def allow_deadlock(self, because: str) -> None:
        """Do not look for deadlocks. The reason stands in the report."""
        self.deadlock_allowed = because

    def claims(self) -> tuple[Claim, ...]:
        """All properties to be checked, the absence of deadlock among them."""
        if self.deadlock_allowed is not None:
            return tuple(self.properties)
        deadlock = NoDeadlock(DEADLOCK, "every state that is not final has a next step", ())
        return (*self.properties, deadlock)

    def validate(self) -> None:
        """What can only be said once the whole model is there."""
        zero = [name for name, value in self.bounds.items() if value == 0 and not isinstance(value, bool)]
        hint = f" with {' and '.join(f'{name}=0' for name in zero)}" if zero else ""
        if not self.cells:
            raise ModelError(
                f"model {self.name!r} has no variables{hint}: declare them with m.var(key, value)"
            )
        if not self.actions:
            raise ModelError(
                f"model {self.name!r} has no actions{hint}: declare them with m.action(name, function)"
            )
        for claim in self.properties:
            if isinstance(claim, LeadsTo):
                self.matching(claim.weak + claim.strong)

    def _add(self, claim: Claim) -> None:
        if claim.name == DEADLOCK or any(claim.name == other.name for other in self.properties):
            raise ModelError(f"property {claim.name!r} is declared twice")
        self.properties.append(claim)


def _patterns(patterns: Patterns) -> tuple[str, ...]:
    return (patterns,) if isinstance(patterns, str) else tuple(patterns)


def _ids(cites: Cites) -> tuple[str, ...]:
    return tuple(cites.replace(",", " ").split()) if isinstance(cites, str) else tuple(cites)
