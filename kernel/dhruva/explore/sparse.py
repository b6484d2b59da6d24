"""Tables for functions that read too much for a dense one: only combinations that were met have an entry.

The bits that a function reads or writes, the others masked out, are numbered as they come; an entry is
filled from the trie once. There is nothing to rebuild when the trie grows, so this also serves functions
with many paths. A table outlives neither a new field in its function's footprint nor a new layout.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhruva.explore.combinations import Combinations
from dhruva.explore.fields import Field, Words
from dhruva.explore.index import U64, Ids
from dhruva.explore.names import States
from dhruva.explore.tables import Does, footprint, written_words
from dhruva.explore.trie import Function, Leaf

Record = Callable[[Function, Words], Leaf | None]


def step(words: Words, changes: tuple[tuple[Field, int], ...]) -> Words:
    """Some fields of one state written."""
    after = list(words)
    for field, code in changes:
        after[field.word] = after[field.word] & ~(field.mask << field.shift) | code << field.shift
    return tuple(after)


class Sparse:
    """One function; `leaf` holds for each entry the number of its leaf, -1 while that is unknown."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self._fields = footprint(function)
        self._combinations = Combinations(self._fields)
        self.leaf = np.full(64, -1, np.int32)
        self.hits = np.zeros(64, np.int64)

    @property
    def is_outdated(self) -> bool:
        """The function has since been seen to read or write another field."""
        return footprint(self.function) != self._fields

    def entries(self, states: States) -> Ids:
        """The entry of each state."""
        found = self._combinations.numbers(states)
        while self._combinations.size > len(self.leaf):
            self.grow()
        return found

    def fill(self, entries: Ids, states: States, record: Record) -> bool:
        """Make every entry known; False if what was recorded outdated this table or the layout."""
        unknown = np.flatnonzero(self.leaf.take(entries) < 0)
        if len(unknown) and self.is_outdated:  # by a path that was recorded elsewhere
            return False
        fresh, first = np.unique(entries.take(unknown), return_index=True)
        usable = True
        for entry, position in zip(fresh.tolist(), unknown.take(first).tolist(), strict=True):
            words = states.words(position)
            leaf = self.function.find(words)
            if leaf is None:
                leaf = record(self.function, words)
                usable &= leaf is not None and not self.is_outdated
            if usable and leaf is not None:
                self.leaf[entry] = leaf.number
                self.enter(entry, leaf, words)
        return usable

    def enter(self, entry: int, leaf: Leaf, words: Words) -> None:
        """Take in what a leaf says."""

    def met(self, entries: Ids) -> NDArray[np.int64]:
        """How often each entry occurs."""
        return np.bincount(entries, minlength=len(self.leaf))

    def count(self, hits: NDArray[np.int64]) -> None:
        self.hits[: len(hits)] += hits

    def grow(self) -> None:
        self.leaf = np.concatenate((self.leaf, np.full(len(self.leaf), -1, np.int32)))
        self.hits = _doubled(self.hits)

    def flush(self) -> None:
        """Hand the counts to the leaves."""
        met = np.flatnonzero(self.hits)
        totals = np.bincount(self.leaf[met], self.hits[met], len(self.function.leaves))
        for number in np.flatnonzero(totals).tolist():
            self.function.leaves[number].hits += int(totals[number])
        self.hits[:] = 0


class SparseAction(Sparse):
    """An action: what each entry's steps flip, as in `ActionTable`."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.actors: list[Function] = []
        self.touched = written_words(function)
        self.enabled = np.zeros(64, bool)
        self.alarmed = np.zeros(64, bool)
        self.transitions = np.zeros(64, np.int64)
        self.slots: list[list[U64]] = []
        self.origin: list[NDArray[np.int32]] = []
        self.origins: list[tuple[Leaf, int]] = []
        self._origin_of: dict[tuple[int, int], int] = {}

    @property
    def is_outdated(self) -> bool:
        """A field that was only read may be written from now on, and stand in a word without a column."""
        return super().is_outdated or written_words(self.function) != self.touched

    def enter(self, entry: int, leaf: Leaf, words: Words) -> None:
        does: Does = leaf.result
        self.enabled[entry] = bool(does.outcomes)
        self.alarmed[entry] = bool(does.alarms)
        after: dict[Words, int] = {}
        for place, outcome in enumerate(does.outcomes):
            after.setdefault(step(words, outcome.changes), place)
        self.transitions[entry] = len(after)
        changing = [(there, place) for there, place in after.items() if there != words]
        for slot, (there, place) in enumerate(changing):
            if slot == len(self.slots):
                self.slots.append([np.zeros(len(self.leaf), np.uint64) for _ in self.touched])
                self.origin.append(np.zeros(len(self.leaf), np.int32))
            for column, word in zip(self.slots[slot], self.touched, strict=True):
                column[entry] = words[word] ^ there[word]
            self.origin[slot][entry] = self._origin(leaf, place)

    def credit(self, slot: int, entries: Ids) -> None:
        """Steps from these entries found new states."""
        found = np.bincount(self.origin[slot].take(entries))
        for number in np.flatnonzero(found).tolist():
            leaf, place = self.origins[number]
            leaf.news[place] += int(found[number])

    def grow(self) -> None:
        super().grow()
        self.enabled, self.alarmed = _doubled(self.enabled), _doubled(self.alarmed)
        self.transitions = _doubled(self.transitions)
        self.slots = [[_doubled(column) for column in slot] for slot in self.slots]
        self.origin = [_doubled(column) for column in self.origin]

    def flush(self) -> None:
        self.function.transitions += int(self.hits @ self.transitions)
        super().flush()

    def _origin(self, leaf: Leaf, place: int) -> int:
        number = self._origin_of.setdefault((leaf.number, place), len(self.origins))
        if number == len(self.origins):
            self.origins.append((leaf, place))
            self.actors.append(self.function)
        return number


class SparseNumber(Sparse):
    """A property or a part of one: `value` is its result, a truth value being 0 or 1."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.value = np.zeros(64, np.int64)

    def enter(self, entry: int, leaf: Leaf, _words: Words) -> None:
        self.value[entry] = int(leaf.result)

    def grow(self) -> None:
        super().grow()
        self.value = _doubled(self.value)


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate((array, np.zeros_like(array)))
