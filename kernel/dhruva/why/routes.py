"""The shortest legal route to where a refused event is allowed, computed from the tables (SHL-8)."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from dhruva.machines import MACHINES
from dhruva.table import Machine, Refused, Symbol

Tables = Mapping[str, Machine[Any, Any]]

BESIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "task": ("task", "reexecution"),
    "reexecution": ("reexecution", "task"),
}
"""Machines that move the same cell: a task that ended is opened again by the other table (LIF-9)."""

ASKED: Final[Mapping[tuple[str, str], str]] = {("scope", "ask"): "task_started"}
"""What a caller asks for, as the event that its table would have to allow."""


class Leg(NamedTuple):
    """One row on the way."""

    machine: str
    source: str
    on: str
    target: str
    when: tuple[Symbol, ...]  # guards that must hold
    cites: str


class Route(NamedTuple):
    """From a state to the row of an event. No legs: the row is there already, and something else refused."""

    machine: str
    state: str
    event: str
    legs: tuple[Leg, ...]
    when: tuple[Symbol, ...]  # guards of the event's own row, at the end of the route


def route(machine: str, state: str, event: str, tables: Tables = MACHINES) -> Route | None:
    """The shortest route, guards assumed to hold; None: no row of this event can be reached from there."""
    asked = ASKED.get((machine, event), event)
    beside = [tables[name] for name in BESIDE.get(machine, (machine,)) if name in tables]
    reached: dict[str, tuple[Leg, ...]] = {state: ()}
    ring = [state]
    while ring:
        for here in ring:
            found = _row(tables[machine], here, asked)
            if found is not None:
                return Route(machine, state, event, reached[here], tuple(found.when))
        ring = _onward(beside, ring, reached)
    return None


def route_of(refused: Refused, tables: Tables = MACHINES) -> Route | None:
    """The route of a refusal; None where no table speaks of its event."""
    if refused.machine not in tables or refused.state is None:
        return None
    return route(refused.machine, refused.state, refused.event, tables)


def _row(machine: Machine[Any, Any], state: str, event: str) -> Any:
    return next((row for row in machine.rows if row.source == state and row.on == event), None)


def _onward(
    beside: list[Machine[Any, Any]], ring: list[str], reached: dict[str, tuple[Leg, ...]]
) -> list[str]:
    """The states one row further, each with the first way to it that was found."""
    beyond: list[str] = []
    for here in ring:
        for machine in beside:
            for row in machine.rows:
                if row.source == here and row.target not in reached:
                    leg = Leg(machine.name, row.source, row.on, row.target, tuple(row.when), row.cites)
                    reached[row.target] = (*reached[here], leg)
                    beyond.append(row.target)
    return beyond
