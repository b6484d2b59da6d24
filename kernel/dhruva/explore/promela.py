"""What was learned of a model, as Promela: so that Spin can count and judge it independently.

Each path of each action becomes one guarded step of a single process that never leaves its loop, so
Spin's stored states are exactly ours, the initial state among them on either side; Spin counts it as a
transition too, we do not. Where an `always` is refuted an assertion fails, an outcome that an `always_step`
refutes ends in one, and a final state may loop, so that it is no invalid end state. Not exported: what no
single state or step can refute (`sometimes`, `eventually`, `leads_to`).
"""

from __future__ import annotations

from collections.abc import Iterator

from dhruva.explore.errors import UsageError
from dhruva.explore.fields import Field
from dhruva.explore.learned import Learned, SumCheck
from dhruva.explore.model import Model
from dhruva.explore.search import Budget, Plan, Search
from dhruva.explore.trie import Function, PathRead
from dhruva.explore.values import show, show_key
from dhruva.explore.vector import Vector


def promela(model: Model, max_states: int | None = None) -> str:
    """Explore the model, then write down every path that was met."""
    return explored(model, max_states)[0]


def explored(model: Model, max_states: int | None = None) -> tuple[str, Search]:
    """What `promela` says, with the result of the search behind it."""
    vector = Vector(model, Plan(Budget(max_states), keep_going=True, liveness=False))
    found = vector.run()
    if not found.complete:
        raise UsageError("the search was cut short: what was not met cannot be written down")
    return "\n".join(_lines(vector.learned)) + "\n", found


def _lines(learned: Learned) -> Iterator[str]:
    names = {field: f"c{number}" for number, field in enumerate(learned.layout.fields) if field.bits}
    for field, name in names.items():
        values = ", ".join(f"{code}: {_plain(show(value))}" for code, value in enumerate(field.values))
        yield f"unsigned {name} : {field.bits};  /* {_plain(show_key(field.key))} = {values} */"
    yield ""
    yield "active proctype model() {"
    yield "  do"
    for action, function in zip(learned.model.actions, learned.actions, strict=True):
        yield f"  /* {_plain(action.name)} */"
        yield from _steps(function, names)
    for check in learned.checks:
        if not check.alarm:
            for guard in _guards(check.function, names, False):
                yield f"  :: d_step {{ {guard} -> assert(false) }}  /* {_plain(check.claim.name)} */"
    for comparison in learned.sums:
        guard = _differs(comparison, names)
        yield f"  :: d_step {{ {guard} -> assert(false) }}  /* {_plain(comparison.claim.name)} */"
    if learned.final is not None:
        for guard in _guards(learned.final, names, True):
            yield f"  :: d_step {{ {guard} -> skip }}  /* final */"
    yield "  od"
    yield "}"


def _steps(function: Function, names: dict[Field, str]) -> Iterator[str]:
    for path, leaf in function.paths():
        for outcome in leaf.result.outcomes:
            does = [f"{names[f]} = {code}" for f, code in outcome.changes if f in names]
            does += [
                f"assert(false) /* {_plain(name)} */"
                for name, choice in leaf.result.alarms
                if choice == outcome.choice
            ]
            yield f"  :: d_step {{ {_guard(path, names)} -> {'; '.join(does) or 'skip'} }}"


def _guards(function: Function, names: dict[Field, str], result: bool) -> Iterator[str]:
    for path, leaf in function.paths():
        if leaf.result is result:
            yield _guard(path, names)


def _differs(comparison: SumCheck, names: dict[Field, str]) -> str:
    """Where the signed sum does not compare with 0 as it should. Each state is on one path of each part."""
    terms = [
        f"({_guard(path, names)} -> {sign * int(leaf.result)} : 0)"
        for part, sign in comparison.sign.items()
        for path, leaf in part.paths()
        if leaf.result
    ]
    wrong = f"!(({' + '.join(terms) or '0'}) {comparison.symbol} 0)"
    if comparison.when is None:
        return wrong
    when = " || ".join(f"({guard})" for guard in _guards(comparison.when, names, True)) or "false"
    return f"({when}) && {wrong}"


def _guard(path: PathRead, names: dict[Field, str]) -> str:
    return " && ".join(f"{names[f]} == {code}" for f, code in path if f in names) or "true"


def _plain(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *")
