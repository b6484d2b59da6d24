"""The checks of a tree: each planted fault is named, all at once, whatever the order of tasks."""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.ids import OwnerId, TaskId, TaskStatus
from dhruva.records import DependsOn, Origin, TaskDefinition
from dhruva.requests import Created, Fault, Invalid, Known, Refusal, create
from tests.requests.worlds import define, facts, random_tree, uid

OLD = 900
EXISTING = {
    uid(OLD): Known(TaskId(OwnerId(7)), TaskStatus.PENDING),
    uid(OLD + 1): Known(TaskId(OwnerId(8)), TaskStatus.COMPLETED),
}
NOWHERE = 999


def refused(*tasks: TaskDefinition, known: dict[UUID, Known] = EXISTING) -> tuple[Invalid, ...]:
    answer = create(tasks, facts(known))
    assert isinstance(answer, Refusal), answer
    return answer.errors


def selfish(number: int) -> dict[str, Any]:
    """A dependency on oneself, which a definition does not let through: as plain fields."""
    own = (DependsOn(id=uid(number)),)
    return {"id": uid(number), "name": "selfish", "executor": "load", "dependencies": own}


ONE: list[tuple[list[Any], Invalid]] = [
    ([], Invalid(Fault.NO_TASK, None, "tasks", ())),
    ([define(OLD)], Invalid(Fault.KNOWN_ID, uid(OLD), "id", (uid(OLD),))),
    ([define(1), define(1)], Invalid(Fault.REPEATED_ID, uid(1), "id", (uid(1),))),
    ([define(1), define(1), define(1)], Invalid(Fault.REPEATED_ID, uid(1), "id", (uid(1),))),
    ([define(1, executor="fly")], Invalid(Fault.NO_EXECUTOR, uid(1), "executor", ("fly",))),
    ([selfish(1)], Invalid(Fault.SELF_DEPENDENCY, uid(1), "dependencies", (uid(1),))),
    (
        [define(1, needs=(NOWHERE,))],
        Invalid(Fault.UNKNOWN_DEPENDENCY, uid(1), "dependencies", (uid(NOWHERE),)),
    ),
    (
        [define(1), define(2, (1, 3), 1), define(3, (2,), 1)],
        Invalid(Fault.DEPENDENCY_CYCLE, uid(2), "dependencies", (uid(2), uid(3))),
    ),
    ([define(1, parent=NOWHERE)], Invalid(Fault.UNKNOWN_PARENT, uid(1), "parent", (uid(NOWHERE),))),
    (
        [define(1), define(2, parent=NOWHERE)],
        Invalid(Fault.UNKNOWN_PARENT, uid(2), "parent", (uid(NOWHERE),)),
    ),
    ([define(1, parent=1)], Invalid(Fault.PARENT_CYCLE, uid(1), "parent", (uid(1),))),
    (
        [define(9), define(1, parent=3), define(2, parent=1), define(3, parent=2), define(4, parent=3)],
        Invalid(Fault.PARENT_CYCLE, uid(1), "parent", (uid(1), uid(3), uid(2))),
    ),
    ([define(2), define(1)], Invalid(Fault.SEVERAL_ROOTS, None, "parent", (uid(1), uid(2)))),
    (
        [define(1), define(2, parent=OLD), define(3, parent=2)],
        Invalid(Fault.SEVERAL_ROOTS, None, "parent", (uid(1), uid(2))),
    ),
    (
        [define(1, origin=Origin.COPY, original=uid(NOWHERE))],
        Invalid(Fault.UNKNOWN_ORIGINAL, uid(1), "original", (uid(NOWHERE),)),
    ),
    *[
        (
            [define(1, origin=origin, original=uid(OLD))],
            Invalid(Fault.ORIGINAL_NOT_COMPLETED, uid(1), "original", (uid(OLD), TaskStatus.PENDING)),
        )
        for origin in (Origin.LINK, Origin.ARCHIVE)
    ],
]


@pytest.mark.cites("LIF-17", "LIF-17f", "LIF-17g", "LIF-12b", "LIF-18d")
@pytest.mark.parametrize(("tasks", "error"), ONE, ids=lambda item: getattr(item, "fault", ""))
def test_one_fault_is_one_error(tasks: list[TaskDefinition], error: Invalid) -> None:
    assert refused(*tasks) == (error,)


FINE = [
    [define(1, needs=(OLD,))],
    [define(1, parent=OLD), define(2, parent=1)],
    [define(1, needs=(2,)), define(2, parent=1)],  # waits for its child
    [define(1), define(2, needs=(1,), parent=1)],  # waits for its parent
    [define(1, origin=Origin.COPY, original=uid(OLD))],
    [define(1, origin=Origin.LINK, original=uid(OLD + 1))],
    [define(1, origin=Origin.ARCHIVE, original=uid(OLD + 1))],
]


@pytest.mark.cites("LIF-17b", "LIF-12a", "LIF-12b")
@pytest.mark.parametrize("tasks", FINE)
def test_what_exists_may_be_named(tasks: list[TaskDefinition]) -> None:
    assert isinstance(create(tasks, facts(EXISTING)), Created)


class Planting(NamedTuple):
    """A fault put into a good tree with numbers of its own, and the error that must name it."""

    tasks: Callable[[int, int], list[TaskDefinition]]  # the root, the first free number
    error: Callable[[int], Invalid]


def _ids(*numbers: int) -> tuple[Any, ...]:
    return tuple(uid(number) for number in numbers)


PLANTINGS = [
    Planting(
        lambda root, n: [define(n, parent=root, needs=(NOWHERE,))],
        lambda n: Invalid(Fault.UNKNOWN_DEPENDENCY, uid(n), "dependencies", _ids(NOWHERE)),
    ),
    Planting(
        lambda _, n: [define(n, parent=NOWHERE)],
        lambda n: Invalid(Fault.UNKNOWN_PARENT, uid(n), "parent", _ids(NOWHERE)),
    ),
    Planting(
        lambda root, n: [define(n, (n + 1,), root), define(n + 1, (n + 2,), root), define(n + 2, (n,), root)],
        lambda n: Invalid(Fault.DEPENDENCY_CYCLE, uid(n), "dependencies", _ids(n, n + 1, n + 2)),
    ),
    Planting(
        lambda _, n: [define(n, parent=n + 1), define(n + 1, parent=n)],
        lambda n: Invalid(Fault.PARENT_CYCLE, uid(n), "parent", _ids(n, n + 1)),
    ),
    Planting(
        lambda root, n: [define(n, parent=root)] * 2,
        lambda n: Invalid(Fault.REPEATED_ID, uid(n), "id", _ids(n)),
    ),
    Planting(
        lambda root, n: [define(n, parent=root, executor="fly")],
        lambda n: Invalid(Fault.NO_EXECUTOR, uid(n), "executor", ("fly",)),
    ),
    Planting(
        lambda root, n: [define(n, parent=root, origin=Origin.LINK, original=uid(OLD))],
        lambda n: Invalid(Fault.ORIGINAL_NOT_COMPLETED, uid(n), "original", (uid(OLD), TaskStatus.PENDING)),
    ),
    Planting(
        lambda root, n: [
            TaskDefinition.model_construct(
                **dict(define(n, parent=root)) | {"dependencies": (DependsOn(id=uid(n)),)}
            )
        ],
        lambda n: Invalid(Fault.SELF_DEPENDENCY, uid(n), "dependencies", _ids(n)),
    ),
]


@pytest.mark.cites("LIF-17", "LIF-17f", "LIF-17g")
@settings(max_examples=200, deadline=None)
@given(
    st.randoms(use_true_random=False),
    st.integers(1, 12),
    st.lists(st.sampled_from(PLANTINGS), min_size=1, max_size=8),
)
def test_every_planted_fault_is_reported_and_nothing_else(
    random: Random, size: int, planted: list[Planting]
) -> None:
    tree = random_tree(random, size)
    assert isinstance(create(tree, facts(EXISTING)), Created)
    (root,) = (task for task in tree if task.parent is None)
    number = next(n for n in range(1, size + 1) if uid(n) == root.id)
    expected = set()
    for place, planting in enumerate(planted):
        free = 100 + 10 * place
        tree += planting.tasks(number, free)
        expected.add(planting.error(free))
    random.shuffle(tree)
    found = refused(*tree)
    assert set(found) == expected
    assert len(found) == len(expected)
    random.shuffle(tree)
    assert refused(*tree) == found


@pytest.mark.cites("LIF-17g")
@settings(max_examples=200, deadline=None)
@given(st.integers(2, 9), st.data())
def test_equal_graphs_have_equal_reports(size: int, data: st.DataObject) -> None:
    """Any dependencies at all, cycles across cycles: neither tasks nor dependencies are read in order."""
    numbers = range(1, size + 1)
    needs = [data.draw(st.sets(st.sampled_from([n for n in numbers if n != own]))) for own in numbers]
    parents = [None, *(data.draw(st.integers(1, size)) for _ in range(size - 1))]
    random = data.draw(st.randoms(use_true_random=False))

    def tree() -> list[TaskDefinition]:
        shuffled = [
            define(own, random.sample(sorted(need), len(need)), parent)
            for own, need, parent in zip(numbers, needs, parents, strict=True)
        ]
        return random.sample(shuffled, size)

    first, second = create(tree(), facts()), create(tree(), facts())
    if isinstance(first, Refusal):
        assert first == second
    else:
        assert isinstance(second, Created)


@pytest.mark.cites("LIF-17g")
@pytest.mark.parametrize("chain", [10_000, 100_000])
def test_long_chains_are_read_without_recursion(chain: int) -> None:
    tree = [define(n, (n - 1,) if n > 1 else (), n - 1 if n > 1 else None) for n in range(chain, 0, -1)]
    made = create(tree, facts())
    assert isinstance(made, Created)
    assert len(made.inputs) == 2 * chain - 1


@pytest.mark.cites("LIF-17g")
def test_a_cycle_of_ten_thousand_is_named_as_a_whole() -> None:
    size = 10_000
    tree = [define(n, (n % size + 1,), 1 if n > 1 else None) for n in range(1, size + 1)]
    (error,) = refused(*tree, known={})
    assert error == Invalid(Fault.DEPENDENCY_CYCLE, uid(1), "dependencies", _ids(*range(1, size + 1)))
    knot = [define(n, parent=n % size + 1) for n in range(1, size + 1)]
    (error,) = refused(*knot, known={})
    assert (error.fault, len(error.values)) == (Fault.PARENT_CYCLE, size)
