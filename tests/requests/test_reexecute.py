"""Re-execution: which tasks are reset, in which order, and that nothing starts in the midst of it."""

from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.cells import FollowUp, Kind
from dhruva.decide.errors import ErrorCode
from dhruva.ids import ENDED, TaskId, TaskStatus
from dhruva.inputs import Cancel, Fail, Recall, Reset, Stopped, Succeed, Wake
from dhruva.requests import (
    Plan,
    Skip,
    Skipped,
    Standing,
    around,
    code_of,
    reexecute,
)
from dhruva.step import kernel
from dhruva.table import Refused
from dhruva.walk import Settings
from tests.requests.worlds import PROCESS, SCOPE, World, define, random_tree, uid

FIXED = Random(5)


def planned(world: World, id_: UUID, cascade: bool = True, cancelled: bool = False) -> Plan:
    plan = reexecute(id_, world.known, around(world.cells.get, cancelled=cancelled), cascade)
    assert isinstance(plan, Plan)
    return plan


def resets(plan: Plan) -> list[TaskId]:
    return [given.task for given in plan.inputs if isinstance(given, Reset)]


def chain_of_three() -> World:
    """2 needs 1, 3 needs 2; all completed, nothing left to do."""
    world = World()
    world.create([define(1), define(2, (1,), 1), define(3, (2,), 1)])
    world.finish(FIXED)
    return world


# --- re-execution: the plan


def follow(kind: FollowUp, task: TaskId) -> tuple[Any, ...]:
    return (Kind.FOLLOW, kind, task)


@pytest.mark.cites("LIF-10b", "LIF-10c", "LIF-10d")
def test_the_plan_of_a_chain() -> None:
    world = chain_of_three()
    one, two, three = (world.ids[uid(number)] for number in (1, 2, 3))
    recall, reset = FollowUp.RECALL, FollowUp.RESET
    assert planned(world, uid(1)) == Plan(
        (
            Recall(one, None),
            Recall(two, follow(recall, one)),
            Recall(three, follow(recall, two)),
            Reset(three, follow(recall, three)),
            Reset(two, follow(reset, three)),
            Reset(one, follow(reset, two)),
        ),
        (),
    )
    assert planned(world, uid(1), cascade=False) == Plan(
        (Recall(one, None), Reset(one, follow(recall, one))), ()
    )


@pytest.mark.cites("LIF-10f", "LIF-10c", "LIF-9c", "LIF-9d")
def test_without_the_cascade_direct_dependents_still_count_it_as_unmet() -> None:
    world = chain_of_three()
    assert world.apply(planned(world, uid(1), cascade=False).inputs) is None
    world.drain(FIXED)
    assert [world.task(number).status for number in (1, 2, 3)] == ["pending", "completed", "completed"]
    assert [world.task(number).unmet for number in (1, 2, 3)] == [0, 1, 0]
    assert [world.task(number).run for number in (1, 2, 3)] == [2, 1, 1]
    world.finish(FIXED)
    assert [world.task(number).unmet for number in (1, 2, 3)] == [0, 0, 0]


STANDS: list[tuple[str, Standing, list[type]]] = [
    ("pending", Standing(TaskStatus.PENDING, False), []),
    ("in progress", Standing(TaskStatus.IN_PROGRESS, True), [Wake]),
    ("completed", Standing(TaskStatus.COMPLETED, False), [Wake, Succeed]),
    ("failed", Standing(TaskStatus.FAILED, False), [Wake, Fail]),
    ("cancelled", Standing(TaskStatus.CANCELLED, False), [Cancel]),
    ("cancelled, body runs", Standing(TaskStatus.CANCELLED, True), [Wake, Cancel]),
    ("cancelled, body ended", Standing(TaskStatus.CANCELLED, False), [Wake, Cancel, Stopped]),
]


def brought_to(moves: list[type]) -> World:
    """Task 2 has come this far; it has an optional dependency on task 1, which failed."""
    world = World()
    world.create([define(1)])
    world.drain(FIXED, wake=True)
    (ref,) = world.bodies()
    assert world.apply((Fail(ref),)) is None
    world.drain(FIXED)
    world.create([define(2, (), 1, dependencies=({"id": uid(1), "required": False},))])
    for move in moves:
        given_to: dict[type, tuple[Any, ...]] = {Wake: (SCOPE, PROCESS), Cancel: (world.ids[uid(2)],)}
        assert world.apply((move(*given_to.get(move, world.bodies())),)) is None
    return world


@pytest.mark.cites("LIF-9b", "LIF-10g", "LIF-8e")
@pytest.mark.parametrize(("completed", "cancelled"), list(product((True, False), repeat=2)))
@pytest.mark.parametrize(
    ("_", "stands", "moves"), STANDS, ids=lambda item: item if isinstance(item, str) else ""
)
def test_a_dependent_is_reset_exactly_if_step_would_accept_it(
    _: str, stands: Standing, moves: list[type], completed: bool, cancelled: bool
) -> None:
    world = brought_to(moves)
    world.step = kernel(settings=Settings(reexecute_completed=completed, reexecute_cancelled=cancelled))
    facts = around(world.cells.get, completed, cancelled)
    task = world.ids[uid(2)]
    assert facts.standing(task) == stands
    accepted = not isinstance(world.step(world.cells.get, Reset(task, None)), Refused)
    plan = reexecute(uid(1), world.known, facts)
    assert isinstance(plan, Plan)
    assert (task in resets(plan)) == accepted
    skipped = () if accepted or stands.status == TaskStatus.PENDING else (task,)
    assert tuple(skip.task for skip in plan.skipped) == skipped
    assert all((skip.reason == Skip.RUNS) == stands.alive for skip in plan.skipped)
    assert world.apply(plan.inputs) is None
    alone = reexecute(uid(2), world.known, facts)
    assert isinstance(alone, Plan)
    if not accepted:
        assert resets(alone) == [task]
        assert world.apply(alone.inputs) is not None


@pytest.mark.cites("LIF-10a", "LIF-10g")
def test_the_walk_goes_on_through_what_is_skipped_and_what_is_pending() -> None:
    """1 <- 2 cancelled <- 3 completed, and 1 <- 4 pending again <- 5 completed."""
    world = World()
    optional = ({"id": uid(2), "required": False},)
    world.create(
        [
            define(1),
            define(2, (1,), 1),
            define(3, (), 1, dependencies=optional),
            define(4, (1,), 1),
            define(5, (4,), 1),
        ]
    )
    assert world.apply((Cancel(world.ids[uid(2)]),)) is None
    world.finish(FIXED)
    assert world.apply(planned(world, uid(4), cascade=False).inputs) is None
    world.drain(FIXED)
    assert [world.task(n).status for n in range(1, 6)] == [
        "completed",
        "cancelled",
        "completed",
        "pending",
        "completed",
    ]
    plan = planned(world, uid(1))
    assert plan.skipped == (Skipped(world.ids[uid(2)], Skip.NOT_ENABLED),)
    assert sorted(resets(plan)) == sorted(world.ids[uid(number)] for number in (1, 3, 5))
    assert world.apply(plan.inputs) is None
    world.drain(FIXED)
    assert [world.task(n).status for n in range(1, 6)] == [
        "pending",
        "cancelled",
        "pending",
        "pending",
        "pending",
    ]
    world.counts_are_right(settled=True)


@pytest.mark.cites("LIF-10a", "LIF-10b", "LIF-18b")
def test_a_walk_over_a_task_that_another_walk_resets_is_refused_whole() -> None:
    world = World()
    world.create([define(1), define(2, (), 1), define(3, (1, 2), 1)])
    world.finish(FIXED)
    assert world.apply(planned(world, uid(1)).inputs) is None
    before = dict(world.cells)
    refused = world.apply(planned(world, uid(2)).inputs)
    assert refused is not None
    assert code_of(refused) == ErrorCode.ALREADY_EXECUTING
    assert world.cells == before
    world.finish(FIXED)
    assert world.apply(planned(world, uid(2)).inputs) is None


@pytest.mark.cites("LIF-10a")
def test_a_long_chain_is_walked_without_recursion() -> None:
    size = 50_000
    ended = Standing(TaskStatus.COMPLETED, False)
    world = chain_of_three()
    first = world.ids[uid(1)]
    facts = around(world.cells.get)._replace(
        dependents=lambda task: [TaskId(task + 1)] if task < first + size - 1 else [],  # type: ignore[arg-type]
        standing=lambda _: ended,
    )
    plan = reexecute(uid(1), world.known, facts)
    assert isinstance(plan, Plan)
    assert resets(plan) == list(range(first + size - 1, first - 1, -1))


# --- re-execution: the walk


def expected_resets(world: World, task: TaskId) -> set[TaskId]:
    """The task and its ended dependents, cancelled ones left out, by the words of LIF-10."""
    reached = {task, *world.dependents(task)}
    cells = {reached: world.cells[Kind.TASK, reached] for reached in reached}
    return {t for t, cell in cells.items() if cell.status in (TaskStatus.COMPLETED, TaskStatus.FAILED)}


def lived(random: Random, size: int) -> World:
    """A world in which much has happened, and where something has ended that can be re-executed."""
    world = World()
    world.create(random_tree(random, size))
    if random.random() < 0.7:
        world.finish(random)
        reexecute_something(world, random, cascade=random.random() < 0.3)
    for _ in range(random.randrange(6 * size)):
        world.disturb(random)
    if not reexecutable(world):
        world.finish(random)
    return world


def reexecutable(world: World) -> list[UUID]:
    """Where the whole call would be accepted now."""
    ended = [id_ for id_, task in world.ids.items() if world.cells[Kind.TASK, task].status in ENDED]
    return [id_ for id_ in ended if try_out(world, planned(world, id_)) is None]


def try_out(world: World, plan: Plan) -> Refused | None:
    trial = World(world.step)
    trial.cells = dict(world.cells)
    return trial.apply(plan.inputs)


def reexecute_something(world: World, random: Random, cascade: bool) -> None:
    id_ = random.choice(list(world.ids))
    world.apply(planned(world, id_, cascade).inputs)


@pytest.mark.cites("LIF-9", "LIF-9d", "LIF-10", "LIF-10a", "LIF-10c", "LIF-10d", "LIF-10g", "SHL-3")
@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=True), st.integers(1, 7))
def test_a_cascade_opens_every_ended_dependent_once(random: Random, size: int) -> None:
    world = lived(random, size)
    world.drain(random)
    candidates = reexecutable(world)
    if not candidates:
        return
    id_ = random.choice(candidates)
    before = dict(world.cells)
    plan = planned(world, id_)
    wanted = expected_resets(world, world.ids[id_])
    assert set(resets(plan)) == wanted
    assert len(resets(plan)) == len(wanted)
    assert resets(plan)[-1] == world.ids[id_]
    assert world.apply(plan.inputs) is None
    world.walk = frozenset(wanted)
    world.drain(random)
    for task in world.ids.values():
        was, now = before[Kind.TASK, task], world.cells[Kind.TASK, task]
        if task in wanted:
            assert (now.status, now.run, now.tries) == (TaskStatus.PENDING, was.run + 1, 0)
        else:
            assert (now.status, now.run) == (was.status, was.run)
    skipped = {skip.task for skip in plan.skipped}
    reached = world.dependents(world.ids[id_])
    assert skipped == {t for t in reached - wanted if before[Kind.TASK, t].status != TaskStatus.PENDING}
    world.counts_are_right(settled=True)


@pytest.mark.cites("LIF-3a", "LIF-4", "LIF-10c", "LIF-10e", "SHL-3d")
@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=True), st.integers(2, 7))
def test_nothing_starts_on_a_half_reset_tree(random: Random, size: int) -> None:
    """Handling, starts, ends, cancels and further re-executions in any order; World checks each start."""
    world = lived(random, size)
    for _ in range(random.randrange(1, 10 * size)):
        if random.random() < 0.2:
            reexecute_something(world, random, cascade=random.random() < 0.7)
        world.disturb(random)
        world.counts_are_right(settled=False)
    world.finish(random)
    world.counts_are_right(settled=True)
    for task in world.ids.values():
        cell = world.cells[Kind.TASK, task]
        assert cell.status in ENDED or cell.unmet > 0, "nothing that could run was forgotten"


def small_world() -> World:
    """1 <- 2 <- 3 completed, and 4, which needs 2, about to start."""
    world = chain_of_three()
    world.create([define(4, (2,), 1)])
    return world


def every_interleaving(world: World) -> int:
    """Every order of handling, starting and ending; World checks each step. The number of states."""
    seen: set[frozenset[Any]] = set()
    left = [world.cells]
    while left:
        cells = left.pop()
        state = frozenset(cells.items())
        if state in seen:
            continue
        seen.add(state)
        world.cells = cells
        if not world.follow_ups() and not world.bodies():
            world.counts_are_right(settled=True)
        for event in (*world.follow_ups(), *map(Succeed, world.bodies())):
            world.cells = dict(cells)
            if world.apply((event,)) is None:
                left.append(world.cells)
    return len(seen)


@pytest.mark.cites("LIF-10", "LIF-10d", "LIF-10e", "SHL-3d")
def test_every_interleaving_of_a_small_cascade() -> None:
    world = small_world()
    plan = planned(world, uid(1))
    world.walk = frozenset(resets(plan))
    assert world.apply(plan.inputs) is None
    assert every_interleaving(world) > 100
    assert world.starts > 4


def unchained(plan: Plan) -> list[Any]:
    return [given_._replace(after=None) for given_ in plan.inputs]


def without_recalls(plan: Plan) -> list[Any]:
    return [given_ for given_ in plan.inputs if isinstance(given_, Reset)]


def task_first(plan: Plan) -> list[Any]:
    """Recalls as they are, resets in the opposite order."""
    half = len(plan.inputs) // 2
    after, wrong = plan.inputs[half].after, []
    for given_ in reversed(plan.inputs[half:]):
        wrong.append(Reset(given_.task, after))
        after = follow(FollowUp.RESET, given_.task)
    return [*plan.inputs[:half], *wrong]


def one_recall_forgotten(plan: Plan) -> list[Any]:
    first, second, *rest = plan.inputs
    return [first, rest[0]._replace(after=second.after), *rest[1:]]


@pytest.mark.cites("LIF-10")
@pytest.mark.parametrize("fault", [unchained, without_recalls, task_first, one_recall_forgotten])
def test_a_plan_with_a_fault_is_seen(fault: Callable[[Plan], list[Any]]) -> None:
    world = small_world()
    plan = planned(world, uid(1))
    world.walk = frozenset(resets(plan))
    assert world.apply(fault(plan)) is None
    with pytest.raises(AssertionError):
        every_interleaving(world)
