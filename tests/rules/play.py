"""Playing a scenario: what must be accepted is, and what is refused has changed nothing."""

from typing import Any, TypeVar

from dhruva.cells import Change, FollowUp, Kind
from dhruva.ids import Ref
from dhruva.inputs import Handle, Succeed
from dhruva.step import Step, step
from dhruva.table import Refused
from tests.rules.cast import wake
from tests.stateful.world import World

E = TypeVar("E")


def begin(*inputs: Any, by: Step = step) -> World:
    """The world after these inputs, all of which are accepted."""
    return World(by).all(*inputs)


def accept(world: World, given: Any) -> Change:
    """The change that this input makes."""
    answer = world.give(given).answer
    assert isinstance(answer, Change), answer
    return answer


def refuse(world: World, given: Any) -> Refused:
    """The refusal of this input; nothing has changed."""
    before = dict(world.cells)
    answer = world.give(given).answer
    assert isinstance(answer, Refused), answer
    assert world.cells == before
    return answer


def effects(change: Change, kind: type[E]) -> list[E]:
    """The effects of this kind, in their order."""
    return [effect for effect in change.effects if isinstance(effect, kind)]


def moves(change: Change, machine: str) -> list[tuple[str | None, str, str]]:
    """The edges of a machine: from, on, to."""
    return [(edge.source, edge.on, edge.target) for edge in change.edges if edge.machine == machine]


def state(world: World, *key: Any) -> str | None:
    """The state of a cell, or None where there is none."""
    cell = world.cells.get(key)
    return None if cell is None else str(cell[0])


def alive(world: World) -> list[Ref]:
    """The refs of the attempts that live, oldest first."""
    return [key[1] for key in world.cells if key[0] == Kind.ATTEMPT]


def drain(world: World) -> None:
    """Handle every follow-up, first come first served; those that only Wake can handle stay."""
    waiting: list[Any] = []
    for _ in range(1000):
        waiting = [key for key in world.cells if key[0] == Kind.FOLLOW and key[1] != FollowUp.WAKE]
        if not any(isinstance(world.give(Handle(key)).answer, Change) for key in waiting):
            return
    raise AssertionError(f"follow-ups do not come to an end: {waiting}")


def run_all(world: World) -> list[int]:
    """Let everything run, one body after the other; who started, in order."""
    started: list[int] = []
    world.give(wake())
    while alive(world):
        ref = alive(world)[0]
        started.append(ref.owner)
        accept(world, Succeed(ref))
        drain(world)
        world.give(wake())
    return started
