"""One 64-bit name per state, however wide states are.

A state of one word is its own name. The words of a wider state are numbered, each word among the
different values it has had, and two numbers of 32 bits make a name; with more than two words, pairs are
numbered in turn, as in a tree. So a visited state costs the same at any width, names are exact, and a
step that changes one word looks up one word. A word has far fewer different contents than there are
states: what depends on one word only is worked out once per content (`PerWord`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dhruva.explore.fields import Words
from dhruva.explore.index import U64, Ids, Index

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFF_FFFF)


class _Word:
    """A leaf of the tree: its content is a word of the state."""

    def __init__(self, word: int) -> None:
        self.words: frozenset[int] = frozenset({word})
        self.word = word
        self.known = Index()

    def content(self, _source: U64, changed: dict[int, U64]) -> U64:
        return changed[self.word]

    def numbers(self, number: U64, found: list[Ids]) -> None:
        found[self.word] = number.view(np.int64)


class _Pair:
    """An inner node: its content is the numbers of two contents."""

    def __init__(self, left: _Word | _Pair, right: _Word | _Pair) -> None:
        self.words: frozenset[int] = left.words | right.words
        self.left = left
        self.right = right
        self.known = Index()

    def content(self, source: U64, changed: dict[int, U64]) -> U64:
        left = _number(self.left, source >> _HALF, changed)
        right = _number(self.right, source & _LOW, changed)
        return left << _HALF | right

    def numbers(self, number: U64, found: list[Ids]) -> None:
        self.parts(self.known.members.take(number.view(np.int64)), found)

    def parts(self, content: U64, found: list[Ids]) -> None:
        """The numbers of the words below."""
        self.left.numbers(content >> _HALF, found)
        self.right.numbers(content & _LOW, found)


def _number(node: _Word | _Pair, source: U64, changed: dict[int, U64]) -> U64:
    """Number the content of a node; where no word below it changed, the number stays."""
    if node.words.isdisjoint(changed):
        return source
    is_all_new = node.words <= changed.keys()
    below = source if is_all_new else node.known.members.take(source.view(np.int64))
    ids: Ids = node.known.add(node.content(below, changed))
    return ids.view(np.uint64)


class Names:
    """Names for states of a given number of words."""

    def __init__(self, words: int) -> None:
        self.words = words
        leaves = [_Word(word) for word in range(words)]
        # What each word of a wide state has been, by number.
        self.contents: list[Index] = [leaf.known for leaf in leaves]
        level: list[_Word | _Pair] = list(leaves)
        while len(level) > 1:
            pairs: list[_Word | _Pair] = [_Pair(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
            level = pairs + level[2 * len(pairs) :]
        self._root = level[0]

    def of(self, columns: list[U64]) -> U64:
        """The names of states given as one array per word."""
        return self._root.content(columns[0], dict(enumerate(columns)))

    def step(self, names: U64, changed: dict[int, U64]) -> U64:
        """The names of the states that differ from the named ones in the changed words only."""
        return self._root.content(names, changed)

    def numbers(self, names: U64) -> list[Ids]:
        """The number of each word of the named states, one array per word; nothing for states of one word."""
        if isinstance(self._root, _Word):
            return []
        found: list[Ids] = [np.empty(0, np.int64)] * self.words
        self._root.parts(names, found)
        return found

    @property
    def stored_bytes(self) -> int:
        """What numbering the parts of wide states takes."""
        return sum(node.known.stored_bytes for node in _below(self._root))


def _below(node: _Word | _Pair) -> list[_Word | _Pair]:
    if isinstance(node, _Word):
        return []
    return [node.left, node.right, *_below(node.left), *_below(node.right)]


class States:
    """Some states of a search, by name, by word, and by the numbers of their words."""

    def __init__(self, known: Names, names: U64) -> None:
        self.known = known
        self.names = names

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def numbers(self) -> list[Ids]:
        return self.known.numbers(self.names)

    @cached_property
    def columns(self) -> list[U64]:
        """One array per word."""
        if self.known.words == 1:
            return [self.names]
        contents = self.known.contents
        return [known.members.take(number) for known, number in zip(contents, self.numbers, strict=True)]

    @cached_property
    def _flat(self) -> U64:
        return np.concatenate(self.columns)

    def at(self, word: Ids, position: Ids) -> U64:
        """Of each of these states, the word that is asked for."""
        if self.known.words == 1:
            return self.names.take(position)
        return self._flat.take(word * len(self) + position)

    def take(self, positions: Ids) -> States:
        return States(self.known, self.names.take(positions))

    def words(self, position: int) -> Words:
        """One of the states, as plain numbers."""
        return tuple(int(column[position]) for column in self.columns)


class PerWord:
    """A function of one word, worked out once for each content that the word has had."""

    def __init__(self, word: int, work: Callable[[U64], Ids]) -> None:
        self._word = word
        self._work = work
        self._answers = np.empty(0, np.int32)
        self._size = 0

    def of(self, states: States) -> NDArray[np.int32]:
        contents = states.known.contents[self._word]
        if contents.size > self._size:
            self._extend(contents)
        return self._answers.take(states.numbers[self._word])

    def _extend(self, contents: Index) -> None:
        if contents.size > len(self._answers):
            grown = np.empty(2 * contents.size, np.int32)
            grown[: self._size] = self._answers[: self._size]
            self._answers = grown
        self._answers[self._size : contents.size] = self._work(contents.members[self._size :])
        self._size = contents.size
