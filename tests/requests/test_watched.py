"""Re-execution of a task that an instance waits for, or did. Each was a fault once."""

import pytest

from dhruva.cells import FollowUp, Kind
from dhruva.ids import InstanceId, TaskId, TaskStatus, Version
from dhruva.inputs import Handle, SliceWaits, StartInstance, Succeed, Wake
from dhruva.machines.instance import InstanceState, WaitKind
from dhruva.requests import Plan, around, reexecute
from tests.requests.worlds import PROCESS, SCOPE, World, define, uid

INSTANCE = InstanceId(3)


def handle(world: World, *kinds: FollowUp) -> None:
    """All of each follow-up of the first task, if there is any."""
    for kind in kinds:
        while (Kind.FOLLOW, kind, one(world)) in world.cells:
            assert world.apply((Handle((Kind.FOLLOW, kind, one(world))),)) is None


def one(world: World) -> TaskId:
    return world.ids[uid(1)]


def watch(world: World) -> None:
    waits = SliceWaits(INSTANCE, Version(0), WaitKind.TASK, task=one(world))
    assert world.apply((StartInstance(INSTANCE), waits)) is None


def run(world: World) -> None:
    """The first task runs and completes."""
    assert world.apply((Wake(SCOPE, PROCESS),)) is None
    (ref,) = world.bodies()
    assert world.apply((Succeed(ref),)) is None


def ask(world: World) -> None:
    plan = reexecute(uid(1), world.known, around(world.cells.get))
    assert isinstance(plan, Plan)
    assert world.apply(plan.inputs) is None


def recalled() -> World:
    """1 completed and was recalled to be reset; 2 needs it and is pending; now an instance waits for 1."""
    world = World()
    world.create([define(1)])
    run(world)
    handle(world, FollowUp.TELL)
    world.create([define(2, (1,), 1)])
    ask(world)
    handle(world, FollowUp.RECALL)
    watch(world)
    return world


@pytest.mark.cites("LIF-10b", "LIF-10c")
def test_the_world_that_was_recalled() -> None:
    world = recalled()
    assert (world.task(1).status, world.task(2).unmet) == (TaskStatus.COMPLETED, 1)
    assert world.is_half_reset(one(world))
    assert world.cells[Kind.INSTANCE, INSTANCE].state == InstanceState.WAITING


@pytest.mark.cites("LIF-10c", "LIF-10e")
def test_who_was_recalled_is_not_told_of_the_old_run() -> None:
    world = recalled()
    handle(world, FollowUp.TELL)
    assert world.task(2).unmet == 1


@pytest.mark.cites("WFL-7", "LIF-9d")
def test_an_instance_is_not_told_of_an_end_that_was_taken_back() -> None:
    world = recalled()
    handle(world, FollowUp.RESET)
    handle(world, FollowUp.TELL)
    assert world.cells[Kind.INSTANCE, INSTANCE].state == InstanceState.WAITING


@pytest.mark.cites("WFL-7", "LIF-9d", "SHL-3d")
def test_a_late_cancel_of_a_task_that_was_left_does_not_cancel_its_next_run() -> None:
    world = World()
    world.create([define(1)])
    watch(world)
    run(world)
    handle(world, FollowUp.TELL)
    ask(world)
    handle(world, FollowUp.RECALL, FollowUp.RESET)
    handle(world, FollowUp.CANCEL_TASK)
    assert world.task(1).status == TaskStatus.PENDING
