"""`kernel(tables, decisions, ...) -> step`: the one function that decides a change (SHL-1).

`step(read, input)` is pure and total. It reads a bounded number of cells through `read`, and answers
with one Change, or with a Refused and nothing is changed. `kernel` makes the tables ready to be walked;
swap one row, decision or wire, and you have another kernel to explore, to prove against, or to run (VER-1).
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from dhruva.cells import Change, Key, Read
from dhruva.parts import Parts, taking_parts
from dhruva.rules.which import WHICH
from dhruva.table import Machine, Refused
from dhruva.walk import Book, Given, Guard, Move, Walk, Wired
from dhruva.wiring import Does, Fire, Wire, check

Step = Callable[[Read, Any], Change | Refused]


EPHEMERAL: Final = frozenset(
    {
        "request",
        "attempt",
        "worker",
        "handler",
        "carrier-cooperative",
        "effect",
        "human-task",
        "parked",
    }
)
"""Machines whose cell is gone once it has ended. The ids of the others stay known; a stream that was closed
stays until its attempt lets go of it."""


@taking_parts(Parts)
def book(parts: Parts) -> Book:
    """Tables, decisions and wires made ready to be walked, with what their symbols mean."""
    if parts.checked:
        check(parts.tables, parts.wiring)
    carried: dict[tuple[str, str], tuple[Wired, ...]] = {}
    for wire in parts.wiring:
        slot = (wire.machine, str(wire.on))
        carried[slot] = (*carried.get(slot, ()), _wired(wire, parts.deeds))
    return Book(
        moves={name: _moves(machine, carried, parts.guards) for name, machine in parts.tables.items()},
        refuse={name: machine.step for name, machine in parts.tables.items()},
        wires=carried,
        decide=parts.decisions,
        settings=parts.settings,
        handlers=parts.handlers,
        rules=parts.rules,
    )


@taking_parts(Parts)
def kernel(parts: Parts) -> Step:
    """The step function of the book of these parts."""
    return stepping(book(*parts))


def stepping(book: Book) -> Step:
    """The step function that goes by this book."""
    rules = book.rules

    def step(read: Read, given: Any) -> Change | Refused:
        rule = rules.get(type(given))
        if rule is None:
            return Refused("step", None, type(given).__name__, "SHL-1", "unknown_input")
        walk = Walk(book, read)
        refused = rule(walk, given)
        return walk.change() if refused is None else refused

    return step


def _moves(
    machine: Machine[Any, Any],
    carried: Mapping[tuple[str, str], tuple[Wired, ...]],
    guards: Mapping[tuple[str, str], Guard],
) -> dict[tuple[str, str], Move]:
    """The rows of a machine with their guards and wires in place. Wires of the state entered come first."""
    moves = {}
    for row in machine.rows:
        entered = () if row.target == row.source else carried.get((machine.name, str(row.target)), ())
        named = tuple(wired for symbol in row.then for wired in carried.get((machine.name, str(symbol)), ()))
        moves[row.source, row.on] = Move(
            target=row.target,
            stays=row.target == row.source,
            ends=machine.name in EPHEMERAL and row.target in machine.final,
            guards=tuple((symbol, guards[machine.name, symbol]) for symbol in row.when),
            wires=(*entered, *named),
            cites=row.cites,
        )
    return moves


def _wired(wire: Wire, deeds: Mapping[Does, Wired]) -> Wired:
    """A wire as a function."""
    return _fired(wire) if isinstance(wire, Fire) else deeds[wire.does]


def _fired(wire: Fire) -> Wired:
    seek, to, only, optional = WHICH[wire.which], wire.to, wire.events[0], wire.optional

    def fired(walk: Walk, key: Key, cell: Any, given: Given) -> Refused | None:
        found = seek(walk, key, cell, given)
        if found is None:
            return None
        event = found[2] if len(found) == 3 else only
        if not optional:
            return walk.fire(to, found[0], event, found[1])
        walk.try_fire(to, found[0], event, found[1])
        return None

    return fired


BOOK: Final = book()
"""All rules that we ship."""

step: Final[Step] = stepping(BOOK)
"""The step that we ship."""
