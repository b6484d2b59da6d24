"""Many paths of one part of a step, merged into one state.

A part is a wire, a guard, a decision, or one of a few helpers that rules share. It is run on every path, from
the state in which it was reached, by the engine that runs everything else; what the paths leave is merged
field by field, under the conditions of the paths. So the parts of a step add their paths up, where they
would multiply them, and nothing is summarized that was not run: there is no abstraction to argue for.

None and a value are never merged in what a part returns, because rules ask `is None` of it: the step goes
on once with the one and once with the other.
"""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, NamedTuple, Protocol

import z3  # type: ignore[import-untyped]

from dhruva.ids import Ref
from proofs.engine import Pruned, Unsupported
from proofs.values import (
    Number,
    Opt,
    SymBool,
    SymEnum,
    SymRef,
    and_,
    code,
    constant,
    engine,
    formula,
    or_,
)

Cases = Sequence[tuple[Any, Any]]
"""Conditions and values; the conditions exclude each other, and one of them holds."""


class Guarded(NamedTuple):
    """An item of a list that is there under a condition."""

    when: Any
    item: Any


def identical(left: Any, right: Any) -> bool:
    """Whether two values are one and the same, term by term. No formula is made."""
    if left is right:
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        return (
            type(left) is type(right)
            and len(left) == len(right)
            and all(map(identical, tuple.__iter__(left), tuple.__iter__(right)))
        )
    if isinstance(left, Opt) and isinstance(right, Opt):
        return _one(left.there, right.there) and identical(left.value, right.value)
    if type(left) is type(right) and isinstance(left, Number | SymEnum | SymBool):
        return bool(left.term.eq(right.term))
    if isinstance(left, Number | SymEnum | SymBool | Opt) or isinstance(
        right, Number | SymEnum | SymBool | Opt
    ):
        return False
    return type(left) is type(right) and bool(left == right)


def _one(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left.eq(right))


def chosen(cases: Cases) -> Any:
    """The value that stands for the values of all cases."""
    first = cases[0][1]
    if all(identical(first, value) for _, value in cases[1:]):
        return first
    values = [value for _, value in cases]
    if any(value is None or isinstance(value, Opt) for value in values):
        return _chosen_option(cases)
    if all(isinstance(value, tuple) for value in values):
        return _chosen_tuple(cases)
    if all(isinstance(value, bool | SymBool) for value in values):
        return SymBool(either([(when, formula(value)) for when, value in cases]))
    if all(isinstance(value, str | Enum | SymEnum) for value in values):
        return _chosen_member(cases)
    if all(isinstance(value, int | Number) and not isinstance(value, bool) for value in values):
        names = [(value.family, value.is_id) for value in values if isinstance(value, Number)]
        terms = [(w, v.term if isinstance(v, Number) else constant(v)) for w, v in cases]
        return Number(either(terms), *(names[0] if names else ("number", False)))
    raise Unsupported(f"merging {sorted({type(value).__name__ for value in values})}")


def either(terms: Cases) -> Any:
    """The z3 term that is each of these under its condition."""
    result = terms[-1][1]
    for when, term in reversed(terms[:-1]):
        if not term.eq(result):
            result = z3.If(formula(when), term, result)
    return result


def _chosen_option(cases: Cases) -> Any:
    flags, inside = [], []
    for when, value in cases:
        flag = value.there if isinstance(value, Opt) else value is not None
        flags.append((when, formula(flag)))
        if flag is not False:
            inside.append((when, value.value if isinstance(value, Opt) else value))
    there = z3.simplify(either(flags))
    if z3.is_false(there):
        return None
    value = chosen(inside)
    return value if z3.is_true(there) else Opt(there, value)


def _chosen_tuple(cases: Cases) -> Any:
    kinds = {_class(value) for _, value in cases}
    lengths = {len(value) for _, value in cases}
    if len(kinds) > 1 or len(lengths) > 1:
        raise Unsupported(f"merging {sorted(kind.__name__ for kind in kinds)}")
    parts = tuple(
        chosen([(when, tuple.__getitem__(value, at)) for when, value in cases]) for at in range(lengths.pop())
    )
    kind = kinds.pop()
    return tuple.__new__(SymRef if kind is Ref else kind, parts)


def _class(value: Any) -> type:
    return Ref if isinstance(value, Ref) else type(value)


def _chosen_member(cases: Cases) -> SymEnum:
    domain: dict[int, Any] = {}
    terms = []
    for when, value in cases:
        members = value.domain if isinstance(value, SymEnum) else (value,)
        domain.update((code(member), member) for member in members)
        terms.append((when, value.term if isinstance(value, SymEnum) else constant(code(value))))
    return SymEnum(either(terms), tuple(domain[c] for c in sorted(domain)))


# Parts


class State(Protocol):
    """What a part may change: the cells that were read, the cells as they stand, and what the step says."""

    def snapshot(self) -> Any: ...

    def restore(self, kept: Any) -> None: ...

    def merged(self, before: Any, cases: Cases) -> Any: ...


class _Outcome(NamedTuple):
    when: Any
    state: Any
    result: Any


def part(state: State | None, run: Callable[[], Any]) -> Any:
    """Run a part on all of its paths, and go on from what they left."""
    here = engine()
    outcomes = here.fact(True) if here.recorded() else _merge(state, run)
    for outcome in outcomes[:-1]:
        if here.decide(outcome.when):
            break
    else:
        outcome = outcomes[-1]
    if state is not None:
        state.restore(outcome.state)
    return outcome.result


def _merge(state: State | None, run: Callable[[], Any]) -> list[_Outcome]:
    here, before = engine(), None if state is None else state.snapshot()
    base = len(here.trace)
    cases: list[tuple[Any, Any, Any]] = []
    facts: list[Any] = []

    def again() -> Any:
        if state is not None:
            state.restore(before)
        return run()

    for result in here.paths(again, base):
        answers, given = here.guard(base)
        cases.append((and_(*answers), None if state is None else state.snapshot(), result))
        facts += given
    if not cases:
        raise Pruned
    outcomes = [_outcome(state, before, group) for group in _grouped(cases)]
    here.fact(and_(or_(*(when for when, _, _ in cases)), *facts), outcomes)
    return outcomes


def _outcome(state: State | None, before: Any, group: list[tuple[Any, Any, Any]]) -> _Outcome:
    left = None if state is None else state.merged(before, [(when, kept) for when, kept, _ in group])
    return _Outcome(
        or_(*(when for when, _, _ in group)), left, chosen([(when, result) for when, _, result in group])
    )


def _grouped(cases: list[tuple[Any, Any, Any]]) -> list[list[tuple[Any, Any, Any]]]:
    """Cases whose results can be one."""
    groups: dict[Any, list[tuple[Any, Any, Any]]] = {}
    for case in cases:
        groups.setdefault(_form(case[2]), []).append(case)
    return list(groups.values())


def _form(result: Any) -> Any:
    """What a rule may ask of a result by identity or class."""
    if result is None:
        return None
    if isinstance(result, bool | SymBool):
        return bool
    if isinstance(result, Enum | SymEnum | str):
        return Enum
    if isinstance(result, Number | int):
        return Number
    if isinstance(result, tuple):
        return (_class(result), *(_form(value) for value in tuple.__iter__(result)))
    return id(result)
