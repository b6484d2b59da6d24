"""What was learned of a model, as Promela: so that Spin can count and judge it independently.

Each path of each action becomes one guarded step of a single process that never leaves its loop, so
Spin's stored states are exactly ours, the initial state among them on either side; Spin counts it as a
transition too, we do not. Where an `always` is refuted an assertion fails, an outcome that an `always_step`
refutes ends in one, and a final state may loop, so that it is no invalid end state. Not exported: what no
single state or step can refute (`sometimes`, `eventually`, `leads_to`).

Thousands of guarded steps take a compiler minutes. So a second opinion on a large model is asked with the
decision tries themselves written down, as tables in C, where a step is one lookup (`with_tables`); the search
is Spin's all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dhruva.explore.errors import UsageError
from dhruva.explore.fields import Field
from dhruva.explore.learned import Learned, SumCheck
from dhruva.explore.model import Model
from dhruva.explore.promela_tables import TABLES, Tables
from dhruva.explore.search import Budget, Plan, Search
from dhruva.explore.trie import Function, PathRead
from dhruva.explore.values import show, show_key
from dhruva.explore.vector import Vector


def promela(model: Model, max_states: int | None = None) -> str:
    """Explore the model, then write down every path that was met."""
    learned, _ = _explored(model, max_states)
    names = _names(learned)
    return _text(learned, names, Paths(names), ())


def with_tables(model: Model, max_states: int | None = None) -> tuple[str, str, Search]:
    """As `promela`, and what that text includes as TABLES; with the result of the search behind them."""
    learned, found = _explored(model, max_states)
    names = _names(learned)
    tables = Tables(names)
    text = _text(learned, names, tables, (f'c_code {{ \\#include "{TABLES}" }}',))
    return text, "\n".join(tables.lines()) + "\n", found


def _explored(model: Model, max_states: int | None) -> tuple[Learned, Search]:
    vector = Vector(model, Plan(Budget(max_states), keep_going=True, liveness=False))
    found = vector.run()
    if not found.complete:
        raise UsageError("the search was cut short: what was not met cannot be written down")
    return vector.learned, found


def _names(learned: Learned) -> dict[Field, str]:
    return {field: f"c{number}" for number, field in enumerate(learned.layout.fields) if field.bits}


def _text(learned: Learned, names: dict[Field, str], written: Paths | Tables, head: Iterable[str]) -> str:
    return "\n".join([*_cells(names), *head, *_process(learned, written)]) + "\n"


def _cells(names: dict[Field, str]) -> Iterator[str]:
    for field, name in names.items():
        values = ", ".join(f"{code}: {_plain(show(value))}" for code, value in enumerate(field.values))
        yield f"unsigned {name} : {field.bits};  /* {_plain(show_key(field.key))} = {values} */"
    yield ""


def _process(learned: Learned, written: Paths | Tables) -> Iterator[str]:
    yield "active proctype model() {"
    yield "  do"
    for action, function in zip(learned.model.actions, learned.actions, strict=True):
        yield f"  /* {_plain(action.name)} */"
        yield from (f"  :: d_step {{ {step} }}" for step in written.steps(function))
    for check in learned.checks:
        if not check.alarm:
            for guard in written.says(check.function, False):
                yield f"  :: d_step {{ {guard} -> assert(false) }}  /* {_plain(check.claim.name)} */"
    for comparison in learned.sums:
        guard = written.differs(comparison)
        yield f"  :: d_step {{ {guard} -> assert(false) }}  /* {_plain(comparison.claim.name)} */"
    if learned.final is not None:
        for guard in written.says(learned.final, True):
            yield f"  :: d_step {{ {guard} -> skip }}  /* final */"
    yield "  od"
    yield "}"


class Paths:
    """Every path of a function as a guard of its own: what a person can read."""

    def __init__(self, names: dict[Field, str]) -> None:
        self._names = names

    def steps(self, function: Function) -> Iterator[str]:
        for path, leaf in function.paths():
            for outcome in leaf.result.outcomes:
                does = [f"{self._names[f]} = {code}" for f, code in outcome.changes if f in self._names]
                does += [
                    f"assert(false) /* {_plain(name)} */"
                    for name, choice in leaf.result.alarms
                    if choice == outcome.choice
                ]
                yield f"{self._guard(path)} -> {'; '.join(does) or 'skip'}"

    def says(self, function: Function, result: bool) -> Iterator[str]:
        """The guards of the states in which a function has this result."""
        for path, leaf in function.paths():
            if leaf.result is result:
                yield self._guard(path)

    def differs(self, comparison: SumCheck) -> str:
        """Where the signed sum does not compare with 0 as it should; each state is on one path of a part."""
        terms = [
            f"({self._guard(path)} -> {sign * int(leaf.result)} : 0)"
            for part, sign in comparison.sign.items()
            for path, leaf in part.paths()
            if leaf.result
        ]
        wrong = f"!(({' + '.join(terms) or '0'}) {comparison.symbol} 0)"
        if comparison.when is None:
            return wrong
        when = " || ".join(f"({guard})" for guard in self.says(comparison.when, True)) or "false"
        return f"({when}) && {wrong}"

    def _guard(self, path: PathRead) -> str:
        return " && ".join(f"{self._names[f]} == {code}" for f, code in path if f in self._names) or "true"


def _plain(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *")
