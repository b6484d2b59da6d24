"""Literal grids: a second transcription of the contract, and the comparison with a table.

A grid is text: a line of events, then a line per state with its target per event, `.` where
the pair is refused. A wide grid is written in several blocks with a blank line between them,
each with its own events. Guards and effects stand beside it, for the pairs that have any.

The checks answer with a list of sentences, one per disagreement; agreement is the empty list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias

import pytest

from dhruva.table import Machine, Refused, Row

AnyMachine: TypeAlias = Machine[Any, Any]
AnyRow: TypeAlias = Row[Any, Any]
Pair: TypeAlias = tuple[str, str]

REQUIREMENT: Final = re.compile(r"(ACT|DSP|LIF|REL|WFL|SHL|VER)-[1-9][0-9]*")
REFUSED: Final = "."


class Cell(NamedTuple):
    """What the contract says of one accepted pair."""

    target: str
    when: tuple[str, ...]
    then: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """What the contract says of one machine; a pair that is not in `cells` is refused."""

    machine: str
    initial: str | None
    final: frozenset[str]
    entries: frozenset[str]
    states: tuple[str, ...]
    events: tuple[str, ...]
    cells: Mapping[Pair, Cell]


def grid(
    machine: str,
    table: str,
    *,
    initial: str | None,
    final: str,
    entries: str = "",
    symbols: Mapping[Pair, tuple[str, str]] | None = None,
) -> Grid:
    """Read a grid; names and symbols are words with blanks between them. ValueError if it is malformed."""
    blocks = [[line.split() for line in block.splitlines() if line.strip()] for block in _blocks(table)]
    states = tuple(line[0] for line in blocks[0][1:])
    events = tuple(event for block in blocks for event in block[0])
    targets = dict(target for block in blocks for target in _targets(machine, block, states))
    marks = symbols or {}
    read = Grid(
        machine=machine,
        initial=initial,
        final=frozenset(final.split()),
        entries=frozenset(entries.split()),
        states=states,
        events=events,
        cells={pair: _cell(target, marks.get(pair, ("", ""))) for pair, target in targets.items()},
    )
    _well_formed(read, marks)
    return read


def _blocks(table: str) -> list[str]:
    return re.split(r"\n[ \t]*\n", table.strip("\n"))


def _targets(machine: str, block: list[list[str]], states: tuple[str, ...]) -> Iterator[tuple[Pair, str]]:
    events, lines = block[0], block[1:]
    if tuple(line[0] for line in lines) != states:
        raise ValueError(f"grid {machine}: each block has the same states in the same order")
    for state, *targets in lines:
        if len(targets) != len(events):
            raise ValueError(f"grid {machine}, line {state}: {len(targets)} targets for {len(events)} events")
        for event, target in zip(events, targets, strict=True):
            if target != REFUSED:
                yield (state, event), target


def _cell(target: str, marks: tuple[str, str]) -> Cell:
    guards, effects = marks
    return Cell(target, tuple(guards.split()), tuple(effects.split()))


def _well_formed(read: Grid, marks: Mapping[Pair, tuple[str, str]]) -> None:
    named = {cell.target for cell in read.cells.values()} | read.final | read.entries
    if read.initial is not None:
        named.add(read.initial)
    faults = {
        "a state twice": len(set(read.states)) != len(read.states),
        "an event twice": len(set(read.events)) != len(read.events),
        "a state that has no line": not named <= set(read.states),
        "symbols for a pair that is refused": not marks.keys() <= read.cells.keys(),
    }
    for fault, found in faults.items():
        if found:
            raise ValueError(f"grid {read.machine}: {fault}")


def each_pair(read: Grid) -> pytest.MarkDecorator:
    """Every state by every event, each with a visible test id such as `scope-INIT-mounted`."""
    pairs = list(product(read.states, read.events))
    ids = [f"{read.machine}-{state}-{event}" for state, event in pairs]
    return pytest.mark.parametrize(("state", "event"), pairs, ids=ids)


def header_faults(read: Grid, machine: AnyMachine) -> list[str]:
    """Where name, initial, final, entries, states or events of the table are not those of the grid."""
    said: dict[str, tuple[object, object]] = {
        "name": (read.machine, machine.name),
        "initial": (read.initial, machine.initial),
        "final": (_listed(read.final), _listed(machine.final)),
        "entries": (_listed(read.entries), _listed(machine.entries)),
        "states": (_listed(read.states), _listed(machine.states)),
        "events": (_listed(read.events), _listed(machine.events)),
    }
    return [
        f"{name}: the contract says {mine}, the table {its}"
        for name, (mine, its) in said.items()
        if mine != its
    ]


def _listed(words: Iterable[str]) -> list[str]:
    return sorted(map(str, words))


def pair_faults(read: Grid, machine: AnyMachine, state: str, event: str) -> list[str]:
    """Where the table does not say of this pair what the grid says."""
    if state not in machine.states or event not in machine.events:
        return [f"{state} {event}: the table does not know this state or event"]
    cell = read.cells.get((state, event))
    if cell is None:
        return list(_refusal_faults(machine, state, event))
    return list(_row_faults(cell, machine.step(machine.state(state), machine.event(event)), state, event))


def _row_faults(cell: Cell, row: AnyRow | Refused, state: str, event: str) -> Iterator[str]:
    if isinstance(row, Refused):
        yield f"{state} {event}: the contract says {cell.target}, the table refuses"
        return
    if (row.source, row.on) != (state, event):
        yield f"{state} {event}: the table answers with {row}"
    for what, mine, its in (
        ("target", cell.target, str(row.target)),
        ("guards", cell.when, tuple(map(str, row.when))),
        ("effects", cell.then, tuple(map(str, row.then))),
    ):
        if mine != its:
            yield f"{state} {event}: {what}: the contract says {mine}, the table {its}"


def _refusal_faults(machine: AnyMachine, state: str, event: str) -> Iterator[str]:
    before = (machine.digest, machine.rows, str(machine))
    answer = machine.step(machine.state(state), machine.event(event))
    if not isinstance(answer, Refused):
        yield f"{state} {event}: the contract refuses, the table has {answer}"
        return
    if (answer.machine, answer.state, answer.event) != (machine.name, state, event):
        yield f"{state} {event}: the refusal names {answer.machine}, {answer.state}, {answer.event}"
    if not REQUIREMENT.fullmatch(answer.rule):
        yield f"{state} {event}: the refusal cites {answer.rule!r}, which is no requirement"
    if answer.because != "no_row":
        yield f"{state} {event}: refused because of {answer.because}, not no_row"
    if (machine.digest, machine.rows, str(machine)) != before:
        yield f"{state} {event}: a refusal changed the table"
    if machine.step(machine.state(state), machine.event(event)) != answer:
        yield f"{state} {event}: the second refusal differs from the first"


def walk(machine: AnyMachine, start: str, events: Iterable[str]) -> Iterator[AnyRow]:
    """The rows that a sequence of events takes, guards granted; a refused event takes none."""
    state = machine.state(start)
    for event in events:
        answer = machine.step(state, event)
        if not isinstance(answer, Refused):
            state = answer.target
            yield answer
