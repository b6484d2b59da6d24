"""All that can exist in a model, and how claims look at it: through cells, and through what a step said."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from dhruva.cells import Edge, Kind
from dhruva.explore import Read, for_each
from dhruva.explore.forms import Predicate
from dhruva.ids import OwnerId, Ref

CAN_EXECUTE = ("ATTACHED", "RUNNING")
ALIVE = ("INIT", "ATTACHED", "RUNNING", "SUSPENDED")
STREAM_ENDED = ("closed", "aborted")  # a stream that has ended is no longer alive, and stays until let go of
ENDED = ("completed", "failed", "cancelled")
LANES = (0, 2, 4, 6)  # where each lane's first and last stand in a Lanes cell, urgent before low


class Cast(NamedTuple):
    """All that can exist in a model."""

    scopes: tuple[int, ...] = ()
    tasks: tuple[int, ...] = ()
    requests: tuple[int, ...] = ()
    numbers: int = 1  # attempts per owner, at most
    runs: int = 1
    resources: int = 0  # per attempt, at most

    @property
    def owners(self) -> tuple[int, ...]:
        return (*self.tasks, *self.requests)

    @property
    def refs(self) -> tuple[Ref, ...]:
        return tuple(
            Ref(OwnerId(owner), run + 1, number + 1)
            for owner in self.owners
            for run in range(self.runs)
            for number in range(self.numbers)
        )

    def refs_of(self, owner: int) -> tuple[Ref, ...]:
        return tuple(ref for ref in self.refs if ref.owner == owner)


def some(keys: Iterable[Any], holds: Callable[[Read, Any, Any], bool]) -> Callable[[Read], bool]:
    """Whether the cell of some key is there and `holds(read, key, cell)`."""
    found = tuple(keys)
    return lambda read: any((c := read(key)) is not None and holds(read, key, c) for key in found)


def each(keys: Iterable[Any], holds: Callable[[Read, Any, Any], bool]) -> Callable[[Read], bool]:
    """Whether `holds(read, key, cell)` for each key whose cell is there."""
    return for_each(keys, lambda read, key: (c := read(key)) is None or holds(read, key, c))


def no_longer(holds: Predicate) -> Predicate:
    """The opposite."""
    return lambda read: not holds(read)


def named(name: str, of: int, among: tuple[int, ...]) -> str:
    return name if len(among) == 1 else f"{name} ({of})"


def written(change: Any, *kinds: Kind) -> list[tuple[Any, Any]]:
    """Keys and cells of these kinds that a step wrote; `change` is what the action returned."""
    writes = change if isinstance(change, Mapping) else change.writes
    return [(key, cell) for key, cell in writes.items() if key[0] in kinds]


def edges(change: Any, machine: str) -> list[Edge]:
    """The rows of a machine that a step took, those of cells that it made left out."""
    taken = getattr(change, "edges", ())
    return [edge for edge in taken if edge.machine == machine and edge.source is not None]


def effects(change: Any, kind: type) -> list[Any]:
    """What a step wants done outside, of this kind."""
    return [effect for effect in getattr(change, "effects", ()) if isinstance(effect, kind)]


def begun(before: Read, change: Any) -> list[tuple[Ref, Any]]:
    """The attempts that begin with a step."""
    attempts = written(change, Kind.ATTEMPT)
    return [(key[1], cell) for key, cell in attempts if cell is not None and before(key) is None]
