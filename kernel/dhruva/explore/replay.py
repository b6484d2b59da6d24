"""Paths walked again on a plain dict, and told as a story.

An engine hands back a path: actions and choices, nothing more. Whatever people see is rebuilt here by
calling the model itself, with none of the engine's machinery; a path that does not lead where the engine
said is a defect of the engine and is raised, never shown.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from dhruva.explore.errors import EngineError, Move, Path
from dhruva.explore.model import Always, AlwaysStep, Claim, LeadsTo, Model, NoDeadlock, Sometimes
from dhruva.explore.outcomes import Answer, Outcome, ask, holds, holds_step, is_final, overlay
from dhruva.explore.values import identity, show, show_change, show_key

World = dict[Hashable, Hashable]


@dataclass(frozen=True)
class Changed:
    """One cell before and after a step."""

    key: Hashable
    before: Hashable
    after: Hashable


@dataclass(frozen=True)
class Step:
    """One step of a trace; `choice` tells apart the outcomes that the action could have had."""

    action: str
    choice: int
    changes: tuple[Changed, ...]


@dataclass(frozen=True)
class Trace:
    """A run from the initial state. The length is the number of steps.

    A run that goes on for ever repeats the steps after the first `loop` ones; if there are none, it stutters.
    """

    initial: tuple[tuple[Hashable, Hashable], ...]
    steps: tuple[Step, ...]
    loop: int | None = None

    def __len__(self) -> int:
        return len(self.steps)

    def story(self) -> str:
        """Step number, action, and only the cells that changed."""
        return "\n".join(self._lines())

    def to_dict(self) -> dict[str, Any]:
        return {
            "loop": self.loop,
            "initial": {show_key(key): show(value) for key, value in self.initial},
            "steps": [
                {
                    "step": number,
                    "action": step.action,
                    "choice": step.choice,
                    "changes": {
                        show_key(c.key): {"before": show(c.before), "after": show(c.after)}
                        for c in step.changes
                    },
                }
                for number, step in enumerate(self.steps, 1)
            ],
        }

    def _lines(self) -> Iterator[str]:
        yield "   0  initial state"
        for key, value in self.initial:
            yield f"        {show_change(key, None, value)}"
        for number, step in enumerate(self.steps, 1):
            if self.loop == number - 1:
                yield "      from here on, for ever:"
            yield f"{number:4}  {step.action}"
            for change in step.changes:
                yield f"        {show_change(change.key, change.before, change.after)}"
            if not step.changes:
                yield "        nothing changes"
        if self.loop == len(self.steps):
            yield "      and then nothing more, for ever"
        elif self.loop is not None:
            yield f"      back to the state after step {self.loop}"


def replay(model: Model, path: Path, loop: int | None = None) -> Trace:
    """Walk the path and note what each step changed."""
    steps = []
    for move, before, after, _ in _walk(model, path):
        steps.append(Step(model.actions[move.action].name, move.choice, _difference(before, after)))
    return Trace(tuple(_present(model.cells).items()), tuple(steps), loop)


def assert_mended(model: Model, name: str, run: list[tuple[str, int]], loop: int | None = None) -> None:
    """Raise AssertionError with the story if this run of actions still refutes the property of that name."""
    claim = next((one for one in model.claims() if one.name == name), None)
    numbers = {action.name: number for number, action in enumerate(model.actions)}
    if claim is None or any(action not in numbers for action, _ in run):
        return
    path = tuple(Move(numbers[action], choice) for action, choice in run)
    try:
        confirm(model, claim, path, loop)
    except EngineError:
        return
    story = replay(model, path, loop).story()
    raise AssertionError(f"{name}: {claim.sentence or 'violated'}\n{story}")


def confirm(model: Model, claim: Claim, path: Path, loop: int | None = None) -> None:
    """Raise EngineError unless the path refutes the claim (or witnesses a `sometimes`)."""
    if isinstance(claim, LeadsTo):
        if loop is None or not _never_arrives(model, claim, path, loop):
            raise EngineError(f"the run found for {claim.name!r} is not fair, or gets there: {path}, {loop}")
        return
    world, last = _present(model.cells), None
    for move, before, after, outcome in _walk(model, path):
        world, last = after, (move, before, outcome)
    if not _shows(model, claim, world, last):
        raise EngineError(f"the path found for {claim.name!r} does not show it: {path}")


def _shows(model: Model, claim: Claim, world: World, last: tuple[Move, World, Outcome] | None) -> bool:
    match claim:
        case Always():
            asked = claim.when is None or holds(claim, claim.when, world.get)
            return asked and not holds(claim, claim.then, world.get)
        case Sometimes():
            return holds(claim, claim.test, world.get)
        case NoDeadlock():
            idle = not any(ask(action, world.get).outcomes for action in model.actions)
            return idle and not is_final(model.finals, world.get)
        case AlwaysStep():
            if last is None:
                return False
            move, before, outcome = last
            action = model.actions[move.action]
            after = overlay(before.get, outcome.writes)
            return not holds_step(claim, claim.test, before.get, after, action, outcome)
    raise EngineError(f"no way to confirm a property of kind {claim.kind!r}")


def _never_arrives(model: Model, claim: LeadsTo, path: Path, loop: int) -> bool:
    """Triggered, never at the goal after that, closed, and fair."""
    walked = list(_walk(model, path))
    worlds = [_present(model.cells), *(after for _, _, after, _ in walked)]
    starts = [
        number
        for number, world in enumerate(worlds)
        if (number == 0 if claim.trigger is None else holds(claim, claim.trigger, world.get))
    ]
    avoids = any(
        start <= loop and not any(holds(claim, claim.goal, world.get) for world in worlds[start:])
        for start in starts
    )
    taken = {move.action for move, before, after, _ in walked[loop:] if _difference(before, after)}
    possible = [_possible(model, world) for world in worlds[loop:]]
    weak = all(a in taken or any(a not in here for here in possible) for a in model.matching(claim.weak))
    strong = all(a in taken or all(a not in here for here in possible) for a in model.matching(claim.strong))
    return avoids and not _difference(worlds[loop], worlds[-1]) and weak and strong


def _possible(model: Model, world: World) -> set[int]:
    """The actions that can change this world."""
    return {
        number
        for number, action in enumerate(model.actions)
        for outcome in ask(action, world.get).outcomes
        if _difference(world, _written(world, outcome))
    }


def _walk(model: Model, path: Path) -> Iterator[tuple[Move, World, World, Outcome]]:
    world = _present(model.cells)
    for move in path:
        action = model.actions[move.action]
        outcome = _pick(ask(action, world.get), move.choice)
        if outcome is None:
            raise EngineError(
                f"the path takes {action.name!r} (choice {move.choice}), which is not possible there"
            )
        after = _written(world, outcome)
        yield move, world, after, outcome
        world = after


def _written(world: World, outcome: Outcome) -> World:
    after = dict(world)
    for key, value in outcome.writes:
        if value is None:
            after.pop(key, None)
        else:
            after[key] = value
    return after


def _pick(answer: Answer, choice: int) -> Outcome | None:
    return next((outcome for outcome in answer.outcomes if outcome.choice == choice), None)


def _present(cells: World) -> World:
    return {key: value for key, value in cells.items() if value is not None}


def _difference(before: World, after: World) -> tuple[Changed, ...]:
    keys = [*before, *(key for key in after if key not in before)]
    return tuple(
        Changed(key, before.get(key), after.get(key))
        for key in keys
        if identity(before.get(key)) != identity(after.get(key))
    )
