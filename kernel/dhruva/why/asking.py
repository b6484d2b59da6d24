"""The cells and rules of one kernel, to be asked. Whatever is tried here is thrown away: nothing changes."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from dhruva.cells import Key, Read
from dhruva.ids import TaskId
from dhruva.walk import Book, Walk
from dhruva.why.answer import NAMED_MAX, Way, Who

Links = Callable[[TaskId], Iterable[tuple[TaskId, int]]]
"""The links of a task to what it depends on: each as (on, number), the cell (LINK, on, number).

A task's cell counts its dependencies and does not name them; whoever keeps its definition can.
"""


class Asking:
    """One question: `walk` reads cells and asks guards; `accepts` asks a whole rule."""

    __slots__ = ("_book", "_read", "links", "walk")

    def __init__(self, book: Book, read: Read, links: Links) -> None:
        self._book, self._read, self.links = book, read, links
        self.walk = Walk(book, read)

    def cell(self, key: Key) -> Any:
        return self.walk.get(key)

    def accepts(self, given: Any) -> bool:
        """Whether `step` would accept this input: its own rule is asked, on a walk of its own."""
        return self._book.rules[type(given)](Walk(self._book, self._read), given) is None

    def ways(self, *offered: tuple[Any, Who]) -> tuple[Way, ...]:
        """Of these, the ones that are accepted now."""
        return tuple(Way(given, who) for given, who in offered if self.accepts(given))


def named(keys: Iterable[Key]) -> tuple[tuple[Key, ...], int]:
    """The first few of them, and how many more there are."""
    every = list(keys)
    return tuple(every[:NAMED_MAX]), max(0, len(every) - NAMED_MAX)


def linked(first: Any, onward: Callable[[Any], Any]) -> Iterator[Any]:
    """The first few of a list of cells."""
    here, left = first, NAMED_MAX
    while here is not None and left > 0:
        yield here
        here, left = onward(here), left - 1
