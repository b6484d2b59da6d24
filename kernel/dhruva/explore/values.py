"""Values of cells: when two are the same, and how they are shown.

Python holds `True == 1 == 1.0` and any two NamedTuples with equal fields to be equal. A model checker must
not: merging two states that a rule can tell apart would hide behaviour. `identity` is the strict equality,
and `Codes` numbers values by it. Code 0 is None, which means that the cell is absent.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Hashable, Iterator

ABSENT = 0

# No cell of a model that someone will finish exploring takes so many values.
MAX_VALUES = 100_000

_ATOMS = frozenset({int, str, bool, bytes, type(None)})


def identity(value: object) -> Hashable:
    """A key that is equal for two values only if no rule can tell them apart."""
    kind = type(value)
    if kind in _ATOMS:
        return (kind, value)
    if isinstance(value, enum.Enum):
        return (kind, value.name)
    if isinstance(value, tuple):
        return (kind, *map(identity, value))
    if isinstance(value, frozenset):
        return (kind, frozenset(map(identity, value)))
    if isinstance(value, float):
        return (kind, value.hex())
    if dataclasses.is_dataclass(value):
        return (kind, *(identity(part) for _, part in fields(value)))
    return (kind, value)


def fields(record: object) -> Iterator[tuple[str, object]]:
    """The named parts of a NamedTuple or dataclass instance; nothing for any other value."""
    if isinstance(record, tuple):
        names = getattr(record, "_fields", ())
    elif dataclasses.is_dataclass(record):
        names = tuple(field.name for field in dataclasses.fields(record))
    else:
        names = ()
    for name in names:
        yield name, getattr(record, name)


class Codes:
    """A number for each different value, in the order in which they were met."""

    def __init__(self) -> None:
        self.values: list[object] = [None]
        self._numbers: dict[Hashable, int] = {identity(None): ABSENT}

    def code(self, value: object) -> int:
        """Raises TypeError if the value is not hashable."""
        key = identity(value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.values)
            self.values.append(value)
        return number

    def is_intact(self, number: int) -> bool:
        """False if the value was changed in place after it was numbered."""
        return self._numbers.get(identity(self.values[number])) == number


def show(value: object) -> str:
    """A value for people: enum members by name, records by their fields."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(map(show, value))) + "}"
    named = list(fields(value))
    if named:
        return f"{type(value).__name__}({', '.join(f'{name}={show(part)}' for name, part in named)})"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(show, value)) + (",)" if len(value) == 1 else ")")
    return repr(value)


def show_key(key: object) -> str:
    """The name of a cell: `("task", 1)` is shown as `task(1)`."""
    if isinstance(key, enum.Enum):
        return key.name
    if isinstance(key, str):
        return key
    if isinstance(key, tuple) and not hasattr(key, "_fields") and len(key) > 1 and isinstance(key[0], str):
        return f"{show_key(key[0])}({', '.join(map(show_key, key[1:]))})"
    return show(key)


def show_change(key: object, before: object, after: object) -> str:
    """One changed cell on one line; of a record that stays, only the fields that changed."""
    name = show_key(key)
    if before is None:
        return f"{name} = {show(after)}"
    if after is None:
        return f"{name} is gone (was {show(before)})"
    old = dict(fields(before))
    if old and type(before) is type(after):
        parts = [
            f"{part}: {show(old[part])} -> {show(new)}"
            for part, new in fields(after)
            if identity(old[part]) != identity(new)
        ]
        return f"{name}.{parts[0]}" if len(parts) == 1 else f"{name}  {', '.join(parts)}"
    return f"{name}: {show(before)} -> {show(after)}"
