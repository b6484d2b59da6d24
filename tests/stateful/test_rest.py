"""From wherever a walk leads, a friendly outside brings the world to rest: nothing is stuck or left over.

Bodies end, calls are acknowledged, follow-ups are handled, slots are offered. Then every scope is disposed.
"""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from dhruva import inputs as i
from dhruva.cells import Change, EffectKind, FollowUp, Kind
from dhruva.ids import ENDED
from dhruva.machines.resources import HandlerEvent, StreamEvent, WorkerEvent
from dhruva.step import step
from tests.stateful.menu import EXECUTORS, PROCESS, of_kind
from tests.stateful.strategies import Walk, seen_on, walks
from tests.stateful.world import Cells, World

RELAXED = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
PASSING = (Kind.ATTEMPT, Kind.RESOURCE, Kind.REQUEST, Kind.GROUP, Kind.COOPERATIVE, Kind.FOLLOW, Kind.LANES)
"""Kinds of which nothing is left in a world at rest."""


def friendly(world: World) -> list[Any]:
    """Inputs that bring something to its end."""
    cells = world.cells
    found: list[Any] = [
        i.Wake(key[2], PROCESS) if key[1] == FollowUp.WAKE else i.Handle(key)
        for key in of_kind(cells, Kind.FOLLOW)
    ]
    found += [i.Succeed(key[1]) for key in of_kind(cells, Kind.ATTEMPT)]
    for key in of_kind(cells, Kind.RESOURCE):
        found += [i.ResourceEvent(key[1], key[2], event) for event in ENDINGS]
    for key in of_kind(cells, Kind.EFFECT):
        if key[1] == EffectKind.DISPATCH:
            found += [i.Take(key), i.Ack(key)]
    return found


ENDINGS = (
    WorkerEvent.TERMINATE, WorkerEvent.EXITED, HandlerEvent.CANCEL, HandlerEvent.STOPPED, StreamEvent.ABORT,
)  # fmt: skip


def bring_to_rest(world: World) -> None:
    """Give friendly inputs until none is accepted any more."""
    for _ in range(500):
        answers = [world.give(given_).answer for given_ in friendly(world)]
        if not any(isinstance(answer, Change) for answer in answers):
            return
    raise AssertionError(f"it never ends: {friendly(world)}")


def left_over(cells: Cells) -> list[Any]:
    waiting = [key for key in of_kind(cells, Kind.WAITER) if cells[key].executor is None]
    return [*of_kind(cells, *PASSING), *waiting]


@pytest.mark.cites("ACT-11a", "ACT-11e", "ACT-16c", "DSP-12a", "SHL-3c", "SHL-3d")
@given(walks(60))
@RELAXED
def test_every_scope_can_be_disposed_and_leaves_nothing(walk: Walk) -> None:
    world = World(step, last_of(walk))
    for key in of_kind(world.cells, Kind.SCOPE):
        world.give(i.Dispose(key[1]))
    bring_to_rest(world)
    assert {world.cells[key].state for key in of_kind(world.cells, Kind.SCOPE)} == {"DISPOSED"}
    assert left_over(world.cells) == []


@pytest.mark.cites("LIF-3a", "LIF-6b", "ACT-12c", "ACT-13e", "LIF-3g")
@given(walks(60))
@RELAXED
def test_every_task_that_can_start_ends(walk: Walk) -> None:
    """Scopes are open and executors there: what stays pending waits for a dependency or a timer."""
    world = World(step, last_of(walk))
    for key in of_kind(world.cells, Kind.SCOPE):
        world.give(i.Mount(key[1]))
        world.give(i.Resume(key[1]))
    for executor in EXECUTORS:
        world.give(i.Register(executor))
    bring_to_rest(world)
    stuck = [key for key in of_kind(world.cells, Kind.TASK) if not has_a_reason(world.cells, key)]
    assert stuck == []


def has_a_reason(cells: Cells, key: Any) -> bool:
    """It ended, or its scope is closed or spent, or it waits for something."""
    task, spec = cells[key], cells[Kind.SPEC, key[1]]
    scope, policy = cells[Kind.SCOPE, spec.scope], cells[Kind.POLICY, spec.scope]
    closed = scope.state in ("DISPOSING", "DISPOSED") or scope.spawned >= policy.max_spawns
    return task.status in ENDED or closed or task.unmet > 0 or not task.due


def last_of(walk: Walk) -> Cells:
    """The world at the end of an honest walk."""
    cells = World(step).all(*walk.setup).cells
    for seen in seen_on(walk, step, honest=True):
        cells = seen.after
    return cells
