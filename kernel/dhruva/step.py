"""`kernel(tables, decisions, ...) -> step`: the one function that decides a change (SHL-1).

`step(read, input)` is pure and total. It reads a bounded number of cells through `read`, and answers
with one Change, or with a Refused and nothing is changed. `kernel` makes the tables ready to be walked;
swap one row, decision or wire, and you have another kernel to explore, to prove against, or to run (VER-1).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from dhruva.cells import Change, FollowUp, Key, Read
from dhruva.machines import MACHINES
from dhruva.rules import RULES
from dhruva.rules.deeds import DEEDS
from dhruva.rules.follow_ups import HANDLERS
from dhruva.rules.guards import GUARDS
from dhruva.rules.which import WHICH
from dhruva.table import Machine, Refused
from dhruva.walk import (
    DECISIONS,
    SETTINGS,
    Book,
    Decisions,
    Given,
    Guard,
    Handler,
    Move,
    Settings,
    Walk,
    Wired,
)
from dhruva.wiring import WIRING, Does, Fire, Wire, check

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


def book(
    tables: Mapping[str, Machine[Any, Any]] = MACHINES,
    decisions: Decisions = DECISIONS,
    wiring: Iterable[Wire] = WIRING,
    settings: Settings = SETTINGS,
    guards: Mapping[tuple[str, str], Guard] = GUARDS,
    deeds: Mapping[Does, Wired] = DEEDS,
    handlers: Mapping[FollowUp, Handler] = HANDLERS,
    checked: bool = True,
) -> Book:
    """These tables, decisions and wires made ready to be walked, with what their symbols mean.

    `checked=False` makes a book that the checks would refuse: a mutant's.
    """
    wires = tuple(wiring)
    if checked:
        check(tables, wires)
    carried: dict[tuple[str, str], tuple[Wired, ...]] = {}
    for wire in wires:
        slot = (wire.machine, str(wire.on))
        carried[slot] = (*carried.get(slot, ()), _wired(wire, deeds))
    return Book(
        moves={name: _moves(machine, carried, guards) for name, machine in tables.items()},
        refuse={name: machine.step for name, machine in tables.items()},
        wires=carried,
        decide=decisions,
        settings=settings,
        handlers=handlers,
    )


def kernel(
    tables: Mapping[str, Machine[Any, Any]] = MACHINES,
    decisions: Decisions = DECISIONS,
    wiring: Iterable[Wire] = WIRING,
    settings: Settings = SETTINGS,
    guards: Mapping[tuple[str, str], Guard] = GUARDS,
    deeds: Mapping[Does, Wired] = DEEDS,
    handlers: Mapping[FollowUp, Handler] = HANDLERS,
    checked: bool = True,
) -> Step:
    """The step function of the book of these tables, decisions and wires."""
    return stepping(book(tables, decisions, wiring, settings, guards, deeds, handlers, checked))


def stepping(book: Book) -> Step:
    """The step function that goes by this book."""

    def step(read: Read, given: Any) -> Change | Refused:
        rule = RULES.get(type(given))
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
