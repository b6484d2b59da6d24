"""What a tree is made of, as far as it can be read: good definitions, and the outlines of bad ones (LIF-17).

A call brings definitions, or plain fields that are to become definitions. Fields that do not fit are
reported, and all the same the task keeps its place in the tree: whoever depends on it does not depend
on something unknown, and a cycle through it is found in the same report. So a Shape is all that the
checks of a tree look at.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import ValidationError

from dhruva.records import DependsOn, Origin, TaskDefinition
from dhruva.requests.refusals import Fault, Invalid

Given = TaskDefinition | Mapping[str, Any]
"""A definition, or the fields of one, with the types that records has for them."""


class Shape(NamedTuple):
    """The place of one task: what it is called, and which others it names."""

    id: UUID
    parent: UUID | None
    placed: bool  # False: its parent cannot be read, so nobody knows whether it is a root
    dependencies: tuple[UUID, ...]
    origin: Origin | None  # None: it cannot be read
    original: UUID | None
    executor: str | None  # None: it cannot be read


class Outline(NamedTuple):
    """All that could be read of a call. `definitions` has every task in which the checks find no fault."""

    definitions: tuple[TaskDefinition, ...]
    shapes: tuple[Shape, ...]
    errors: tuple[Invalid, ...]


def outline(given: Sequence[Given]) -> Outline:
    definitions: list[TaskDefinition] = []
    shapes: list[Shape] = []
    errors: list[Invalid] = []
    for place, item in enumerate(given):
        if isinstance(item, TaskDefinition):
            definitions.append(item)
            shapes.append(_shape(item))
            continue
        id_ = _uuid(item, "id")
        if id_ is not None:
            shapes.append(_sketch(id_, item))
        try:
            definitions.append(TaskDefinition.model_validate(item))
        except ValidationError as caught:
            errors.extend(_bad_fields(caught, id_, place))
    return Outline(tuple(definitions), tuple(shapes), tuple(errors))


def _shape(of: TaskDefinition) -> Shape:
    needed = tuple([dependency.id for dependency in of.dependencies])
    return Shape(of.id, of.parent, True, needed, of.origin, of.original, of.executor)


def _sketch(id_: UUID, fields: Mapping[str, Any]) -> Shape:
    """What can be read of fields that may not fit."""
    parent, origin = fields.get("parent"), fields.get("origin", Origin.CREATE)
    original, executor = fields.get("original"), fields.get("executor")
    return Shape(
        id=id_,
        parent=_uuid(fields, "parent"),
        placed=parent is None or isinstance(parent, UUID),
        dependencies=tuple(_needed(fields.get("dependencies"))),
        origin=origin if isinstance(origin, Origin) and _is_uuid_or_none(original) else None,
        original=_uuid(fields, "original"),
        executor=executor if isinstance(executor, str) else None,
    )


def _needed(dependencies: object) -> Iterable[UUID]:
    for dependency in dependencies if isinstance(dependencies, tuple) else ():
        id_ = dependency.id if isinstance(dependency, DependsOn) else _uuid(dependency, "id")
        if id_ is not None:
            yield id_


def _uuid(fields: object, name: str) -> UUID | None:
    value = fields.get(name) if isinstance(fields, Mapping) else None
    return value if isinstance(value, UUID) else None


def _is_uuid_or_none(value: object) -> bool:
    return value is None or isinstance(value, UUID)


def _bad_fields(caught: ValidationError, id_: UUID | None, place: int) -> Iterable[Invalid]:
    """Each field that does not fit, by its path.

    What the definition says of fields that do not go together (it names the first of these alone) is left
    out: the checks of the tree say each of them, with its own fault.
    """
    for error in caught.errors(include_url=False, include_context=False):
        path = ".".join(str(part) for part in error["loc"])
        if not path and error["type"] == "value_error":
            continue
        where = path if id_ is not None else f"tasks[{place}]" + (f".{path}" if path else "")
        yield Invalid(Fault.BAD_FIELD, id_, where, () if error["type"] == "missing" else (error["input"],))
