"""Doubly linked lists over cells: lanes, lines for an executor, the living attempts of a scope.

The ends of a list stand in the cell that owns it; whoever has no neighbour on a side is that end.
"""

from typing import Any

from dhruva.cells import Key, Kind
from dhruva.walk import Walk, replaced


def link(walk: Walk, key: Key, side: int, other: Any) -> None:
    """Who stands under this key has another neighbour on this side."""
    cell = walk[key]
    if cell is not None:
        walk[key] = replaced(cell, side, other)


def part(walk: Walk, kind: Kind, cell: Any, one_side: int, other_side: int) -> None:
    """Who left the list leaves neighbours behind, and they are each other's now."""
    one, other = cell[one_side], cell[other_side]
    if one is not None:
        link(walk, (kind, one), other_side, other)
    if other is not None:
        link(walk, (kind, other), one_side, one)
