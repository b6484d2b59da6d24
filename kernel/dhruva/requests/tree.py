"""The checks of a tree before it is created: every fault, in linear time (LIF-12, LIF-17)."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from dhruva.ids import TaskId, TaskStatus
from dhruva.records import Origin
from dhruva.requests.cycles import cycles
from dhruva.requests.refusals import Fault, Invalid
from dhruva.requests.shapes import Shape


class Known(NamedTuple):
    """What the store says of a task that exists."""

    task: TaskId
    status: TaskStatus


Lookup = Callable[[UUID], Known | None]
"""The shell's answer to an id that people use, in this transaction; None where there is no such task."""


class Index(NamedTuple):
    """The tasks of a call by number. A task that is given twice has one number.

    Numbers are found by the integer of an id: hash and equality of a UUID are Python code, and slow.
    """

    ids: list[UUID]
    number: dict[int, int]


def faults(shapes: Sequence[Shape], known: Lookup) -> Iterator[Invalid]:
    """All that is wrong with these tasks together."""
    index = _index(shapes)
    yield from _ids(shapes, index, known)
    yield from _origins(shapes, known)
    yield from _parents(shapes, index, known)
    yield from _dependencies(shapes, index, known)


def _index(shapes: Sequence[Shape]) -> Index:
    ids: list[UUID] = []
    number: dict[int, int] = {}
    for shape in shapes:
        if number.setdefault(shape.id.int, len(ids)) == len(ids):
            ids.append(shape.id)
    return Index(ids, number)


def _ids(shapes: Sequence[Shape], index: Index, known: Lookup) -> Iterator[Invalid]:
    if len(index.ids) < len(shapes):
        repeated = _repeated([shape.id for shape in shapes])
        yield from (Invalid(Fault.REPEATED_ID, id_, "id", (id_,)) for id_ in repeated)
    for id_ in index.ids:
        if known(id_) is not None:
            yield Invalid(Fault.KNOWN_ID, id_, "id", (id_,))


def _repeated(ids: Sequence[UUID]) -> list[UUID]:
    """Those that come more than once, each once."""
    if len({id_.int for id_ in ids}) == len(ids):
        return []
    return [id_ for id_, times in Counter(ids).items() if times > 1]


NEEDS_COMPLETED: Final = frozenset({Origin.LINK, Origin.ARCHIVE})


def _origins(shapes: Sequence[Shape], known: Lookup) -> Iterator[Invalid]:
    """What comes from another task names it; a link or an archive needs it completed (LIF-12)."""
    for shape in shapes:
        origin, original = shape.origin, shape.original
        if origin is None or (origin == Origin.CREATE and original is None):
            continue
        if origin == Origin.CREATE or original is None:
            yield Invalid(Fault.ORIGIN_MISFIT, shape.id, "original", (origin, original))
            continue
        source = known(original)
        if source is None:
            yield Invalid(Fault.UNKNOWN_ORIGINAL, shape.id, "original", (original,))
        elif origin in NEEDS_COMPLETED and source.status != TaskStatus.COMPLETED:
            yield Invalid(Fault.ORIGINAL_NOT_COMPLETED, shape.id, "original", (original, source.status))


def _parents(shapes: Sequence[Shape], index: Index, known: Lookup) -> Iterator[Invalid]:
    """One root: a task without a parent, or below a task that exists already.

    A task whose parent is unknown is not counted as a root too: one slip is one fault.
    """
    above: list[list[int]] = [[] for _ in index.ids]
    roots: dict[UUID, None] = {}
    for shape in shapes:
        inside = None if shape.parent is None else index.number.get(shape.parent.int)
        if inside is not None:
            above[index.number[shape.id.int]].append(inside)
        elif shape.parent is not None and known(shape.parent) is None:
            yield Invalid(Fault.UNKNOWN_PARENT, shape.id, "parent", (shape.parent,))
        elif shape.placed:
            roots[shape.id] = None
    yield from _cycles(above, index, Fault.PARENT_CYCLE, "parent")
    if len(roots) > 1:
        yield Invalid(Fault.SEVERAL_ROOTS, None, "parent", tuple(sorted(roots)))


def _dependencies(shapes: Sequence[Shape], index: Index, known: Lookup) -> Iterator[Invalid]:
    needs: list[list[int]] = [[] for _ in index.ids]
    number, field = index.number, "dependencies"
    for shape in shapes:
        if not shape.dependencies:
            continue
        repeated = _repeated(shape.dependencies)
        yield from (Invalid(Fault.REPEATED_DEPENDENCY, shape.id, field, (id_,)) for id_ in repeated)
        own = number[shape.id.int]
        for id_ in dict.fromkeys(shape.dependencies) if repeated else shape.dependencies:
            inside = number.get(id_.int)
            if inside == own:
                yield Invalid(Fault.SELF_DEPENDENCY, shape.id, field, (id_,))
            elif inside is not None:
                needs[own].append(inside)
            elif known(id_) is None:
                yield Invalid(Fault.UNKNOWN_DEPENDENCY, shape.id, field, (id_,))
    yield from _cycles(needs, index, Fault.DEPENDENCY_CYCLE, field)


def _cycles(edges: list[list[int]], index: Index, fault: Fault, field: str) -> Iterator[Invalid]:
    """Each cycle as a whole, under its smallest id."""
    for cycle in cycles(edges, [id_.int for id_ in index.ids]):
        ids = tuple(index.ids[number] for number in cycle)
        yield Invalid(fault, ids[0], field, ids)
