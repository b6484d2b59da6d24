"""What was learned of a model, as Promela: so that Spin can count and judge it independently.

Each path of each action becomes one guarded step of a single process that never leaves its loop, so
Spin's stored states are exactly ours; Spin counts the initial state as a transition, we do not. A refuted
path of an `always` becomes an assertion that fails, and a final state may loop, so that it is no invalid
end state. Steps and liveness properties are not exported.
"""

from __future__ import annotations

from collections.abc import Iterator

from dhruva.explore.errors import UsageError
from dhruva.explore.fields import Field
from dhruva.explore.learned import Learned
from dhruva.explore.model import Model
from dhruva.explore.search import Budget, Plan
from dhruva.explore.trie import Function, PathRead
from dhruva.explore.values import show, show_key
from dhruva.explore.vector import Vector


def promela(model: Model, max_states: int | None = None) -> str:
    """Explore the model, then write down every path that was met."""
    search = Vector(model, Plan(Budget(max_states), keep_going=True, liveness=False))
    if not search.run().complete:
        raise UsageError("the search was cut short: what was not met cannot be written down")
    return "\n".join(_lines(search.learned)) + "\n"


def _lines(learned: Learned) -> Iterator[str]:
    if learned.sums:
        sums = ", ".join(repr(check.claim.name) for check in learned.sums)
        yield f"/* not exported, as they compare sums: {_plain(sums)} */"
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
    if learned.final is not None:
        for guard in _guards(learned.final, names, True):
            yield f"  :: d_step {{ {guard} -> skip }}  /* final */"
    yield "  od"
    yield "}"


def _steps(function: Function, names: dict[Field, str]) -> Iterator[str]:
    for path, leaf in function.paths():
        for outcome in leaf.result.outcomes:
            writes = [f"{names[f]} = {code}" for f, code in outcome.changes if f in names]
            yield f"  :: d_step {{ {_guard(path, names)} -> {'; '.join(writes) or 'skip'} }}"


def _guards(function: Function, names: dict[Field, str], result: bool) -> Iterator[str]:
    for path, leaf in function.paths():
        if leaf.result is result:
            yield _guard(path, names)


def _guard(path: PathRead, names: dict[Field, str]) -> str:
    return " && ".join(f"{names[f]} == {code}" for f, code in path if f in names) or "true"


def _plain(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *")
