"""Mutants: one cell of a table, one guard, one effect or one wire changed (VER-5).

A specification is strong if some property notices each of them. A mutant is a kernel like any other,
built without the checks that would refuse it; it is handed to the models that take the changed row.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from dhruva.machines import MACHINES
from dhruva.step import Step, kernel
from dhruva.table import Machine, Row
from dhruva.wiring import WIRING, Wire

LATER = frozenset({"schedule"})
"""Machines that no rule uses yet."""


class Mutant(NamedTuple):
    """A change of one cell, said in words, and where it is."""

    name: str
    kind: str
    machine: str
    row: tuple[str, str] | None  # source and event of the changed row; None for a wire
    tables: Mapping[str, Machine[Any, Any]]
    wiring: tuple[Wire, ...]

    def step(self) -> Step:
        return kernel(self.tables, wiring=self.wiring, checked=False)


def mutants(tables: Mapping[str, Machine[Any, Any]] = MACHINES) -> Iterator[Mutant]:
    """Every mutant, in the order of the tables and of the wiring."""
    for machine in tables.values():
        if machine.name not in LATER:
            yield from _of_machine(tables, machine)
    for at, wire in enumerate(WIRING):
        rest = (*WIRING[:at], *WIRING[at + 1 :])
        yield Mutant(f"without {_words(wire)}", "wire dropped", wire.machine, None, tables, rest)


def _of_machine(tables: Mapping[str, Machine[Any, Any]], machine: Machine[Any, Any]) -> Iterator[Mutant]:
    for at, row in enumerate(machine.rows):
        for kind, words, changed in _changes(machine, row):
            rows = (*machine.rows[:at], *changed, *machine.rows[at + 1 :])
            yield Mutant(
                f"{machine.name}: {row} {words}",
                kind,
                machine.name,
                (row.source, row.on),
                {**tables, machine.name: machine.unchecked(rows)},
                WIRING,
            )


def _changes(
    machine: Machine[Any, Any], row: Row[Any, Any]
) -> Iterator[tuple[str, str, Iterable[Row[Any, Any]]]]:
    for state in machine.states:
        if state != row.target:
            yield "redirected", f"to {state}", (replace(row, target=state),)
    yield "row dropped", "dropped", ()
    for guard in row.when:
        yield "guard dropped", f"without [{guard}]", (replace(row, when=_without(row.when, guard)),)
    for effect in row.then:
        yield "effect dropped", f"without {{{effect}}}", (replace(row, then=_without(row.then, effect)),)


def _without(symbols: tuple[Any, ...], one: Any) -> tuple[Any, ...]:
    return tuple(symbol for symbol in symbols if symbol != one)


def _words(wire: Wire) -> str:
    return f"{wire.machine} {wire.on} -> {' '.join(str(part) for part in wire[2:-1])}"
