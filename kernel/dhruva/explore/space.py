"""The states met so far, under the layout of the moment.

States are known by position, in the order in which they were met, and a position never changes. Names do:
when a cell takes a value that its field has no room for, every state is packed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import numpy as np

from dhruva.explore.errors import ModelError
from dhruva.explore.fields import Field, Words
from dhruva.explore.index import U64, Ids, Index
from dhruva.explore.learned import Learned
from dhruva.explore.names import Names, States
from dhruva.explore.tables import Table, Window, grouped
from dhruva.explore.trie import Function, Leaf
from dhruva.explore.walk import Walked

_REPACK = 1 << 20
# Address space for states; the system gives memory only for what is touched, and nothing is copied on growth.
_RESERVE = 1 << 26
# The table of recent names grows with the states, and stays within the last cache.
_RECENT_BITS = (10, 20)
_MIX = np.uint64(0x9E3779B97F4A7C15)
T = TypeVar("T", bound=Table)
W = TypeVar("W", bound=Walked)


class Tables(Generic[T, W]):
    """The tables of some functions: dense ones, made anew where a trie has grown, and walks of wide ones."""

    def __init__(
        self, dense: Callable[[list[Function], Window], T], walked: Callable[[Function], W], shared_bits: int
    ) -> None:
        self._make_dense = dense
        self._make_walked = walked
        self._shared_bits = shared_bits
        self._dense: dict[object, T] = {}
        self._walked: dict[Function, W] = {}
        self.dense: list[T] = []
        self.walked: list[W] = []
        self.is_stale = True

    def renew(self, functions: Iterable[Function]) -> None:
        """Bring `dense` and `walked` up to date."""
        groups, wide = grouped(functions, self._shared_bits)
        keys = [tuple((id(f), len(f.leaves)) for f in members) for members, _ in groups]
        for key in self._dense.keys() - set(keys):
            self._dense.pop(key).flush()
        for key, (members, window) in zip(keys, groups, strict=True):
            if key not in self._dense:
                self._dense[key] = self._make_dense(members, window)
        self.dense = [self._dense[key] for key in keys]
        for function in self._walked.keys() - set(wide):
            self._walked.pop(function).flush()
        for function in wide:
            if function not in self._walked:
                self._walked[function] = self._make_walked(function)
        self.walked = [self._walked[function] for function in wide]
        self.is_stale = False

    def flush(self) -> None:
        for dense in self._dense.values():
            dense.flush()
        for walked in self._walked.values():
            walked.flush()

    def drop(self) -> None:
        """Forget all tables: the layout has changed."""
        self.flush()
        self._dense.clear()
        self._walked.clear()
        self.is_stale = True


class Space:
    """All states met. The first is the initial one, in which every field holds its number 0."""

    def __init__(self, learned: Learned) -> None:
        self.learned = learned
        self.layout = learned.layout
        self.names = Names(1)
        self.index = Index(_RESERVE)
        self.index.put(np.zeros(1, np.uint64))
        self._recent = self._no_recent()
        self._tables: list[Tables[Any, Any]] = []
        self.failed_at = 0

    @property
    def stored_bytes(self) -> int:
        """What is kept for all states together."""
        return self.index.stored_bytes + self.names.stored_bytes

    def record(self, function: Function, words: Words) -> Leaf:
        """Call a function in a state and remember; where it fails, `failed_at` is the state."""
        with self._noting(words):
            return self.learned.record(function, words)

    def audit(self, function: Function, leaf: Leaf, words: Words) -> None:
        with self._noting(words):
            self.learned.audit(function, leaf, words)

    @contextmanager
    def _noting(self, words: Words) -> Iterator[None]:
        try:
            yield
        except ModelError:
            name = self.names.of([np.array([word], np.uint64) for word in words])
            self.failed_at = int(self.index.find(name)[0])
            raise

    def tables(
        self, dense: Callable[[list[Function], Window], T], walked: Callable[[Function], W], shared_bits: int
    ) -> Tables[T, W]:
        made = Tables(dense, walked, shared_bits)
        self._tables.append(made)
        return made

    def states(self, start: int, stop: int) -> States:
        """The states at these positions."""
        return States(self.names, self.index.members[start:stop])

    def words(self, position: int) -> Words:
        return self.states(position, position + 1).words(0)

    def add(self, names: U64) -> Ids:
        """Put in the states that are new; returns where in `names` they stood.

        Most candidates were met a moment ago: a small table of recent names, compared in full, drops them
        before they reach the index.
        """
        if 4 * len(self._recent) < self.index.size and len(self._recent) < 1 << _RECENT_BITS[1]:
            self._recent = self._no_recent()
        places = (names * _MIX >> np.uint64(65 - len(self._recent).bit_length())).view(np.int64)
        kept = np.flatnonzero(self._recent.take(places) != names)
        names = names.take(kept)
        self._recent[places.take(kept)] = names
        return kept.take(self.index.put(names))

    def refresh(self) -> None:
        """After new paths were recorded: make room for new values, and have the tables renewed."""
        for tables in self._tables:
            tables.is_stale = True
        if self.layout.is_outgrown:
            for tables in self._tables:
                tables.drop()
            before = self.layout.arrange()
            if before is not None:
                self._repack(before)

    def flush(self) -> None:
        """Bring the counts at the leaves up to date."""
        for tables in self._tables:
            tables.flush()

    def _repack(self, before: list[tuple[Field, int, int, int]]) -> None:
        old, self.names = self.names, Names(self.layout.words)
        members, self.index = self.index.members, Index(_RESERVE)
        for start in range(0, len(members), _REPACK):
            columns = States(old, members[start : start + _REPACK]).columns
            self.index.extend(self.names.of(_moved(columns, before, self.layout.words)))
        self._recent = self._no_recent()

    def _no_recent(self) -> U64:
        # Any name that is certainly in the index will do to fill the table.
        least, most = _RECENT_BITS
        bits = min(max(self.index.size.bit_length(), least), most)
        return np.full(1 << bits, self.index.members[0], np.uint64)


def _moved(columns: list[U64], before: list[tuple[Field, int, int, int]], words: int) -> list[U64]:
    moved = [np.zeros(len(columns[0]), np.uint64) for _ in range(words)]
    for field, word, shift, mask in before:
        moved[field.word] |= (columns[word] >> np.uint64(shift) & np.uint64(mask)) << np.uint64(field.shift)
    return moved
