"""A world of cells that takes inputs, and watches each step while it does.

`World.give` is the whole of it: step twice, compare, look at what was read and written, apply.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from dhruva.assume import broken
from dhruva.cells import Change, Key, Read
from dhruva.step import Step
from dhruva.step import step as shipped
from dhruva.table import Refused

Cells = dict[Key, Any]


class Seen(NamedTuple):
    """One step and what it touched."""

    given: Any
    answer: Change | Refused
    before: Cells
    after: Cells
    reads: frozenset[Key]

    @property
    def footprint(self) -> frozenset[Key]:
        """Every cell that was read or written."""
        writes = frozenset() if isinstance(self.answer, Refused) else frozenset(self.answer.writes)
        return self.reads | writes


def reader(cells: Cells) -> tuple[Read, set[Key]]:
    """A `read` over these cells, and the set in which it notes what was asked for."""
    asked: set[Key] = set()

    def read(key: Key) -> Any:
        asked.add(key)
        return cells.get(key)

    return read, asked


def applied(cells: Cells, change: Change) -> Cells:
    """The cells after a change."""
    after = cells | {key: cell for key, cell in change.writes.items() if cell is not None}
    return {
        key: cell for key, cell in after.items() if key not in change.writes or change.writes[key] is not None
    }


class World:
    """Cells, and the step that moves them."""

    def __init__(self, step: Step = shipped, cells: Cells | None = None) -> None:
        self.step = step
        self.cells: Cells = dict(cells or {})

    def may(self, given: Any) -> bool:
        """Whether the outside can give this input now."""
        return broken(self.cells.get, given) is None

    def give(self, given: Any) -> Seen:
        """Step once more; a change is applied, a refusal leaves everything as it is."""
        read, asked = reader(self.cells)
        before = self.cells
        answer = self.step(read, given)
        if isinstance(answer, Change):
            self.cells = applied(before, answer)
        return Seen(given, answer, before, self.cells, frozenset(asked))

    def all(self, *inputs: Any) -> "World":
        """Give inputs that must all be accepted."""
        for given in inputs:
            answer = self.give(given).answer
            assert isinstance(answer, Change), f"{given} is refused: {answer}"
        return self


def world_of(step: Step, inputs: Iterable[Any]) -> World:
    """The world after these inputs, each of which must be accepted."""
    return World(step).all(*inputs)
