"""Symbolic values: what stands in a field of a cell or an input whose value is not known.

Numbers and ids are z3 terms; a comparison is a decision of the engine, and answers with a plain bool. Enum
members, truth values and "None or a value" are chosen when they are first looked at, and all of them in turn.
What the rules for rule code forbid (order or truth of an id, text of a symbol, division) raises Unsupported.
"""

import functools
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

import z3  # type: ignore[import-untyped]

from dhruva.ids import Ref
from proofs.engine import Engine, Unsupported

_HASH: Final = 7_919  # of every symbolic number: equal keys meet in one bucket, and == decides
PRODUCT: Final = z3.Function("product", z3.IntSort(), z3.IntSort(), z3.IntSort())
_active: list[Engine] = []


def engine() -> Engine:
    """The engine of the exploration that is under way."""
    return _active[-1]


def activate(new: Engine) -> None:
    _active[:] = [new]


class Number:
    """An integer, or an id, that is not known. `family` says what it counts or names."""

    __slots__ = ("family", "is_id", "term")

    def __init__(self, term: Any, family: str, is_id: bool = False) -> None:
        self.term, self.family, self.is_id = term, family, is_id

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        if isinstance(other, Opt):
            return bool(self == other.seen())
        if other is None or isinstance(other, Enum | LazyEnum | tuple):
            return False
        if isinstance(other, Number):
            if (self.is_id or other.is_id) and self.family != other.family:
                raise Unsupported(f"{self.family} compared with {other.family}")
            if self.term.eq(other.term):
                return True
        return engine().decide(_equal(self.term, _term(other)))

    def __hash__(self) -> int:
        """A constant that stands in the same place of some key has a hash of its own: is it that one?"""
        for constant in sorted(engine().constants.get(self.family, ())):
            if self == constant:
                return hash(constant)
        return _HASH

    def __lt__(self, other: object) -> bool:
        return engine().decide(self._ordered() < _term(other))

    def __le__(self, other: object) -> bool:
        return engine().decide(self._ordered() <= _term(other))

    def __gt__(self, other: object) -> bool:
        return engine().decide(self._ordered() > _term(other))

    def __ge__(self, other: object) -> bool:
        return engine().decide(self._ordered() >= _term(other))

    def __add__(self, other: object) -> "Number":
        return Number(z3.simplify(self._ordered() + _term(other)), self.family)

    __radd__ = __add__

    def __sub__(self, other: object) -> "Number":
        return Number(z3.simplify(self._ordered() - _term(other)), self.family)

    def __rsub__(self, other: object) -> "Number":
        return Number(z3.simplify(_term(other) - self._ordered()), self.family)

    def __mul__(self, other: object) -> "Number":
        """The product of two unknowns is a number of which only equality is known: more worlds, never
        fewer.
        """
        left, right = self._ordered(), _term(other)
        known = isinstance(right, int) or z3.is_int_value(right) or z3.is_int_value(left)
        return Number(z3.simplify(left * right) if known else PRODUCT(left, right), self.family)

    __rmul__ = __mul__

    def __bool__(self) -> bool:
        return engine().decide(self._ordered() != 0)

    def __str__(self) -> str:
        raise Unsupported(f"text of {self.family}")

    __repr__ = __str__
    __index__ = __int__ = __float__ = __format__ = None  # type: ignore[assignment]

    def _ordered(self) -> Any:
        if self.is_id:
            raise Unsupported(f"an id is compared with == only: {self.family}")
        return self.term


def _term(value: object) -> Any:
    if isinstance(value, Opt):
        value = value.seen()
    if isinstance(value, Number):
        return value.term
    if isinstance(value, int) and not isinstance(value, bool):
        return _constant(value)
    raise Unsupported(f"a number meets {type(value).__name__}")


_constant = functools.cache(z3.IntVal)


def _equal(left: Any, right: Any) -> Any:
    """The formula left = right, made once for each pair of terms; the terms are kept, so their ids are."""
    pair = (left.get_id(), right.get_id())
    if pair not in _equalities:
        _equalities[pair] = (z3.simplify(left == right), left, right)
    return _equalities[pair][0]


def _all(*formulas: Any) -> Any:
    ids = tuple(f.get_id() for f in formulas)
    if ids not in _conjunctions:
        _conjunctions[ids] = (z3.simplify(z3.And(*formulas)), formulas)
    return _conjunctions[ids][0]


_conjunctions: dict[tuple[int, ...], tuple[Any, Any]] = {}
_equalities: dict[tuple[int, int], tuple[Any, Any, Any]] = {}


def unequal(left: Any, right: Any) -> Any:
    """The formula that two ids, or two refs, are different."""
    if isinstance(left, tuple):
        pairs = [_term(a) == _term(b) for a, b in zip(left, right, strict=True)]
        return z3.simplify(z3.Not(z3.And(*pairs)))
    return z3.simplify(_term(left) != _term(right))


class SymRef(Ref):
    """A ref that is not known. Equal or not is one decision, not three."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        if isinstance(other, Opt):
            return bool(self == other.seen())
        if not isinstance(other, tuple) or len(other) != 3:
            return False
        pairs = [_equal(_term(a), _term(b)) for a, b in zip(self, other, strict=True)]
        if any(z3.is_false(pair) for pair in pairs):
            return False
        return engine().decide(_all(*pairs))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)


class LazyEnum:
    """A member of an enum; which one is chosen when it is looked at, as far as the question needs it."""

    __slots__ = ("domain", "name")

    def __init__(self, name: str, domain: tuple[Any, ...]) -> None:
        self.name, self.domain = name, domain

    def left(self) -> tuple[Any, ...]:
        """The members that it can still be."""
        found: tuple[Any, ...] = engine().known.get(self.name, self.domain)
        return found

    def among(self, members: Any) -> bool:
        """Whether it is one of these: one fork, however many they are."""
        left = self.left()
        inside = tuple(m for m in left if m in members)
        if len(inside) in (0, len(left)):
            return bool(inside)
        yes = engine().choose(2) == 0
        engine().known[self.name] = inside if yes else tuple(m for m in left if m not in members)
        return yes

    def member(self) -> Any:
        left = self.left()
        if len(left) > 1:
            left = (left[engine().choose(len(left))],)
            engine().known[self.name] = left
        return left[0]

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        if isinstance(other, LazyEnum):
            return bool(self.member() == other.member())
        if other is None or isinstance(other, Number | tuple):
            return False
        if isinstance(other, str | Enum):
            return self.among((other,))
        raise Unsupported(f"{self.name} compared with {type(other).__name__}")

    def __hash__(self) -> int:
        return hash(self.member())

    def __le__(self, other: object) -> bool:
        return bool(self.member() <= concrete(other))

    def __ge__(self, other: object) -> bool:
        return bool(self.member() >= concrete(other))

    def __lt__(self, other: object) -> bool:
        return bool(self.member() < concrete(other))

    def __gt__(self, other: object) -> bool:
        return bool(self.member() > concrete(other))

    def __str__(self) -> str:
        raise Unsupported(f"text of {self.name}")

    __repr__ = __str__

    def __bool__(self) -> bool:
        raise Unsupported(f"truth of {self.name}")


def concrete(value: Any) -> Any:
    """The member that an enum field has, chosen if it has not been."""
    return value.member() if isinstance(value, LazyEnum) else value


class LazyBool:
    """Yes or no, chosen when it is looked at."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __bool__(self) -> bool:
        known = engine().known
        if self.name not in known:
            known[self.name] = engine().choose(2) == 0
        return bool(known[self.name])

    def __eq__(self, other: object) -> bool:
        return bool(self) == bool(other)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        raise Unsupported(f"text of {self.name}")

    __repr__ = __str__


class Opt:
    """None, or one of some values, chosen when the field is looked at."""

    __slots__ = ("makers", "name")

    def __init__(self, name: str, *makers: Callable[[], Any]) -> None:
        self.name, self.makers = f"{name}?", makers

    def seen(self) -> Any:
        known = engine().known
        if self.name not in known:
            which = engine().choose(1 + len(self.makers))
            known[self.name] = (None if which == 0 else self.makers[which - 1](),)
        return known[self.name][0]

    def __eq__(self, other: object) -> bool:
        return bool(self.seen() == (other.seen() if isinstance(other, Opt) else other))

    def __hash__(self) -> int:
        return hash(self.seen())


def see(value: Any) -> Any:
    """What stands in a field, decided if it is None or something."""
    return value.seen() if isinstance(value, Opt) else value
