"""What can be wrong with a model, said so that its author can mend it.

No mistake in a model file may end in a bare traceback: every engine turns what it meets into a
ModelError that names the action or property and, once the search knows the way there, the trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dhruva.explore.replay import Trace


class Move(NamedTuple):
    """One step of a path: which action (by its position in the model), and which of its outcomes."""

    action: int
    choice: int


Path = tuple[Move, ...]


class ModelError(Exception):
    """The model itself is wrong. `path` leads to the state in which that was noticed, where there is one."""

    def __init__(self, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.trace: Trace | None = None

    def __str__(self) -> str:
        if self.trace is None:
            return self.message
        return f"{self.message}\nnoticed in the state at the end of:\n{self.trace.story()}"


def unbounded(cell: str, values: int) -> ModelError:
    """The error for a cell that keeps taking new values."""
    return ModelError(
        f"cell {cell} has had {values:,} different values: it seems to grow without bound; "
        "let the supply run out instead (`if n == limit: return None`)"
    )


class UsageError(ModelError):
    """The request is wrong: no such file, no such bound, a model that cannot be built."""


class EngineError(Exception):
    """The explorer contradicts itself: a defect of the explorer, never of the model."""
