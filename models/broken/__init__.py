"""Models that must fail: one deliberate fault each, in a table, wire, decision, guard, deed or rule.

Each file has `model(...)`, the family's model over the broken kernel, `FAILS`, the property that notices, and
`LENGTH`, how many steps the shortest trace has. None copies a model.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from dhruva.cells import Change, Read
from dhruva.machines import MACHINES
from dhruva.rules import RULES
from dhruva.step import Step, kernel
from dhruva.step import step as shipped
from dhruva.table import Machine, Refused
from dhruva.walk import Rule


def tables_with(machine: str, source: StrEnum, on: StrEnum, **cells: Any) -> Mapping[str, Machine[Any, Any]]:
    """The tables with other cells in one row, whatever the checks of the table would say."""
    table = MACHINES[machine]
    rows = tuple(replace(r, **cells) if (r.source, r.on) == (source, on) else r for r in table.rows)
    return {**MACHINES, machine: table.unchecked(rows)}


def with_rule(kind: type, rule: Rule) -> Step:
    """The step in which inputs of one class mean something else."""
    return kernel(rules={**RULES, kind: rule})


def unsaid(effect: type) -> Step:
    """The step whose effects of one class never leave it."""

    def step(read: Read, given: Any) -> Change | Refused:
        answer = shipped(read, given)
        if isinstance(answer, Refused):
            return answer
        return answer._replace(effects=tuple(one for one in answer.effects if not isinstance(one, effect)))

    return step
