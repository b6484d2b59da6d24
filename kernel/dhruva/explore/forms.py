"""Properties over many cells, in forms that stay cheap.

A predicate that reads every cell has as many paths as the cells have combinations. These forms keep the
parts apart, so that a recording engine learns each part on its own: the cost is the sum, not the product.
Every form is also an ordinary function of `read`; an engine that does not record just calls it.

    m.always("alone on a target", for_pairs(TASKS, lambda read, a, b: ...), "...")
    m.always("slots are counted", count(TASKS, alive).equals(lambda read: read("scope").slots), "...")
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, TypeVar

Read = Callable[[Hashable], Any]
Predicate = Callable[[Read], bool]
Number = Callable[[Read], int]
K = TypeVar("K")


@dataclass(frozen=True)
class Every:
    """All the parts hold."""

    parts: tuple[Predicate, ...]

    def __call__(self, read: Read) -> bool:
        return all(part(read) for part in self.parts)


def for_each(keys: Iterable[K], predicate: Callable[[Read, K], bool]) -> Every:
    """`predicate(read, key)` holds for each key."""
    return Every(tuple(partial(_swap1, predicate, key) for key in keys))


def for_pairs(keys: Iterable[K], predicate: Callable[[Read, K, K], bool]) -> Every:
    """`predicate(read, a, b)` holds for each two different keys, `a` being the one named first."""
    return Every(tuple(partial(_swap2, predicate, a, b) for a, b in combinations(keys, 2)))


@dataclass(frozen=True)
class Sum:
    """A number that is the sum of parts, each of which reads a few cells."""

    parts: tuple[Number, ...]

    def __call__(self, read: Read) -> int:
        return sum(part(read) for part in self.parts)

    def at_most(self, bound: int | Number) -> Comparison:
        return Comparison(self, "<=", _number(bound))

    def at_least(self, bound: int | Number) -> Comparison:
        return Comparison(self, ">=", _number(bound))

    def equals(self, other: int | Number) -> Comparison:
        return Comparison(self, "==", _number(other))


def total(keys: Iterable[K], number: Callable[[Read, K], int]) -> Sum:
    """The sum of `number(read, key)` over the keys."""
    return Sum(tuple(partial(_swap1, number, key) for key in keys))


def count(keys: Iterable[K], predicate: Callable[[Read, K], bool]) -> Sum:
    """For how many keys `predicate(read, key)` holds."""
    return total(keys, lambda read, key: 1 if predicate(read, key) else 0)


COMPARE: dict[str, Callable[[Any, Any], Any]] = {"<=": operator.le, ">=": operator.ge, "==": operator.eq}


@dataclass(frozen=True)
class Comparison:
    """Two sums compared; `symbol` is one of COMPARE."""

    left: Sum
    symbol: str
    right: Sum

    def __call__(self, read: Read) -> bool:
        return bool(COMPARE[self.symbol](self.left(read), self.right(read)))


def _number(value: int | Number) -> Sum:
    if isinstance(value, Sum):
        return value
    if isinstance(value, int):
        return Sum((partial(_constant, value),))
    return Sum((value,))


def _constant(value: int, _read: Read) -> int:
    return value


def _swap1(function: Callable[[Read, K], Any], key: K, read: Read) -> Any:
    return function(read, key)


def _swap2(function: Callable[[Read, K, K], Any], a: K, b: K, read: Read) -> Any:
    return function(read, a, b)
