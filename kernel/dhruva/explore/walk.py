"""Functions that read too much for a dense table, or have many paths: many states walk the trie at once.

A trie is laid out in arrays. The keys that it reads first make a window, as in `tables`: one gather takes a
state past all of them, to a leaf or to a node further down. From there a step takes all states that are
still on their way one node further, so a chunk needs as many steps as its longest path has reads, and most
states leave early. What an outcome writes is known at its leaf, as the bits that it sets or clears.

Nothing has to be made anew when the trie grows: paths are put in as states come to need them. Only a new
layout ends a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhruva.explore.errors import EngineError
from dhruva.explore.fields import Field, Words
from dhruva.explore.index import U64, Ids
from dhruva.explore.names import States
from dhruva.explore.tables import Does, Window, Writes
from dhruva.explore.trie import Function, Leaf, Node

Record = Callable[[Function, Words], Leaf | None]

# The window is filled entry by entry, so it should not be much wider than what is read of it.
_WINDOW_BITS = 12
# A node that reads a wider field becomes several, one below the other: most of its branches lead nowhere.
_DIGIT_BITS = 6


class Paths:
    """The paths of a function. A place is an entry of the window, or a branch of a node.

    At a place stands 0 where nothing is known, a node's number + 1, or a leaf's number as its complement.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._window = Window(_first_read(function))
        self._leads = np.zeros(max(self._window.size, 256), np.int32)
        self.used = self._window.size
        self._nodes: dict[tuple[Node, int, int], int] = {}
        self._word = np.zeros(64, np.int64)
        self._shift = np.zeros(64, np.uint64)
        self._mask = np.zeros(64, np.uint64)
        self._begin = np.zeros(64, np.int64)

    def walk(self, states: States) -> tuple[Ids, Ids]:
        """The leaf of each state, -1 where it is unknown, and the place at which the state came to know."""
        places = self._window.index(states)
        leads = self._leads.take(places)
        found = np.where(leads < 0, ~leads, -1).astype(np.int64)
        here = np.flatnonzero(leads > 0)
        node = leads.take(here) - 1
        while len(here):
            content = states.at(self._word.take(node), here)
            digit = content >> self._shift.take(node) & self._mask.take(node)
            place = self._begin.take(node) + digit.view(np.int64)
            leads = self._leads.take(place)
            found[here] = np.where(leads < 0, ~leads, -1)
            places[here] = place
            on = np.flatnonzero(leads > 0)
            here, node = here.take(on), leads.take(on) - 1
        return found, places

    def learn(self, words: Words) -> Leaf:
        """Put in the path that a state takes, which the trie knows; returns its leaf."""
        place = self._window.entry(words)
        at = self._function.root
        while isinstance(at, Node) and at.field in self._window.place:
            at = at.branches[at.field.of(words)]
        while isinstance(at, Node):
            code = at.field.of(words)
            for shift in range((at.field.bits - 1) // _DIGIT_BITS * _DIGIT_BITS, -1, -_DIGIT_BITS):
                number = self._number(at, shift, code)
                self._leads[place] = number + 1
                place = int(self._begin[number]) + (code >> shift & int(self._mask[number]))
            at = at.branches[code]
        assert at is not None
        self._leads[place] = ~at.number
        return at

    def _number(self, node: Node, shift: int, code: int) -> int:
        """The number of a node for one digit, given the digits above it."""
        bits = min(node.field.bits - shift, _DIGIT_BITS)
        key = node, shift, code >> (shift + bits)
        number = self._nodes.get(key)
        if number is not None:
            return number
        number = self._nodes[key] = len(self._nodes)
        if number == len(self._begin):
            self._word, self._shift = longer(self._word), longer(self._shift)
            self._mask, self._begin = longer(self._mask), longer(self._begin)
        self._word[number], self._shift[number] = node.field.word, node.field.shift + shift
        self._mask[number], self._begin[number] = (1 << bits) - 1, self.used
        self.used += 1 << bits
        while self.used > len(self._leads):
            self._leads = longer(self._leads)
        return number


def _first_read(function: Function) -> list[Field]:
    """The fields that the function reads first, as many as fit into a window."""
    found: dict[Field, None] = {}
    level = [function.root]
    while level:
        nodes = [at for at in level if isinstance(at, Node)]
        for node in nodes:
            found[node.field] = None
            if sum(field.bits for field in found) > _WINDOW_BITS:
                del found[node.field]
                return list(found)
        level = [below for node in nodes for below in node.branches.values()]
    return list(found)


class Walked:
    """One function; the entry of a state is the number of its leaf."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.hits = np.zeros(64, np.int64)
        self._paths = Paths(function)
        self._is_entered = np.zeros(64, bool)
        self._last: tuple[States, Ids, Ids] | None = None

    def entries(self, states: States) -> Ids:
        """The leaf of each state, -1 for those that `fill` has to look after."""
        return self._walk(states)[0]

    def fill(self, states: States, record: Record) -> bool:
        """Make every entry known; False if what was recorded outdated the layout."""
        entries, places = self._walk(states)
        unknown = np.flatnonzero(entries < 0)
        while len(unknown):
            _, first = np.unique(places.take(unknown), return_index=True)
            for position in unknown.take(first).tolist():
                words = states.words(position)
                if self.function.find(words) is None and record(self.function, words) is None:
                    return False
                self._take_in(self._paths.learn(words))
            entries[unknown], places[unknown] = self._paths.walk(states.take(unknown))
            if (entries.take(unknown.take(first)) < 0).any():
                raise EngineError(f"{self.function.name}: a path that was put in leads nowhere")
            unknown = unknown[entries.take(unknown) < 0]
        return True

    def _walk(self, states: States) -> tuple[Ids, Ids]:
        if self._last is None or self._last[0] is not states:
            self._last = (states, *self._paths.walk(states))
        return self._last[1:]

    def _take_in(self, leaf: Leaf) -> None:
        while leaf.number >= len(self.hits):
            self.grow()
        if not self._is_entered[leaf.number]:
            self._is_entered[leaf.number] = True
            self.enter(leaf)

    def enter(self, leaf: Leaf) -> None:
        """Take in what a leaf says."""

    def grow(self) -> None:
        self.hits, self._is_entered = longer(self.hits), longer(self._is_entered)

    def count(self, hits: NDArray[np.int64]) -> None:
        """Take note of how often each leaf was met."""
        self.hits[: len(hits)] += hits

    def flush(self) -> None:
        """Hand the counts to the leaves."""
        for number in np.flatnonzero(self.hits).tolist():
            self.function.leaves[number].hits += int(self.hits[number])
        self.hits[:] = 0


class _Slot:
    """One outcome of each leaf that has so many: the bits that it writes, and what it writes there."""

    def __init__(self, size: int) -> None:
        self.is_taken = np.zeros(size, bool)
        self.origin = np.zeros(size, np.int32)
        self.written: dict[int, U64] = {}
        self.value: dict[int, U64] = {}

    def enter(self, leaf: Leaf, outcome: Writes, origin: int) -> None:
        self.is_taken[leaf.number] = True
        self.origin[leaf.number] = origin
        for field, code in outcome.changes:
            if field.bits:
                for columns, bits in ((self.written, field.mask), (self.value, code)):
                    column = columns.setdefault(field.word, np.zeros(len(self.origin), np.uint64))
                    column[leaf.number] |= np.uint64(bits << field.shift)

    def after(self, word: int, entries: Ids, content: U64) -> U64:
        """What a word becomes."""
        if word not in self.written:
            return content
        return content & ~self.written[word].take(entries) | self.value[word].take(entries)

    def grow(self) -> None:
        self.is_taken, self.origin = longer(self.is_taken), longer(self.origin)
        self.written = {word: longer(column) for word, column in self.written.items()}
        self.value = {word: longer(column) for word, column in self.value.items()}


class WalkedAction(Walked):
    """An action: what its outcomes write."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.touched: list[int] = []
        self.enabled = np.zeros(64, bool)
        self.alarmed = np.zeros(64, bool)
        # Which step that is: a position in `origins`, and who takes it.
        self.origins: list[tuple[Leaf, int]] = []
        self.actors: list[Function] = []
        self._outcomes = np.zeros(64, np.int64)
        self._repeated = 0
        self._slots: list[_Slot] = []
        # Outcomes of a leaf that write different cells may still lead to the same state.
        self._may_meet = False

    def enter(self, leaf: Leaf) -> None:
        does: Does = leaf.result
        self.enabled[leaf.number] = bool(does.outcomes)
        self.alarmed[leaf.number] = bool(does.alarms)
        different: dict[frozenset[tuple[Field, int]], tuple[int, Writes]] = {}
        for place, outcome in enumerate(does.outcomes):
            changes = frozenset(change for change in outcome.changes if change[0].bits)
            different.setdefault(changes, (place, outcome))
        self._outcomes[leaf.number] = len(different)
        self._may_meet |= len({frozenset(field for field, _ in changes) for changes in different}) > 1
        self.touched = sorted({*self.touched, *(field.word for changes in different for field, _ in changes)})
        for number, (place, outcome) in enumerate(different.values()):
            if number == len(self._slots):
                self._slots.append(_Slot(len(self.hits)))
            self._slots[number].enter(leaf, outcome, len(self.origins))
            self.origins.append((leaf, place))
            self.actors.append(self.function)

    def steps(self, entries: Ids, states: States) -> Iterator[tuple[int, Ids, list[U64]]]:
        """Per slot, the states that it changes, and what the touched words become."""
        for number, slot in enumerate(self._slots if self.touched else ()):
            here = np.flatnonzero(slot.is_taken.take(entries))
            leaves = entries.take(here)
            before = [states.columns[word].take(here) for word in self.touched]
            after = self._after(slot, leaves, before)
            changed = ~_equal(after, before)
            if self._may_meet:
                changed &= ~self._again(number, leaves, before, after)
            yield number, here[changed], [column[changed] for column in after]

    def repeated(self, entries: Ids, states: States) -> int:
        """How many outcomes lead from their state to where an earlier one leads."""
        total = 0
        for number, slot in enumerate(self._slots if self._may_meet else ()):
            here = np.flatnonzero(slot.is_taken.take(entries))
            leaves = entries.take(here)
            before = [states.columns[word].take(here) for word in self.touched]
            total += int(self._again(number, leaves, before, self._after(slot, leaves, before)).sum())
        return total

    def _again(self, number: int, leaves: Ids, before: list[U64], after: list[U64]) -> NDArray[np.bool_]:
        again = np.zeros(len(leaves), bool)
        for earlier in self._slots[:number]:
            again |= _equal(after, self._after(earlier, leaves, before))
        return again

    def _after(self, slot: _Slot, leaves: Ids, before: list[U64]) -> list[U64]:
        return [slot.after(word, leaves, content) for word, content in zip(self.touched, before, strict=True)]

    def origin(self, slot: int, entries: Ids) -> NDArray[np.int32]:
        """Which step each of these entries takes."""
        return self._slots[slot].origin.take(entries)

    def credit(self, slot: int, entries: Ids) -> None:
        """Steps from these entries found new states."""
        found = np.bincount(self.origin(slot, entries))
        for number in np.flatnonzero(found).tolist():
            leaf, place = self.origins[number]
            leaf.news[place] += int(found[number])

    def count(self, hits: NDArray[np.int64], repeated: int = 0) -> None:
        super().count(hits)
        self._repeated += repeated

    def grow(self) -> None:
        super().grow()
        self.enabled, self.alarmed = longer(self.enabled), longer(self.alarmed)
        self._outcomes = longer(self._outcomes)
        for slot in self._slots:
            slot.grow()

    def flush(self) -> None:
        self.function.transitions += int(self.hits @ self._outcomes) - self._repeated
        self._repeated = 0
        super().flush()


class WalkedNumber(Walked):
    """A property or a part of one: `value` is its result, a truth value being 0 or 1."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.value = np.zeros(64, np.int64)

    def enter(self, leaf: Leaf) -> None:
        self.value[leaf.number] = int(leaf.result)

    def grow(self) -> None:
        super().grow()
        self.value = longer(self.value)


def _equal(some: list[U64], others: list[U64]) -> NDArray[np.bool_]:
    """Where all words are equal."""
    same: NDArray[np.bool_] = some[0] == others[0]
    for one, other in zip(some[1:], others[1:], strict=True):
        same &= one == other
    return same


def longer(array: NDArray[Any]) -> NDArray[Any]:
    """Twice the array, the new half being zeros."""
    return np.concatenate((array, np.zeros_like(array)))
