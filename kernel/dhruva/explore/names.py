"""One 64-bit name per state, however wide states are.

A state of one word is its own name. The words of a wider state are numbered, each word among the
different values it has had, and two numbers of 32 bits make a name; with more than two words, pairs are
numbered in turn, as in a tree. So a visited state costs the same at any width, names are exact, and a
step that changes one word looks up one word.
"""

from __future__ import annotations

import numpy as np

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

    def spread(self, content: U64, columns: list[U64]) -> None:
        columns[self.word] = content


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

    def spread(self, content: U64, columns: list[U64]) -> None:
        self.left.spread(self.left.known.members.take((content >> _HALF).view(np.int64)), columns)
        self.right.spread(self.right.known.members.take((content & _LOW).view(np.int64)), columns)


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
        level: list[_Word | _Pair] = [_Word(word) for word in range(words)]
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

    def columns(self, names: U64) -> list[U64]:
        """The words of the named states, one array per word."""
        columns: list[U64] = [names] * self.words
        self._root.spread(names, columns)
        return columns

    @property
    def stored_bytes(self) -> int:
        """What numbering the parts of wide states takes."""
        return sum(node.known.stored_bytes for node in _below(self._root))


def _below(node: _Word | _Pair) -> list[_Word | _Pair]:
    if isinstance(node, _Word):
        return []
    return [node.left, node.right, *_below(node.left), *_below(node.right)]
