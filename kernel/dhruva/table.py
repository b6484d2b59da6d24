"""Row, Machine, Refused: the only mechanism for state machines in dhruva (VER-1).

A machine is a frozen table. What it allows is written as rows, what it does not
allow is every pair (state, event) without a row, and a refusal is a value.
`when` and `then` hold symbols, never callables, so that a table can be read,
hashed, compared, printed and changed in one place for a mutant.

Building a Machine checks it: a table with a hole never exists at run time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Generic, NamedTuple, TypeVar

S = TypeVar("S", bound=StrEnum)
E = TypeVar("E", bound=StrEnum)


class Symbol(StrEnum):
    """A guard or an effect: the word that a table uses, and the sentence that a reader gets."""

    sentence: str

    def __new__(cls, word: str, sentence: str) -> Symbol:
        symbol = str.__new__(cls, word)
        symbol._value_ = word
        symbol.sentence = sentence
        return symbol


class Because(StrEnum):
    """Why the table itself refuses; a guard refuses with its own symbol."""

    NO_ROW = "no_row"
    UNKNOWN_STATE = "unknown_state"
    UNKNOWN_EVENT = "unknown_event"


class Refused(NamedTuple):
    """A no, as a value: nothing has changed.

    `rule` is the id of the requirement that says no, `because` the symbol that decided.
    """

    machine: str
    state: str | None
    event: str
    rule: str
    because: str


class TableError(ValueError):
    """A table that must not exist: names the machine, the row or state at fault, and the fault."""

    def __init__(self, machine: str, where: str, fault: str) -> None:
        super().__init__(f"machine {machine!r}, {where}: {fault}")
        self.machine = machine
        self.where = where
        self.fault = fault


class UnknownName(ValueError):
    """A word that a machine does not know: names the field, the value, and the words it knows."""

    def __init__(self, machine: str, what: str, value: object, known: Iterable[str]) -> None:
        self.machine, self.field, self.value, self.known = machine, what, value, tuple(known)
        super().__init__(f"machine {machine!r} has no {what} {value!r}; it knows {', '.join(self.known)}")


@dataclass(frozen=True, slots=True)
class Row(Generic[S, E]):
    """One rule: from this state, on this event, to that state, when all guards hold, then do this."""

    source: S
    on: E
    target: S
    when: tuple[Symbol, ...]
    then: tuple[Symbol, ...]
    cites: str

    @property
    def meaning(self) -> tuple[str, str, str, tuple[str, ...], tuple[str, ...]]:
        """The cells of the row without its citation: what a digest and a diff look at."""
        return (self.source, self.on, self.target, self.when, self.then)

    def __str__(self) -> str:
        return f"row {self.source} -{self.on}-> {self.target}"


class Diff(NamedTuple, Generic[S, E]):
    """What another table says differently. Empty (and false) when both mean the same."""

    added: tuple[Row[S, E], ...]
    removed: tuple[Row[S, E], ...]
    changed: tuple[tuple[Row[S, E], Row[S, E]], ...]
    header: tuple[str, ...]

    def __bool__(self) -> bool:
        return any((self.added, self.removed, self.changed, self.header))

    def __str__(self) -> str:
        lines = [f"~ {name}" for name in self.header]
        lines += [f"- {row}" for row in self.removed] + [f"+ {row}" for row in self.added]
        for old, new in self.changed:
            lines.append(f"~ {old}: {_cells(old)} becomes {_cells(new)}")
        return "\n".join(lines)


_HEADER: Final = ("name", "initial", "final", "entries", "states", "events")
_COLUMNS: Final = ("from", "on", "to", "when", "then", "cites")


@dataclass(frozen=True, slots=True)
class Machine(Generic[S, E]):
    """A frozen transition table.

    `closed_by` is the requirement that refuses every pair without a row. `states` and
    `events` default to all members of the enums that the rows use; a machine that shares
    an enum with another names the part that is its own.
    """

    name: str
    initial: S | None
    final: Set[S]
    rows: tuple[Row[S, E], ...]
    closed_by: str
    entries: Set[S] = frozenset()
    states: tuple[S, ...] = ()
    events: tuple[E, ...] = ()
    _next: dict[tuple[S, E], Row[S, E]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.rows:
            raise TableError(self.name, "the whole table", "has no row")
        fill = object.__setattr__
        fill(self, "rows", tuple(self.rows))
        fill(self, "final", frozenset(self.final))
        fill(self, "entries", frozenset(self.entries))
        fill(self, "states", tuple(self.states) or tuple(type(self.rows[0].source)))
        fill(self, "events", tuple(self.events) or tuple(type(self.rows[0].on)))
        for fault in faults(self):
            raise fault
        fill(self, "_next", {(row.source, row.on): row for row in self.rows})

    def unchecked(self, rows: Iterable[Row[S, E]]) -> Machine[S, E]:
        """The same machine with other rows, right or wrong: for mutants, which must be noticed otherwise."""
        other = object.__new__(Machine)
        for name in self.__slots__:
            object.__setattr__(other, name, getattr(self, name))
        object.__setattr__(other, "rows", tuple(rows))
        object.__setattr__(other, "_next", {(row.source, row.on): row for row in other.rows})
        return other

    def step(self, state: S, event: E) -> Row[S, E] | Refused:
        """The row for this pair, or a Refused. Guards are not looked at here."""
        row = self._next.get((state, event))
        if row is None:
            return self._refuse(state, event)
        return row

    def _refuse(self, state: S, event: E) -> Refused:
        if state not in self.states:
            because = Because.UNKNOWN_STATE
        elif event not in self.events:
            because = Because.UNKNOWN_EVENT
        else:
            because = Because.NO_ROW
        return Refused(self.name, state, event, self.closed_by, because)

    def state(self, word: str) -> S:
        """The state of that name; UnknownName if there is none."""
        return _named(self.name, "state", word, self.states)

    def event(self, word: str) -> E:
        """The event of that name; UnknownName if there is none."""
        return _named(self.name, "event", word, self.events)

    def diff(self, other: Machine[S, E]) -> Diff[S, E]:
        """What `other` adds, removes and changes."""
        mine, theirs = self._next, other._next
        return Diff(
            added=tuple(row for pair, row in theirs.items() if pair not in mine),
            removed=tuple(row for pair, row in mine.items() if pair not in theirs),
            changed=tuple(
                (row, theirs[pair])
                for pair, row in mine.items()
                if pair in theirs and theirs[pair].meaning != row.meaning
            ),
            header=tuple(name for name in _HEADER if _order_free(self, name) != _order_free(other, name)),
        )

    @property
    def digest(self) -> str:
        """Identity of meaning: changes with any cell, not with prose, citations or the order of rows."""
        meaning = (
            *(_order_free(self, name) for name in _HEADER),
            sorted(row.meaning for row in self.rows),
        )
        text = json.dumps(meaning, separators=(",", ":"))
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `dhruva tables NAME --json` prints it."""
        return {
            "machine": self.name,
            "digest": self.digest,
            "initial": self.initial,
            "final": sorted(self.final),
            "entries": sorted(self.entries),
            "states": list(self.states),
            "events": list(self.events),
            "rows": [
                {
                    "from": row.source,
                    "on": row.on,
                    "to": row.target,
                    "when": list(row.when),
                    "then": list(row.then),
                    "cites": row.cites.split(),
                }
                for row in self.rows
            ],
        }

    def __str__(self) -> str:
        """The table, aligned, one row a line."""
        grid = [_COLUMNS, *(_cells(row) for row in self.rows)]
        widths = [max(len(line[column]) for line in grid) for column in range(len(_COLUMNS))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in grid
        )


def _cells(row: Row[S, E]) -> tuple[str, ...]:
    """The row as text, in the order of the columns."""
    return (row.source, row.on, row.target, ", ".join(row.when), ", ".join(row.then), row.cites)


def _order_free(machine: Machine[S, E], name: str) -> object:
    """A header field as plain data in which the order of writing does not matter."""
    value = getattr(machine, name)
    return value if value is None or isinstance(value, str) else sorted(value)


def _named(machine: str, what: str, word: object, known: tuple[S, ...]) -> S:
    for member in known:
        if member == word:
            return member
    raise UnknownName(machine, what, word, known)


def faults(machine: Machine[S, E]) -> Iterator[TableError]:
    """Every way in which a table can be wrong, each with the row or state that is at fault."""
    yield from _row_faults(machine)
    yield from _state_faults(machine)
    used = {row.on for row in machine.rows}
    for event in machine.events:
        if event not in used:
            yield TableError(machine.name, f"event {event}", "no row uses it")


def _row_faults(machine: Machine[S, E]) -> Iterator[TableError]:
    seen: set[tuple[S, E]] = set()
    for row in machine.rows:
        where = str(row)
        if row.source not in machine.states or row.target not in machine.states:
            yield TableError(machine.name, where, "uses a state that the machine does not declare")
        if row.on not in machine.events:
            yield TableError(machine.name, where, "uses an event that the machine does not declare")
        if (row.source, row.on) in seen:
            yield TableError(machine.name, where, "a second row for this state and event")
        seen.add((row.source, row.on))
        if row.source in machine.final and row.target != row.source:
            yield TableError(machine.name, where, "leaves a final state")
        if not row.cites.split():
            yield TableError(machine.name, where, "cites no requirement")
        if any(not isinstance(symbol, Symbol) for symbol in row.when + row.then):
            yield TableError(machine.name, where, "holds something else than symbols")


def _state_faults(machine: Machine[S, E]) -> Iterator[TableError]:
    starts = set(machine.entries) | ({machine.initial} if machine.initial is not None else set())
    if not starts:
        yield TableError(machine.name, "the whole table", "has neither an initial nor an entry state")
    for state in [*starts, *machine.final]:
        if state not in machine.states:
            yield TableError(machine.name, f"state {state}", "is not one that the machine declares")
    left = {row.source for row in machine.rows if row.target != row.source}
    reached = _reachable(machine.rows, starts)
    for state in machine.states:
        if state not in reached:
            yield TableError(machine.name, f"state {state}", "cannot be reached")
        if state not in left and state not in machine.final:
            yield TableError(machine.name, f"state {state}", "no row leaves it, and it is not final")


def _reachable(rows: tuple[Row[S, E], ...], starts: set[S]) -> set[S]:
    reached, edge = set(starts), set(starts)
    while edge:
        edge = {row.target for row in rows if row.source in edge} - reached
        reached |= edge
    return reached
