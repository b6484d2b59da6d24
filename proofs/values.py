"""Symbolic values: what stands in a field of a cell or an input whose value is not known.

Everything is a z3 term: numbers and ids are integers, a member of an enum is the code of its word, a truth
value is a formula, and "None or a value" is a formula with a value. So two values can be merged into one by
a condition, and nothing is decided before it is looked at: a comparison or a test is a decision of the
engine, and answers with a plain bool. What the rules for rule code forbid (order or truth of an id, text of
a symbol, division, a symbol as the key of a dict) raises Unsupported.
"""

import functools
from collections.abc import Iterable
from enum import Enum, IntEnum
from typing import Any, Final

import z3  # type: ignore[import-untyped]

from dhruva.ids import Ref
from proofs.engine import Engine, Unsupported

PRODUCT: Final = z3.Function("product", z3.IntSort(), z3.IntSort(), z3.IntSort())
_active: list[Engine] = []


def engine() -> Engine:
    """The engine of the exploration that is under way."""
    return _active[-1]


def activate(new: Engine) -> None:
    _active[:] = [new]


# Formulas, with plain truth values where they are known

constant = functools.cache(z3.IntVal)
_TRUE, _FALSE = z3.BoolVal(True), z3.BoolVal(False)


def formula(value: Any) -> Any:
    """The z3 formula of a truth value, plain or not."""
    if isinstance(value, SymBool):
        return value.term
    return _TRUE if value is True else _FALSE if value is False else value


def not_(one: Any) -> Any:
    if isinstance(one, bool):
        return not one
    return one.arg(0) if z3.is_not(one) else z3.Not(one)


def and_(*parts: Any) -> Any:
    return _joined(z3.Z3_mk_and, False, parts)


def or_(*parts: Any) -> Any:
    return _joined(z3.Z3_mk_or, True, parts)


def _joined(make: Any, strong: bool, parts: tuple[Any, ...]) -> Any:
    """z3.And or z3.Or without its casts: formulas are joined more often than anything else is done."""
    kept: dict[int, Any] = {}
    for part in parts:
        if part is strong:
            return strong
        if part is not (not strong):
            term = part.term if isinstance(part, SymBool) else part
            kept[term.get_id()] = term
    if len(kept) < 2:
        return next(iter(kept.values()), not strong)
    made = (z3.Ast * len(kept))(*(term.ast for term in kept.values()))
    return z3.BoolRef(make(_CONTEXT.ref(), len(kept), made), _CONTEXT)


_CONTEXT: Final = z3.main_ctx()


def implies(condition: Any, then: Any) -> Any:
    return or_(not_(condition.term if isinstance(condition, SymBool) else condition), then)


def iff(left: Any, right: Any) -> Any:
    if isinstance(left, bool) or isinstance(right, bool):
        known, other = (left, right) if isinstance(left, bool) else (right, left)
        return other if known else not_(other)
    return left == right


# Values


class Number:
    """An integer, or an id, that is not known. `family` says what it counts or names."""

    __slots__ = ("family", "is_id", "term")

    def __init__(self, term: Any, family: str, is_id: bool = False) -> None:
        self.term, self.family, self.is_id = term, family, is_id

    def __eq__(self, other: object) -> bool:
        return engine().decide(equal(self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        raise Unsupported(f"{self.family} as the key of a dict or a set")

    def __lt__(self, other: object) -> bool:
        return self._decide(self._ordered() < _term(other))

    def __le__(self, other: object) -> bool:
        return self._decide(self._ordered() <= _term(other))

    def __gt__(self, other: object) -> bool:
        return self._decide(self._ordered() > _term(other))

    def __ge__(self, other: object) -> bool:
        return self._decide(self._ordered() >= _term(other))

    def _decide(self, asked: Any) -> bool:
        return engine().decide(z3.simplify(asked))

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
        known = z3.is_int_value(right) or z3.is_int_value(left)
        return Number(z3.simplify(left * right) if known else PRODUCT(left, right), self.family)

    __rmul__ = __mul__

    def __bool__(self) -> bool:
        return self._decide(self._ordered() != 0)

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
    if isinstance(value, int) and not isinstance(value, bool | Enum):
        return constant(value)
    raise Unsupported(f"a number meets {type(value).__name__}")


_codes: dict[str, int] = {}


def code(member: Any) -> int:
    """The number that stands for a member of an enum; words that are equal have one, as in Python."""
    if isinstance(member, IntEnum):
        return int(member)
    return _codes.setdefault(str(member), len(_codes))


class SymEnum:
    """A member of an enum, or a word; which one is decided as far as a question needs it."""

    __slots__ = ("domain", "term")

    def __init__(self, term: Any, domain: tuple[Any, ...]) -> None:
        self.term, self.domain = term, domain

    def is_in(self, members: Iterable[Any]) -> Any:
        """The formula that it is one of these."""
        codes = {code(m) for m in members}
        inside = {code(m) for m in self.domain} & codes
        if len(inside) == len({code(m) for m in self.domain}):
            return True
        return or_(*(_equal(self.term, constant(c)) for c in sorted(inside)))

    def among(self, members: Iterable[Any]) -> bool:
        """Whether it is one of these: one decision, however many they are."""
        return engine().decide(self.is_in(members))

    def member(self) -> Any:
        for member in self.domain[:-1]:
            if engine().decide(_equal(self.term, constant(code(member)))):
                return member
        return self.domain[-1]

    def __eq__(self, other: object) -> bool:
        return engine().decide(equal(self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

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
        raise Unsupported("text of an enum field")

    __repr__ = __str__

    def __bool__(self) -> bool:
        raise Unsupported("truth of an enum field")


def concrete(value: Any) -> Any:
    """The member that an enum field has, decided if it has not been."""
    return value.member() if isinstance(value, SymEnum) else value


class SymBool:
    """Yes or no, decided when it is looked at."""

    __slots__ = ("term",)

    def __init__(self, term: Any) -> None:
        self.term = term

    def __bool__(self) -> bool:
        return engine().decide(self.term)

    def __eq__(self, other: object) -> bool:
        return bool(self) == bool(other)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        raise Unsupported("text of a truth value")

    __repr__ = __str__


class Opt:
    """None, or a value if `there` holds; decided when the field is looked at."""

    __slots__ = ("there", "value")

    def __init__(self, there: Any, value: Any) -> None:
        self.there, self.value = there, value

    def seen(self) -> Any:
        return self.value if engine().decide(self.there) else None

    def __eq__(self, other: object) -> bool:
        return engine().decide(equal(self, other))

    __hash__ = None  # type: ignore[assignment]


class SymRef(Ref):
    """A ref that is not known. Equal or not is one decision, not three."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return other is self or engine().decide(equal(self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]


def see(value: Any) -> Any:
    """What stands in a field, decided if it is None or something."""
    return value.seen() if isinstance(value, Opt) else value


# Equality and merging, which decide nothing


def _equal(left: Any, right: Any) -> Any:
    """The formula left = right, made once for each pair of terms; the terms are kept, so their ids are."""
    pair = (left.get_id(), right.get_id())
    if pair not in _equalities:
        made = z3.simplify(left == right)
        known = True if z3.is_true(made) else False if z3.is_false(made) else made
        _equalities[pair] = (known, left, right)
    return _equalities[pair][0]


_equalities: dict[tuple[int, int], tuple[Any, Any, Any]] = {}


def equal(left: Any, right: Any) -> Any:
    """The formula that two values are equal, as Python would say of plain ones."""
    if left is right:
        return True
    if isinstance(left, Opt) or isinstance(right, Opt) or left is None or right is None:
        (one, a), (other, b) = _maybe(left), _maybe(right)
        both = and_(one, other)
        return or_(and_(not_(one), not_(other)), False if both is False else and_(both, equal(a, b)))
    if isinstance(left, tuple) and isinstance(right, tuple):
        if len(left) != len(right):
            return False
        parts = []
        for a, b in zip(tuple.__iter__(left), tuple.__iter__(right), strict=True):
            parts.append(equal(a, b))
            if parts[-1] is False:
                return False
        return and_(*parts)
    return _equal_plain(left, right)


def _equal_plain(left: Any, right: Any) -> Any:
    if isinstance(left, Number) or isinstance(right, Number):
        if isinstance(left, tuple | Enum | SymEnum | str) or isinstance(right, tuple | Enum | SymEnum | str):
            return False
        _same_family(left, right)
        return _equal(_term(left), _term(right))
    if isinstance(left, SymEnum) or isinstance(right, SymEnum):
        if not isinstance(left, SymEnum):
            left, right = right, left
        return left.is_in((right,)) if not isinstance(right, SymEnum) else _equal(left.term, right.term)
    if isinstance(left, SymBool) or isinstance(right, SymBool):
        return z3.simplify(formula(left) == formula(right))
    return bool(left == right)


def _same_family(left: Any, right: Any) -> None:
    if not (isinstance(left, Number) and isinstance(right, Number)):
        return
    if (left.is_id or right.is_id) and left.family != right.family:
        raise Unsupported(f"{left.family} compared with {right.family}")


def _maybe(value: Any) -> tuple[Any, Any]:
    """Whether there is a value, and the value."""
    if isinstance(value, Opt):
        return value.there, value.value
    return value is not None, value


def there(value: Any) -> Any:
    """The formula that an optional field is not None."""
    return _maybe(value)[0]


def inner(value: Any) -> Any:
    """What an optional field is, where it is something."""
    return _maybe(value)[1]


def same(left: Any, right: Any) -> bool:
    """Whether two values are one and the same, for certain and without a decision."""
    found = equal(left, right)
    return found is True or (found is not False and bool(z3.is_true(found)))


def raw(cell: Any, field: str) -> Any:
    """What stands in a field, not looked at."""
    return tuple.__getitem__(cell, cell._fields.index(field))
