"""What a function of `read` was seen to do, as a decision trie.

The first key that a function reads is always the same; which key comes next depends only on the values
read so far. So its calls form a trie: a node is a key, a branch a value, a leaf a result. Python is
called once per new path; every other state is answered from the trie, the one thing that all tables
derive from.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from dhruva.explore.errors import ModelError
from dhruva.explore.fields import Field, Layout, Words
from dhruva.explore.forms import Read
from dhruva.explore.outcomes import unsteady
from dhruva.explore.values import show_key


class Leaf:
    """The end of a path: what the function returned there."""

    __slots__ = ("hits", "is_audited", "news", "number", "result")

    def __init__(self, number: int, result: Any) -> None:
        self.number = number
        self.result = result
        self.hits = 0
        self.is_audited = False
        # Per outcome of an action, how many states were first met by it.
        self.news = [0] * len(getattr(result, "outcomes", ()))


class Node:
    """One key that is read, and where each value met so far leads."""

    __slots__ = ("branches", "field")

    def __init__(self, field: Field) -> None:
        self.field = field
        self.branches: dict[int, Node | Leaf] = {}


PathRead = list[tuple[Field, int]]


class Function:
    """A recorded function. `name` is how messages call it; `run` is pure and learns the state from `read`."""

    def __init__(self, name: str, run: Callable[[Read], Any]) -> None:
        self.name = name
        self.run = run
        self.root: Node | Leaf | None = None
        self.leaves: list[Leaf] = []
        self.fields: dict[Field, None] = {}
        self.writes: dict[Field, None] = {}
        self.transitions = 0

    def find(self, words: Words) -> Leaf | None:
        """The leaf for a state, or None if no call has been there yet."""
        at = self.root
        while isinstance(at, Node):
            field = at.field
            at = at.branches.get(words[field.word] >> field.shift & field.mask)
        return at

    def record(self, layout: Layout, words: Words) -> Leaf:
        """Call the function in this state and remember the path it took."""
        path, result = self.call(layout, words)
        leaf = Leaf(len(self.leaves), result)
        self._insert(path, leaf)
        self.leaves.append(leaf)
        self.fields.update(dict.fromkeys(field for field, _ in path))
        for outcome in getattr(result, "outcomes", ()):
            self.writes.update(dict.fromkeys(field for field, _ in outcome.changes))
        return leaf

    def call(self, layout: Layout, words: Words) -> tuple[PathRead, Any]:
        """Call the function in this state, without remembering anything."""
        path: PathRead = []
        known: dict[Hashable, Hashable] = {}

        def read(key: Hashable) -> Hashable:
            if key not in known:
                field = layout.field(key)
                code = field.of(words)
                known[key] = field.values[code]
                path.append((field, code))
            return known[key]

        result = self.run(read)
        for field, code in path:
            if not field.is_intact(code):
                raise ModelError(f"{self.name} changed the value of {show_key(field.key)} in place")
        return path, result

    def paths(self) -> Iterator[tuple[PathRead, Leaf]]:
        """Every recorded path with its leaf."""
        stack: list[tuple[PathRead, Node | Leaf | None]] = [([], self.root)]
        while stack:
            path, at = stack.pop()
            if isinstance(at, Leaf):
                yield path, at
            elif at is not None:
                stack.extend(([*path, (at.field, code)], below) for code, below in at.branches.items())

    def nodes(self) -> Iterator[Node]:
        """Every place where the function was seen to read a key."""
        stack = [self.root]
        while stack:
            at = stack.pop()
            if isinstance(at, Node):
                yield at
                stack.extend(at.branches.values())

    def _insert(self, path: PathRead, leaf: Leaf) -> None:
        if not path:
            if self.root is not None:
                raise unsteady(self.name)
            self.root = leaf
            return
        if self.root is None:
            self.root = Node(path[0][0])
        at = self.root
        for depth, (field, code) in enumerate(path):
            if not isinstance(at, Node) or at.field is not field:
                raise unsteady(self.name)
            if depth == len(path) - 1:
                if code in at.branches:
                    raise unsteady(self.name)
                at.branches[code] = leaf
                return
            following = at.branches.get(code)
            if following is None:
                following = at.branches[code] = Node(path[depth + 1][0])
            at = following
