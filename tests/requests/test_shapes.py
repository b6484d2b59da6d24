"""Bad fields are all reported, and a task with bad fields keeps its place in the tree."""

from typing import Any
from uuid import UUID

import pytest

from dhruva.records import DependsOn, Origin, TaskDefinition
from dhruva.requests import Fault, Invalid, Refusal, create
from dhruva.requests.shapes import Shape, outline
from tests.requests.worlds import define, facts, uid


def fields(number: int, **more: Any) -> dict[str, Any]:
    return {"id": uid(number), "name": f"task {number}", "executor": "load"} | more


def refused(*given: Any) -> tuple[Invalid, ...]:
    answer = create(given, facts())
    assert isinstance(answer, Refusal), answer
    return answer.errors


@pytest.mark.cites("LIF-17")
def test_fields_and_definitions_have_the_same_shape() -> None:
    whole = define(2, needs=(1,), parent=1, origin=Origin.LINK, original=uid(9))
    plain = {name: getattr(whole, name) for name in TaskDefinition.model_fields}
    assert outline([plain]) == outline([whole])
    assert outline([whole]).shapes == (Shape(uid(2), uid(1), True, (uid(1),), Origin.LINK, uid(9), "load"),)


VERSION_1 = UUID("c232ab00-9414-11ec-b3c8-9f6bdeced846")
BAD: list[tuple[dict[str, Any], str, Any]] = [
    ({"name": ""}, "name", ""),
    ({"name": "n" * 256}, "name", "n" * 256),
    ({"priority": 4}, "priority", 4),
    ({"priority": -1}, "priority", -1),
    ({"executor": 3}, "executor", 3),
    ({"inputs": [1]}, "inputs", [1]),
    ({"colour": "red"}, "colour", "red"),
    ({"parent": "no id"}, "parent", "no id"),
    ({"dependencies": 7}, "dependencies", 7),
    ({"dependencies": ({"id": 7},)}, "dependencies.0.id", 7),
    ({"retry": {"max_attempts": 0}}, "retry.max_attempts", 0),
    ({"dispatch": {"spawn_budget": -1, "max_retry_depth": 0}}, "dispatch.spawn_budget", -1),
    ({"original": "no id"}, "original", "no id"),
    ({"original": "no id", "origin": Origin.COPY}, "original", "no id"),
    ({"origin": "copy", "original": uid(9)}, "origin", "copy"),
]


@pytest.mark.cites("LIF-17", "LIF-17a", "LIF-17c", "LIF-17g")
@pytest.mark.parametrize(("bad", "field", "value"), BAD, ids=lambda item: str(item)[:24])
def test_a_bad_field_is_named_with_its_value(bad: dict[str, Any], field: str, value: Any) -> None:
    assert refused(fields(1, **bad)) == (Invalid(Fault.BAD_FIELD, uid(1), field, (value,)),)


@pytest.mark.cites("LIF-17a", "LIF-17f")
def test_a_task_without_a_usable_id_is_named_by_its_place() -> None:
    nameless = {"name": "load", "executor": "load", "priority": 9}
    found = refused(fields(1), nameless, {**fields(2), "id": "two"}, 7)
    assert [(error.task, error.field, error.values) for error in found] == [
        (None, "tasks[1].id", ()),
        (None, "tasks[1].priority", (9,)),
        (None, "tasks[2].id", ("two",)),
        (None, "tasks[3]", (7,)),
    ]


@pytest.mark.cites("LIF-17a")
def test_an_id_of_another_version_is_bad_and_still_found_by_its_dependents() -> None:
    odd = fields(1, id=VERSION_1)
    child = fields(2, dependencies=({"id": VERSION_1},), parent=VERSION_1)
    found = {(error.task, error.field) for error in refused(odd, child)}
    assert found == {(VERSION_1, "id"), (uid(2), "dependencies.0.id"), (uid(2), "parent")}


@pytest.mark.cites("LIF-17f", "LIF-17g")
def test_bad_fields_and_faults_of_the_tree_come_in_one_report() -> None:
    """The cycle runs through a task that has bad fields; the parent that cannot be read is no root."""
    first = fields(
        1, priority=9, dependencies=(DependsOn(id=uid(2)), DependsOn(id=uid(1))), origin=Origin.COPY
    )
    second = fields(2, name="", dependencies=({"id": uid(1)}, {"id": uid(5)}), parent=uid(1))
    third = fields(3, parent=0, executor="fly")
    assert [(error.fault, error.task, error.field) for error in refused(first, second, third)] == [
        (Fault.BAD_FIELD, uid(1), "priority"),
        (Fault.BAD_FIELD, uid(2), "name"),
        (Fault.BAD_FIELD, uid(3), "parent"),
        (Fault.NO_EXECUTOR, uid(3), "executor"),
        (Fault.ORIGIN_MISFIT, uid(1), "original"),
        (Fault.SELF_DEPENDENCY, uid(1), "dependencies"),
        (Fault.UNKNOWN_DEPENDENCY, uid(2), "dependencies"),
        (Fault.DEPENDENCY_CYCLE, uid(1), "dependencies"),
    ]


@pytest.mark.cites("LIF-17f")
def test_what_a_definition_says_of_several_fields_is_said_by_the_tree() -> None:
    """If records learns another such rule, the report must learn it too: today there are these two."""
    rules = set(TaskDefinition.__pydantic_decorators__.model_validators)
    assert rules == {"_origin_names_its_source", "_dependencies_are_distinct_others"}
    twice = (DependsOn(id=uid(1)), DependsOn(id=uid(1)), DependsOn(id=uid(2)))
    found = refused(fields(1, parent=None), fields(2, parent=uid(1), dependencies=twice, original=uid(1)))
    assert [(error.fault, error.values) for error in found] == [
        (Fault.ORIGIN_MISFIT, (Origin.CREATE, uid(1))),
        (Fault.SELF_DEPENDENCY, (uid(2),)),
        (Fault.REPEATED_DEPENDENCY, (uid(1),)),
    ]
