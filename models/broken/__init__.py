"""Models that must fail: one deliberate fault each, in a table, a wire, a decision, a guard or a deed.

Each file has `model(...)`, the family's model over the broken kernel, `FAILS`, the property that notices, and
`LENGTH`, how many steps the shortest trace has. None copies a model.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from dhruva.machines import MACHINES
from dhruva.table import Machine


def tables_with(machine: str, source: StrEnum, on: StrEnum, **cells: Any) -> Mapping[str, Machine[Any, Any]]:
    """The tables with other cells in one row, whatever the checks of the table would say."""
    table = MACHINES[machine]
    rows = tuple(replace(r, **cells) if (r.source, r.on) == (source, on) else r for r in table.rows)
    return {**MACHINES, machine: table.unchecked(rows)}
