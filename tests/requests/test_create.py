"""A good tree becomes inputs that step accepts, parents first, in the order given."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.cells import Kind
from dhruva.ids import Priority
from dhruva.inputs import CreateTask, Depend
from dhruva.records import DependsOn, Dispatch, RetryPolicy, TaskDefinition
from dhruva.requests import Created, create
from tests.requests.worlds import EXECUTORS, SCOPE, World, define, facts, random_tree, uid


@pytest.mark.cites("LIF-17", "DSP-14", "LIF-14b")
def test_the_fields_of_a_task_become_an_input() -> None:
    task = define(
        1,
        executor="clean",
        priority=0,
        retry=RetryPolicy(max_attempts=5, on_timeout=True),
        dispatch=Dispatch(spawn_budget=6, max_retry_depth=7),
    )
    made = create([task], facts(first_id=40))
    assert isinstance(made, Created)
    (given,) = made.inputs
    assert given == CreateTask(
        task=made.ids[uid(1)],
        scope=SCOPE,
        executor=EXECUTORS["clean"],
        priority=Priority.URGENT,
        parent=None,
        dependencies=0,
        max_attempts=5,
        retry_on_timeout=True,
        budget=6,
        max_depth=7,
    )
    assert made.ids == {uid(1): 40}


@pytest.mark.cites("LIF-14b")
def test_what_is_not_said_has_its_default() -> None:
    made = create([TaskDefinition(id=uid(1), name="load", executor="load")], facts())
    assert isinstance(made, Created)
    (given,) = made.inputs
    assert given == CreateTask(made.ids[uid(1)], SCOPE, EXECUTORS["load"], max_attempts=3)


@pytest.mark.cites("LIF-14d", "ACT-13")
@pytest.mark.parametrize(("retries", "attempts"), [(None, 5), (0, 1), (3, 4)])
def test_a_scope_overrides_the_retries(retries: int | None, attempts: int) -> None:
    made = create([define(1, retry=RetryPolicy(max_attempts=5))], facts(retries=retries))
    assert isinstance(made, Created)
    assert isinstance(made.inputs[0], CreateTask)
    assert made.inputs[0].max_attempts == attempts


@pytest.mark.cites("LIF-6c", "LIF-17b")
def test_the_order_given_is_kept_but_for_parents() -> None:
    made = create([define(4, (2,), 3), define(2, (), 1), define(1), define(3, (1, 2), 1)], facts(first_id=1))
    assert isinstance(made, Created)
    ids = made.ids
    assert [ids[uid(number)] for number in (1, 3, 4, 2)] == [1, 2, 3, 4]
    assert [given.task for given in made.inputs[:4]] == [1, 2, 3, 4]
    assert made.inputs[4:] == (
        Depend(ids[uid(3)], ids[uid(1)]),
        Depend(ids[uid(3)], ids[uid(2)]),
        Depend(ids[uid(4)], ids[uid(2)]),
    )


@pytest.mark.cites("LIF-3a", "LIF-4", "LIF-17")
@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=True), st.integers(1, 12), st.integers(0, 5))
def test_a_random_tree_is_accepted_in_full(random: Random, size: int, more: int) -> None:
    """And so is a second one, below and after tasks that exist and have gone on meanwhile."""
    world = World()
    tree = random_tree(random, size)
    world.create(tree)
    for _ in range(3 * size):
        world.disturb(random)
    later = random_tree(random, more, first=500) if more else []
    for place, task in enumerate(later):
        if task.parent is None:
            outside = random.sample(tree, min(3, size))
            needs = tuple(DependsOn(id=old.id, required=random.random() < 0.5) for old in outside)
            grafted = {"parent": random.choice(tree).id, "dependencies": needs}
            later[place] = task.model_copy(update=grafted)
    if later:
        world.create(later)
    world.counts_are_right(settled=False)
    for task in (*tree, *later):
        spec, cell = world.cells[Kind.SPEC, world.ids[task.id]], world.cells[Kind.TASK, world.ids[task.id]]
        assert spec.dependencies == cell.dependencies == len(task.dependencies)
        assert spec.parent == (None if task.parent is None else world.ids[task.parent])
        assert cell.children == sum(1 for other in (*tree, *later) if other.parent == task.id)
    world.finish(random)
    world.counts_are_right(settled=True)
