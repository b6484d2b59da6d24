"""What kernel models have in common: worlds made by inputs, and actions that are one input each.

A model restates no rule: its action is `step(read, input)`, wherever `may(read, input)` allows the input.
Ids are typed; the constructors here keep the casts in one place.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from dhruva.assume import GHOST, may
from dhruva.cells import Change, FollowUp, Key, Kind
from dhruva.explore import Model, Read
from dhruva.ids import OwnerId, RequestId, TaskId
from dhruva.inputs import Handle
from dhruva.step import Step
from dhruva.table import Refused

Ghosts = Callable[[Read, Change], Mapping[Key, Any]]
"""What a model remembers of a step beside the cells: it observes, and no rule reads it."""
When = Callable[[Read], bool]


def task_id(number: int) -> TaskId:
    return TaskId(OwnerId(number))


def request_id(number: int) -> RequestId:
    return RequestId(OwnerId(number))


def world(step: Step, setup: Iterable[Any]) -> dict[Key, Any]:
    """The cells after these inputs, each of which must be accepted."""
    cells: dict[Key, Any] = {}
    for given in setup:
        answer = step(cells.get, given)
        if isinstance(answer, Refused):
            raise ValueError(f"the world cannot be set up: {given} gives {answer}")
        for key, cell in answer.writes.items():
            if cell is None:
                cells.pop(key, None)
            else:
                cells[key] = cell
    return cells


def last_number(read: Read, change: Change) -> dict[Key, Any]:
    """A ghost under ("last", owner): the number of the newest attempt that ever began."""
    keys = (key for key, cell in change.writes.items() if key[0] == Kind.ATTEMPT and cell is not None)
    return {("last", key[1].owner): key[1].number for key in keys if read(key) is None}


def follow_up(kind: FollowUp, *ids: Any) -> Key:
    return (Kind.FOLLOW, kind, *ids)


class Scene:
    """A model with the step that it explores, and the input behind each of its actions."""

    def __init__(self, m: Model, step: Step, setup: Iterable[Any], ghosts: Ghosts | None = None) -> None:
        self.m = m
        self.step = step
        self.ghosts = ghosts  # observe every step
        self.inputs: dict[str, Any] = {}
        for key, cell in world(step, setup).items():
            m.var(key, cell)
            if key[0] == Kind.ATTEMPT:
                m.var(("last", key[1].owner), key[1].number)

    def act(self, name: str, given: Any, *, when: When | None = None, ghosts: Ghosts | None = None) -> None:
        """One input as an action, possible where the outside may give it; the kernel may still refuse it.

        `when` bounds the model: it says how often an input comes, never what it does.
        """
        self.inputs[name] = given

        def run(read: Read) -> object:
            if (when is not None and not when(read)) or not may(read, given):
                return None
            answer = self.step(read, given)
            if isinstance(answer, Refused):
                return answer
            seen = [look(read, answer) for look in (last_number, self.ghosts, ghosts) if look is not None]
            return answer._replace(
                writes={key: cell for one in (answer.writes, *seen) for key, cell in one.items()}
            )

        self.m.action(name, run)

    def batch(self, name: str, inputs: Callable[[Read], Iterable[Any]], *, when: When) -> None:
        """Several inputs in one transaction, as one request makes them from what it reads: all or none."""

        def run(read: Read) -> object:
            if not when(read):
                return None
            whole = Change({}, (), (), (), ())
            for given in inputs(read):
                answer = self.step(partial(_through, whole.writes, read), given)
                if isinstance(answer, Refused):
                    return answer
                whole = _joined(whole, answer)
            return whole

        self.m.action(name, run)

    def handle(self, kind: FollowUp, *ids: Any) -> None:
        """A follow-up that is handled at any time."""
        name = " ".join((f"handle {kind}", *(_short(one) for one in ids)))
        self.act(name, Handle(follow_up(kind, *ids)))

    def once(self, name: str, given: Any) -> None:
        """An input that comes at most once, since what causes it has a budget."""
        ghost = ("came", name)
        self.act(
            name, given, when=lambda read: read(ghost) is None, ghosts=lambda read, change: {ghost: True}
        )

    def new(self, name: str, given: Any) -> None:
        """An input that uses an id up, whether or not it leaves a cell."""
        self.act(name, given, ghosts=lambda read, change: {(GHOST, "used", given[0]): True})


def _through(writes: Mapping[Key, Any], read: Read, key: Key) -> Any:
    """Reading through the transaction."""
    return writes[key] if key in writes else read(key)


def _joined(one: Change, other: Change) -> Change:
    return Change(
        {**one.writes, **other.writes},
        one.payloads + other.payloads,
        one.effects + other.effects,
        one.follow_ups + other.follow_ups,
        one.edges + other.edges,
    )


def _short(one: Any) -> str:
    return ".".join(str(part) for part in one) if isinstance(one, tuple) else str(one)
