"""Every reachable state of a model, as worlds to ask `why` in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dhruva.cells import Key, Kind, Read
from dhruva.explore.command import load
from dhruva.explore.reference import Reference
from dhruva.explore.search import Budget, Plan
from dhruva.ids import TaskId
from dhruva.step import BOOK, book, stepping
from dhruva.walk import Book, Settings
from dhruva.why import Why, why

FOLDER = Path(__file__).parents[2] / "models"
REOPENING = book(settings=Settings(reexecute_cancelled=True))
BOOKS = {"task_lifecycle": REOPENING}
"""The rules of a model that does not run on those we ship."""


class World(NamedTuple):
    """One state: its cells, and the rules that they stand under."""

    cells: dict[Key, Any]
    book: Book

    @property
    def read(self) -> Read:
        return self.cells.get

    def links(self, task: TaskId) -> Iterator[tuple[TaskId, int]]:
        for key, cell in self.cells.items():
            if key[0] == Kind.LINK and cell.dependent == task:
                yield key[1], key[2]

    def why(self, key: Key) -> Why:
        return why(self.read, key, self.links, self.book)

    def step(self, given: Any) -> Any:
        return stepping(self.book)(self.read, given)

    def after(self, writes: dict[Key, Any]) -> World:
        cells = {key: cell for key, cell in (self.cells | writes).items() if cell is not None}
        return World(cells, self.book)


class Explored(NamedTuple):
    """All states of a model, and the actions that lead from one to the next."""

    worlds: tuple[World, ...]
    actions: tuple[Any, ...]


def explored(file: str, **bounds: int) -> Explored:
    model = load(FOLDER / f"{file}.py", {name: str(value) for name, value in bounds.items()})
    search = Reference(model, Plan(Budget(), keep_going=True, audit=False))
    search.claims = ()  # they hold: see tests/models
    search.run()
    keys = [key for key in search.cells.place if isinstance(key, tuple)]
    worlds = []
    for state in search.parents:
        read = search.cells.read(state)
        cells = {key: cell for key in keys if (cell := read(key)) is not None}
        worlds.append(World(cells, BOOKS.get(file, BOOK)))
    return Explored(tuple(worlds), tuple(model.actions))
