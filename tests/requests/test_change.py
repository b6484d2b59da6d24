"""Cancel and delete: one call is one or a few inputs, and step says whether they may be."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.cells import Kind
from dhruva.decide.errors import ErrorCode
from dhruva.ids import TaskStatus
from dhruva.inputs import Cancel, Delete, Unlink, Wake
from dhruva.requests import (
    Fault,
    Invalid,
    LinkTo,
    Refusal,
    around,
    cancel,
    code_of,
    delete,
    reexecute,
)
from tests.requests.worlds import PROCESS, SCOPE, World, define, random_tree, uid

FIXED = Random(5)
NOWHERE = uid(999)
UNKNOWN = Refusal((Invalid(Fault.UNKNOWN_TASK, NOWHERE, "id", (NOWHERE,)),))


def chain_of_three() -> World:
    """2 needs 1, 3 needs 2; all completed, nothing left to do."""
    world = World()
    world.create([define(1), define(2, (1,), 1), define(3, (2,), 1)])
    world.finish(FIXED)
    return world


@pytest.mark.cites("LIF-18a")
def test_what_is_not_there_is_not_found() -> None:
    world = World()
    assert cancel(NOWHERE, world.known) == UNKNOWN
    assert delete(NOWHERE, world.known, world.links) == UNKNOWN
    assert reexecute(NOWHERE, world.known, around(world.cells.get)) == UNKNOWN
    assert UNKNOWN.code == ErrorCode.NOT_FOUND


@pytest.mark.cites("LIF-8a", "LIF-8g", "LIF-15c")
def test_cancel_is_one_input_and_the_second_one_is_refused() -> None:
    world = World()
    made = world.create([define(1)])
    asked = cancel(uid(1), world.known)
    assert asked == (Cancel(made.ids[uid(1)]),)
    assert world.apply(asked) is None
    assert world.task(1).status == TaskStatus.CANCELLED
    refused = world.apply(asked)
    assert refused is not None
    assert code_of(refused) == ErrorCode.INVALID_TRANSITION


@pytest.mark.cites("LIF-20", "LIF-20a")
def test_delete_takes_the_links_away_first() -> None:
    world = World()
    ids = world.create([define(1), define(2, (), 1), define(3, (2, 1), 1)]).ids
    asked = delete(uid(3), world.known, world.links)
    assert asked == (
        Unlink(ids[uid(3)], ids[uid(1)], 1),
        Unlink(ids[uid(3)], ids[uid(2)], 1),
        Delete(ids[uid(3)]),
    )
    assert world.apply(asked) is None
    assert world.known(uid(3)) is None
    assert (world.task(1).children, world.task(1).dependents, world.task(2).dependents) == (1, 0, 0)
    assert not [key for key in world.cells if ids[uid(3)] in key]


@pytest.mark.cites("LIF-20b", "LIF-18c")
def test_a_task_with_children_dependents_or_a_body_is_not_deleted() -> None:
    world = World()
    world.create([define(1), define(2, (), 1), define(3, (2,), 1)])
    assert world.apply((Wake(SCOPE, PROCESS),)) is None
    assert world.apply((Wake(SCOPE, PROCESS),)) is None
    world.create([define(4, (), 3)])
    for number in (1, 2, 3):  # runs; runs and has a dependent; has a child
        before = dict(world.cells)
        asked = delete(uid(number), world.known, world.links)
        assert not isinstance(asked, Refusal)
        refused = world.apply(asked)
        assert refused is not None
        assert code_of(refused) == ErrorCode.CANNOT_DELETE
        assert world.cells == before


@pytest.mark.cites("LIF-20")
def test_wrong_facts_delete_nothing() -> None:
    world = chain_of_three()
    before = dict(world.cells)
    wrong: list[list[LinkTo]] = [[], [LinkTo(world.ids[uid(1)], 1)], [LinkTo(world.ids[uid(2)], 7)]]
    for links in wrong:
        asked = delete(uid(3), world.known, {world.ids[uid(3)]: links}.__getitem__)
        assert not isinstance(asked, Refusal)
        refused = world.apply(asked)
        assert refused is not None
        assert code_of(refused) == ErrorCode.CANNOT_DELETE
        assert world.cells == before


@pytest.mark.cites("LIF-20a")
@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=True), st.integers(1, 7))
def test_a_tree_can_be_deleted_from_its_leaves(random: Random, size: int) -> None:
    """Whatever had happened before, once no body runs; and then nothing of the tasks is left."""
    world = World()
    tree = random_tree(random, size)
    world.create(tree)
    for _ in range(random.randrange(4 * size)):
        world.disturb(random)
    world.finish(random)
    left = {task.id for task in tree}
    while left:
        gone = set()
        for id_ in random.sample(sorted(left), len(left)):
            asked = delete(id_, world.known, world.links)
            assert not isinstance(asked, Refusal)
            if world.apply(asked) is None:
                gone.add(id_)
        assert gone
        left -= gone
        world.counts_are_right(settled=False)
    world.drain(random, wake=True)
    assert {key[0] for key in world.cells} == {Kind.SCOPE, Kind.POLICY}
