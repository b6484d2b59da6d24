"""The tables: each machine's own checks, run again over the shipped objects, and counted."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from dhruva.table import Machine, faults


class TableReport(NamedTuple):
    """What was checked of one table, and what was found."""

    machine: str
    states: int
    events: int
    rows: int
    refused: int  # pairs without a row
    guarded: int  # rows with a guard
    digest: str
    faults: tuple[str, ...]


def check_tables(machines: Iterable[Machine[Any, Any]]) -> list[TableReport]:
    """Every check of table.py over every machine."""
    return [
        TableReport(
            machine=m.name,
            states=len(m.states),
            events=len(m.events),
            rows=len(m.rows),
            refused=len(m.states) * len(m.events) - len(m.rows),
            guarded=sum(1 for row in m.rows if row.when),
            digest=m.digest,
            faults=tuple(str(fault) for fault in faults(m)),
        )
        for m in machines
    ]
