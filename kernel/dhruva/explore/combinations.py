"""Numbers for combinations of some fields: only what was met has a number, so many fields may take part.

In a state of one word the other bits are masked out and the rest is looked up by hash. In a wide state each
word is classified once per different content; the classes of several words meet in a grid, so that a
state's number takes one lookup per word and one per meeting, and nothing is hashed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from dhruva.explore.fields import Field
from dhruva.explore.index import U64, Ids, Index
from dhruva.explore.names import PerWord, States

# The hash tables here are small: let them be empty enough that most are found at first sight.
_LOAD = 0.2
# A larger grid would no longer fit a cache; its places are then looked up by hash.
_GRID = 1 << 22
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFF_FFFF)


class Combinations:
    """`numbers` gives each state the number of its combination, a new one if it was never met."""

    def __init__(self, fields: Iterable[Field]) -> None:
        masks: dict[int, int] = {}
        for field in fields:
            if field.bits:
                masks[field.word] = masks.get(field.word, 0) | field.mask << field.shift
        self._masks = sorted(masks.items())
        self._classes = [Index(load=_LOAD) for _ in self._masks]
        self._words = [
            PerWord(word, partial(_masked, classes, np.uint64(mask)))
            for (word, mask), classes in zip(self._masks, self._classes, strict=True)
        ]
        self._meetings = [_Meeting() for _ in self._masks[1:]]

    @property
    def size(self) -> int:
        if self._meetings:
            return self._meetings[-1].size
        return self._classes[0].size if self._classes else 1

    def numbers(self, states: States) -> Ids:
        if not self._masks:
            return np.zeros(len(states), np.int64)
        if states.known.words == 1:
            return _masked(self._classes[0], np.uint64(self._masks[0][1]), states.columns[0])
        found, size = self._words[0].of(states).astype(np.int64), self._classes[0].size
        for meeting, word, classes in zip(self._meetings, self._words[1:], self._classes[1:], strict=True):
            other = word.of(states).astype(np.int64)
            found, size = meeting.numbers(found, other, size, classes.size), meeting.size
        return found


def _masked(classes: Index, mask: np.uint64, content: U64) -> Ids:
    return classes.add(content & mask)


class _Meeting:
    """Numbers for pairs of numbers. The grid remembers what `pairs` says, as long as it is not too large."""

    def __init__(self) -> None:
        self._pairs = Index(load=_LOAD)
        self._rows = self._columns = 0
        self._grid = np.empty(0, np.int32)

    @property
    def size(self) -> int:
        return self._pairs.size

    def numbers(self, left: Ids, right: Ids, rows: int, columns: int) -> Ids:
        """The number of each pair; all of `left` are below `rows`, all of `right` below `columns`."""
        if rows > self._rows or columns > self._columns:
            self._grow(rows, columns)
        if not len(self._grid):
            return self._pairs.add(_pair(left, right))
        places = left * self._columns + right
        found = self._grid.take(places)
        unknown = np.flatnonzero(found < 0)
        if len(unknown):
            found[unknown] = self._pairs.add(_pair(left.take(unknown), right.take(unknown)))
            self._grid[places.take(unknown)] = found.take(unknown)
        return found.astype(np.int64)

    def _grow(self, rows: int, columns: int) -> None:
        self._rows = max(self._rows, 1 << rows.bit_length())
        self._columns = max(self._columns, 1 << columns.bit_length())
        if self._rows * self._columns > _GRID:
            self._grid = np.empty(0, np.int32)
            return
        self._grid = np.full(self._rows * self._columns, -1, np.int32)
        met = self._pairs.members
        places = (met >> _HALF) * np.uint64(self._columns) + (met & _LOW)
        self._grid[places.view(np.int64)] = np.arange(len(met), dtype=np.int32)


def _pair(left: Ids, right: Ids) -> U64:
    return left.view(np.uint64) << _HALF | right.astype(np.uint64)
