"""A set of 64-bit numbers that numbers its members in the order in which they came.

A hash table in numpy: `members` holds the numbers themselves, `table` holds positions in `members`, so an
answer is exact whatever the hash does. A whole batch is looked up at once; each round settles those that
found themselves or a free place, and sends the others to another place. Beside sorted runs, measured on
ten million states, it takes the same time, needs no level-sized buffers, and keeps every level
contiguous.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

U64 = NDArray[np.uint64]
Ids = NDArray[np.int64]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_ODD = np.uint64(0xD1B54A32D192ED03)
_HALF = np.uint64(32)
# Full enough to stay within 16 bytes a state, empty enough to need few rounds.
_MAX_LOAD = 0.75
_GROWTH = 1.4
_BATCH = 1 << 18
_LEAST = 1 << 11


class Index:
    """`add` puts in what is missing, `find` only looks; both answer with positions in `members`."""

    def __init__(self, reserve: int = 256, load: float = _MAX_LOAD) -> None:
        self.size = 0
        self._load = load
        self._members: U64 = np.empty(reserve, np.uint64)
        self._table: NDArray[np.int32] = np.zeros(1024, np.int32)

    @property
    def members(self) -> U64:
        return self._members[: self.size]

    @property
    def stored_bytes(self) -> int:
        """What the members and the table take; a reserve that was never touched takes nothing."""
        return int(self.size * self._members.itemsize + self._table.nbytes)

    def add(self, numbers: U64) -> Ids:
        """Positions of the numbers; those that were missing are appended."""
        found = self.find(numbers)
        missing = np.flatnonzero(found < 0)
        if len(missing):
            strangers = numbers.take(missing)
            self.put(strangers)
            found[missing] = self.find(strangers)
        return found

    def put(self, numbers: U64) -> Ids:
        """Append what is missing; returns where in `numbers` the appended ones stood, in their new order."""
        fresh: list[Ids] = []
        start = 0
        while start < len(numbers):
            # Room is made for all of a batch, though most of it is known: keep it small beside the members.
            batch = numbers[start : start + max(_LEAST, min(self.size // 16, _BATCH))]
            self._reserve(self.size + len(batch))
            self._enlarge(self.size + len(batch))
            fresh.extend(start + positions for positions in self._settle(batch))
            start += len(batch)
        return np.concatenate(fresh) if fresh else np.empty(0, np.int64)

    def extend(self, numbers: U64) -> None:
        """Append numbers that are known to be new and different, in their order."""
        end = self.size + len(numbers)
        self._reserve(end)
        self._members[self.size : end] = numbers
        start, self.size = self.size, end
        if not self._enlarge(end):
            self._fill(start)

    def find(self, numbers: U64) -> Ids:
        """Positions of the numbers, -1 for a stranger."""
        found = np.full(len(numbers), -1, np.int64)
        for start in range(0, len(numbers), _BATCH):
            self._look(numbers[start : start + _BATCH], found[start : start + _BATCH])
        return found

    def _look(self, numbers: U64, found: Ids) -> None:
        hashes, waiting = _hash(numbers), np.arange(len(numbers))
        while len(numbers):
            held = self._table.take(self._places(hashes))
            known = self._known(numbers, held)
            found[waiting[known]] = held[known] - 1
            rest = np.flatnonzero(~known & (held != 0))
            numbers, waiting, hashes = numbers.take(rest), waiting.take(rest), _again(hashes.take(rest))

    def _settle(self, numbers: U64) -> Iterator[Ids]:
        hashes, waiting = _hash(numbers), np.arange(len(numbers))
        while len(numbers):
            places = self._places(hashes)
            held = self._table.take(places)
            pending = ~self._known(numbers, held)
            # Who loses a free place to another looks there again, as the winner may be the same number.
            moves_on = held != 0
            free = np.flatnonzero(~moves_on)
            winners = self._claim(numbers, places, free)
            yield waiting.take(winners)
            pending[winners] = False
            rest = np.flatnonzero(pending)
            hashes = np.where(moves_on.take(rest), _again(hashes.take(rest)), hashes.take(rest))
            numbers, waiting = numbers.take(rest), waiting.take(rest)

    def _known(self, numbers: U64, held: NDArray[np.int32]) -> NDArray[np.bool_]:
        # Position p is held as p + 1, since 0 means a free place; what 0 fetches here is masked out.
        same: NDArray[np.bool_] = self._members.take(held - 1, mode="wrap") == numbers
        same &= held != 0
        return same

    def _claim(self, numbers: U64, places: Ids, free: Ids) -> Ids:
        """Each number marks its free place; those whose mark stays are appended, and returned."""
        wanted = places.take(free)
        marks = np.arange(-1, -len(free) - 1, -1, dtype=np.int32)
        self._table[wanted] = marks
        won = self._table.take(wanted) == marks
        winners: Ids = free[won]
        end = self.size + len(winners)
        self._members[self.size : end] = numbers.take(winners)
        self._table[wanted[won]] = np.arange(self.size + 1, end + 1, dtype=np.int32)
        self.size = end
        return winners

    def _places(self, hashes: U64) -> Ids:
        return ((hashes >> _HALF) * np.uint64(len(self._table)) >> _HALF).view(np.int64)

    def _reserve(self, size: int) -> None:
        if size > len(self._members):
            members = np.empty(max(size, int(len(self._members) * _GROWTH)), np.uint64)
            members[: self.size] = self.members
            self._members = members

    def _enlarge(self, size: int) -> bool:
        """Make the table large enough; False if it was."""
        if size <= self._load * len(self._table):
            return False
        self._table = np.zeros(int(size / self._load * _GROWTH), np.int32)
        self._fill(0)
        return True

    def _fill(self, first: int) -> None:
        """Give members a place in the table; all are different, so nothing is compared."""
        for start in range(first, self.size, _BATCH):
            stop = min(start + _BATCH, self.size)
            hashes = _hash(self._members[start:stop])
            marks = np.arange(start + 1, stop + 1, dtype=np.int32)
            while len(marks):
                places = self._places(hashes)
                free = self._table.take(places) == 0
                self._table[places[free]] = marks[free]
                homeless = np.flatnonzero(self._table.take(places) != marks)
                hashes = _again(hashes.take(homeless))
                marks = marks.take(homeless)


def _hash(numbers: U64) -> U64:
    return (numbers ^ numbers >> _HALF) * _MIX


def _again(hashes: U64) -> U64:
    """Another place to look at. With an odd increment and this factor every hash comes by, so every place."""
    return hashes * _MIX + _ODD
