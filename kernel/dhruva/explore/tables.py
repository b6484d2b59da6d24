"""Dense tables derived from tries: many states are answered by one gather.

A window is a set of fields gathered into a small index. Functions with similar footprints share a window,
so that the index is computed once for all of them. For actions an entry holds, per possible step, the
bits that the step flips: the fields that an action writes belong to its window, so a step is one
exclusive or, and a step that changes nothing is known beforehand. How often each entry was met is all
that coverage needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dhruva.explore.fields import Field, Words
from dhruva.explore.index import U64, Ids
from dhruva.explore.names import PerWord, States
from dhruva.explore.outcomes import Answer
from dhruva.explore.trie import Function, Leaf, Node

# One table of an action set stays within the first cache; a single function may take a larger one.
SHARED_BITS = 12
SINGLE_BITS = 16
# A dense table is rebuilt for every new path, so the trie of a function with many is walked instead.
MANY_LEAVES = 64

Codes = Callable[[Field, Ids], Ids]


@dataclass(frozen=True)
class Writes:
    """One outcome of an action, in numbers."""

    choice: int
    changes: tuple[tuple[Field, int], ...]


@dataclass(frozen=True)
class Does:
    """The result at a leaf of an action. `alarms` are the step properties it refutes, with the choice."""

    outcomes: tuple[Writes, ...]
    alarms: tuple[tuple[str, int], ...]
    answer: Answer


class Window:
    """Fields gathered into an index, by as few shifts as their places allow."""

    def __init__(self, fields: Iterable[Field]) -> None:
        ordered = sorted((f for f in fields if f.bits), key=lambda f: (f.word, f.shift))
        self.place: dict[Field, int] = {}
        # Neighbours in the state stay neighbours in the index and share one shift and mask.
        self._segments: list[tuple[int, int, int]] = []
        used, end = 0, (-1, 0)
        for field in ordered:
            self.place[field] = used
            mask = field.mask << used
            if end == (field.word, field.shift):
                word, shift, joined = self._segments.pop()
                self._segments.append((word, shift, joined | mask))
            else:
                self._segments.append((field.word, field.shift - used, mask))
            used += field.bits
            end = (field.word, field.shift + field.bits)
        self.bits = used
        self.size = 1 << used

        words = sorted({word for word, _, _ in self._segments})
        self._parts = [PerWord(word, partial(self._part, word)) for word in words]

    def index(self, states: States) -> Ids:
        """The entry of each state."""
        if not self._segments:
            return np.zeros(len(states), np.int64)
        if states.known.words == 1:
            return self._part(0, states.columns[0])
        total = self._parts[0].of(states)
        for part in self._parts[1:]:
            total |= part.of(states)
        return total.astype(np.int64)

    def entry(self, words: Words) -> int:
        """The entry of one state."""
        return sum(field.of(words) << place for field, place in self.place.items())

    def _part(self, own: int, content: U64) -> Ids:
        """The bits of the index that come from one word."""
        total: U64 | None = None
        for word, shift, mask in self._segments:
            if word == own:
                moved = content >> np.uint64(shift) if shift >= 0 else content << np.uint64(-shift)
                moved &= np.uint64(mask)
                total = moved if total is None else np.bitwise_or(total, moved, out=total)
        assert total is not None
        return total.view(np.int64)

    def codes(self, field: Field, entries: Ids) -> Ids:
        """The number that each entry holds for a field."""
        if not field.bits:
            return np.zeros(len(entries), np.int64)
        return entries >> self.place[field] & field.mask


def classify(function: Function, codes: Codes, positions: Ids) -> Iterator[tuple[Leaf | None, Ids]]:
    """Walk the trie with all positions at once; yields who ends at which leaf, None where it is unknown."""
    stack: list[tuple[Node | Leaf | None, Ids]] = [(function.root, positions)]
    while stack:
        at, here = stack.pop()
        if not isinstance(at, Node):
            yield at, here
            continue
        met = codes(at.field, here)
        unknown = None
        for code, below in at.branches.items():
            chosen = met == code
            there = here[chosen]
            if len(there) == len(here):
                stack.append((below, here))
                break
            if len(there):
                stack.append((below, there))
                unknown = chosen if unknown is None else unknown | chosen
        else:
            left = here if unknown is None else here[~unknown]
            if len(left):
                yield None, left


class Table:
    """Several functions over one window. `attention` lists the entries to be looked at when met."""

    def __init__(self, functions: Sequence[Function], window: Window) -> None:
        self.functions = functions
        self.window = window
        self.hits = np.zeros(window.size, np.int64)
        self.leaf = [np.full(window.size, -1, np.int32) for _ in functions]
        flagged, unknown = np.zeros(window.size, bool), np.zeros(window.size, bool)
        for number, function in enumerate(functions):
            for leaf, where in classify(function, window.codes, np.arange(window.size)):
                if leaf is None:
                    unknown[where] = True
                    continue
                self.leaf[number][where] = leaf.number
                if self.enter(number, leaf, where):
                    flagged[where] = True
        self.unknown: Ids = np.flatnonzero(unknown)
        self.attention: Ids = np.flatnonzero(flagged | unknown)

    def enter(self, number: int, leaf: Leaf, where: Ids) -> bool:
        """Take in what a leaf says; True if meeting it needs attention."""
        raise NotImplementedError

    def count(self, hits: NDArray[np.int64]) -> None:
        self.hits += hits

    def flush(self) -> None:
        """Hand the counts to the leaves, before the table is replaced or the search reports."""
        met = np.flatnonzero(self.hits)
        for function, numbers in zip(self.functions, self.leaf, strict=True):
            totals = np.bincount(numbers[met], self.hits[met], len(function.leaves))
            for leaf, total in zip(function.leaves, totals, strict=True):
                leaf.hits += int(total)
        self.hits[:] = 0


class PropertyTable(Table):
    """Functions of the state; a result that equals the one in `alarming` needs attention."""

    def __init__(self, functions: Sequence[Function], window: Window, alarming: dict[Function, bool]) -> None:
        self.alarming = alarming
        super().__init__(functions, window)

    def enter(self, number: int, leaf: Leaf, _where: Ids) -> bool:
        return leaf.result is self.alarming.get(self.functions[number])


class NumberTable(Table):
    """Functions whose results are added up, with the sign that each of them has."""

    def __init__(self, functions: Sequence[Function], window: Window, sign: dict[Function, int]) -> None:
        self.sign = sign
        self.value = np.zeros(window.size, np.int64)
        super().__init__(functions, window)

    def enter(self, number: int, leaf: Leaf, where: Ids) -> bool:
        self.value[where] += self.sign[self.functions[number]] * int(leaf.result)
        return False


class ActionTable(Table):
    """Actions: which bits each possible step flips, and how many transitions an entry has per action."""

    def __init__(self, functions: Sequence[Function], window: Window) -> None:
        self.enabled = np.zeros(window.size, bool)
        self.transitions = [np.zeros(window.size, np.int64) for _ in functions]
        self.touched = sorted({word for function in functions for word in written_words(function)})
        # A slot holds one changing step per entry, as the bits it flips in each touched word.
        self.slots: list[list[U64]] = []
        # Which step that is: for each slot and entry, a position in `origins`.
        self._origin: list[NDArray[np.int32]] = []
        self.origins: list[tuple[Leaf, int]] = []
        self.actors: list[Function] = []
        self._filled = np.zeros(window.size, np.int64)
        super().__init__(functions, window)

    def enter(self, number: int, leaf: Leaf, where: Ids) -> bool:
        does: Does = leaf.result
        if does.outcomes:
            self.enabled[where] = True
        others: list[list[U64]] = []
        for place, outcome in enumerate(does.outcomes):
            flips = self._flips(outcome, where)
            fresh = np.ones(len(where), bool)
            for other in others:
                fresh &= _differ(flips, other)
            others.append(flips)
            self.transitions[number][where] += fresh
            changing = fresh & _differ(flips, [np.zeros(1, np.uint64)] * len(flips))
            self.origins.append((leaf, place))
            self.actors.append(self.functions[number])
            self._slot(where[changing], [flip[changing] for flip in flips])
        return bool(does.alarms)

    def _flips(self, outcome: Writes, where: Ids) -> list[U64]:
        flips = {word: np.zeros(len(where), np.uint64) for word in self.touched}
        for field, code in outcome.changes:
            if field.bits:
                bits = (self.window.codes(field, where) ^ code).view(np.uint64)
                flips[field.word] |= bits << np.uint64(field.shift)
        return [flips[word] for word in self.touched]

    def _slot(self, where: Ids, flips: list[U64]) -> None:
        taken = self._filled[where]
        for number in range(int(taken.max(initial=-1)) + 1):
            if number == len(self.slots):
                self.slots.append([np.zeros(self.window.size, np.uint64) for _ in self.touched])
                self._origin.append(np.zeros(self.window.size, np.int32))
            mine = np.flatnonzero(taken == number)
            for column, flip in zip(self.slots[number], flips, strict=True):
                column[where[mine]] = flip[mine]
            self._origin[number][where[mine]] = len(self.origins) - 1
        self._filled[where] += 1

    def steps(self, entries: Ids, states: States) -> Iterator[tuple[int, Ids, list[U64]]]:
        """Per slot, the states that it changes, and what the touched words become."""
        for number, slot in enumerate(self.slots):
            flips = [column.take(entries) for column in slot]
            where = np.flatnonzero(flips[0] if len(flips) == 1 else np.bitwise_or.reduce(flips))
            after = [
                states.columns[word].take(where) ^ flip.take(where)
                for word, flip in zip(self.touched, flips, strict=True)
            ]
            yield number, where, after

    def origin(self, slot: int, entries: Ids) -> NDArray[np.int32]:
        """Which step each of these entries takes."""
        return self._origin[slot].take(entries)

    def credit(self, slot: int, entries: Ids) -> None:
        """Steps from these entries found new states."""
        for number, new in enumerate(np.bincount(self.origin(slot, entries)).tolist()):
            leaf, place = self.origins[number]
            leaf.news[place] += new

    def flush(self) -> None:
        for function, transitions in zip(self.functions, self.transitions, strict=True):
            function.transitions += int(self.hits @ transitions)
        super().flush()


def _differ(flips: list[U64], others: list[U64]) -> NDArray[np.bool_]:
    differs = np.zeros(len(flips[0]), bool)
    for flip, other in zip(flips, others, strict=True):
        differs |= flip != other
    return differs


def written_words(function: Function) -> list[int]:
    """The words that an action writes; at least one, so that every table has a column."""
    return sorted({field.word for field in function.writes if field.bits}) or [0]


def footprint(function: Function) -> set[Field]:
    """The fields with bits that a function reads or writes."""
    return {field for field in (*function.fields, *function.writes) if field.bits}


Groups = list[tuple[list[Function], Window]]


def grouped(functions: Iterable[Function], shared: int) -> tuple[Groups, list[Function]]:
    """Functions that share a window of at most `shared` bits, and those too wide or too branched for one."""
    groups: list[tuple[list[Function], set[Field]]] = []
    wide: list[Function] = []
    for function in functions:
        fields = footprint(function)
        if _bits(fields) > SINGLE_BITS or len(function.leaves) > MANY_LEAVES:
            wide.append(function)
            continue
        fitting = [group for group in groups if _bits(group[1] | fields) <= shared]
        best = min(fitting, key=lambda group: _bits(fields - group[1]), default=None)
        if best is None:
            groups.append(([function], fields))
        else:
            best[0].append(function)
            best[1].update(fields)
    return [(members, Window(fields)) for members, fields in groups], wide


def _bits(fields: Iterable[Field]) -> int:
    return sum(field.bits for field in fields)
