"""`why` and `step` say the same, in every reachable state of the models: nothing here is sampled."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import pytest

from dhruva.cells import Change, Key, Kind
from dhruva.ids import ProcessId
from dhruva.inputs import Wake
from dhruva.why import ANSWERS, Reason, Why, why
from tests.why.worlds import Explored, World, explored

MODELS: dict[str, tuple[str, dict[str, int]]] = {
    "tasks": ("task_lifecycle", {"tasks": 2}),
    "executors": ("task_lifecycle", {"runs": 1, "executors": 1}),
    "gate": ("scope_gate", {"resources": 0}),
    "resources": ("scope_gate", {"queued": 0, "spawns": 1, "retry": 0}),
    "cap": ("scope_gate", {"cap": 1, "requests": 3, "resources": 0, "retry": 0, "spawns": 1}),
    "kernel": ("kernel", {"dispatch": 0}),
    "locks": ("lock_release", {"nonces": 1}),
    "instances": ("instance_signals", {"versions": 3, "children": 0}),
    "effects": ("effects", {"takes": 1}),
}
ALL = pytest.mark.parametrize("name", MODELS)

STARTS = ("tasks", "executors", "gate", "cap", "kernel")  # models in which something waits for a slot

READS_MAX = 24  # cells

AT_REST = frozenset({Reason.ENDED, Reason.OPEN, Reason.HOPELESS, Reason.BLOCKED})
"""Nothing is waited for, or nothing comes of it any more by itself."""


@cache
def known(name: str) -> Explored:
    file, bounds = MODELS[name]
    return explored(file, **bounds)


def things(world: World) -> list[Key]:
    return [key for key in world.cells if key[0] in ANSWERS]


def starts(world: World, key: Key) -> bool:
    """Whether `step` starts this task or request when the lanes are looked at."""
    cell = world.cells[key]
    scope = world.cells[Kind.SPEC, key[1]].scope if key[0] == Kind.TASK else cell.scope
    answer = world.step(Wake(scope, ProcessId(9)))
    return isinstance(answer, Change) and any(
        edge.key == key and str(edge.on) == "start" for edge in answer.edges
    )


@ALL
@pytest.mark.cites("SHL-8a")
def test_it_may_start_now_iff_step_starts_it(name: str) -> None:
    said, done = starting(known(name))
    assert said == done
    assert bool(said) == (name in STARTS)


def starting(all_of_it: Explored) -> tuple[set[Any], set[Any]]:
    """Where `why` says that something may start, and where `step` starts it."""
    said, done = set(), set()
    for number, world in enumerate(all_of_it.worlds):
        for key in things(world):
            if key[0] in (Kind.TASK, Kind.REQUEST):
                said |= {(number, key)} if world.why(key).reason == Reason.MAY_START else set()
                done |= {(number, key)} if starts(world, key) else set()
    return said, done


@ALL
@pytest.mark.cites("SHL-8a")
def test_what_does_not_move_has_a_reason_and_someone_who_can_move_it(name: str) -> None:
    assert next(faults(known(name)), None) is None


def faults(all_of_it: Explored) -> Iterator[tuple[str, Why]]:
    """Answers that are none.

    Each way must be one that `step` accepts, and move something. What has none must wait on something, and
    such chains must end. An answer looks at the surroundings of a thing, and at no more cells than that.
    """
    for world in all_of_it.worlds:
        for key in things(world):
            seen: list[Key] = []
            answer = why(partial(recorded, seen, world), key, world.links, world.book)
            if answer.reason in (Reason.LOST, Reason.ABSENT) or answer.state is None:
                yield "no reason", answer
            for way in answer.ways:
                moved = world.step(way.input)
                if not isinstance(moved, Change) or not moved.writes:
                    yield "a way that leads nowhere", answer
            if not grounded(world, answer, ()):
                yield "waits for nothing that moves", answer
            if len(set(seen)) > READS_MAX:
                yield "looks at too much", answer


def recorded(seen: list[Key], world: World, key: Key) -> Any:
    seen.append(key)
    return world.read(key)


def grounded(world: World, answer: Why, path: tuple[Key, ...]) -> bool:
    """Whether someone moves it on, or whatever it waits on is moved on, and so forth without a ring."""
    if answer.ways or answer.reason in AT_REST or answer.more > 0:
        return True
    if not answer.on or answer.key in path:
        return False
    return all(
        key[0] not in ANSWERS or grounded(world, world.why(key), (*path, answer.key)) for key in answer.on
    )


@pytest.mark.parametrize("name", ["tasks", "gate", "kernel"])
@pytest.mark.cites("SHL-8a", "ACT-13")
def test_what_is_said_never_to_start_does_not(name: str) -> None:
    """No action of the model starts it, or brings it to where it may."""
    met = 0
    for world in known(name).worlds:
        hopeless = [key for key in things(world) if world.why(key).reason == Reason.HOPELESS]
        waiting = [key for key in hopeless if key[0] in (Kind.TASK, Kind.REQUEST)]
        for after in successors(known(name), world) if waiting else ():
            met += 1
            said = {after.why(key).reason for key in waiting}
            assert not said & {Reason.MAY_START, Reason.RUNS}, waiting
    assert met > 0


def successors(all_of_it: Explored, world: World) -> list[World]:
    found = []
    for action in all_of_it.actions:
        answer = action.run(world.read)
        if isinstance(answer, Change):
            found.append(world.after(answer.writes))
    return found


@pytest.mark.cites("SHL-8a")
def test_every_reason_is_met_in_some_model() -> None:
    met = {
        answer.reason
        for name in MODELS
        for world in known(name).worlds
        for answer in map(world.why, things(world))
    }
    assert set(Reason) - met == {Reason.ABSENT, Reason.LOST, Reason.ASKING_AGAIN}
