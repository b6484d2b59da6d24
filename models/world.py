"""What kernel models have in common: worlds made by inputs, and actions that are one input each.

A model restates no rule: its action is `step(read, input)`, wherever `may(read, input)` allows the input.
"""

from collections.abc import Iterable
from typing import Any

from dhruva.assume import may
from dhruva.cells import FollowUp, Key, Kind, Read
from dhruva.explore import Model
from dhruva.step import Step
from dhruva.table import Refused


def world(step: Step, setup: Iterable[Any]) -> dict[Key, Any]:
    """The cells after these inputs, each of which must be accepted."""
    cells: dict[Key, Any] = {}
    for given in setup:
        answer = step(cells.get, given)
        if isinstance(answer, Refused):
            raise ValueError(f"the world cannot be set up: {given} gives {answer}")
        for key, cell in answer.writes.items():
            if cell is None:
                cells.pop(key, None)
            else:
                cells[key] = cell
    return cells


def place(m: Model, cells: dict[Key, Any]) -> None:
    for key, cell in cells.items():
        m.var(key, cell)


def act(m: Model, step: Step, name: str, given: Any) -> None:
    """One input as an action: possible where the outside may give it, refused where the kernel refuses it."""

    def run(read: Read) -> object:
        return step(read, given) if may(read, given) else None

    m.action(name, run)


def follow_up(kind: FollowUp, *ids: Any) -> Key:
    return (Kind.FOLLOW, kind, *ids)
