"""Tasks and their attempts (LIF)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from dhruva.cells import Change, Key, Kind
from dhruva.explore import Model, Read
from dhruva.ids import OwnerId, Ref
from dhruva.inputs import Cancel
from models.claims.cast import ENDED, Cast, each, some, written
from models.world import Scene


def of_tasks(m: Model, cast: Cast) -> None:
    """Status and attempt, ends, refs."""
    tasks = tuple((Kind.TASK, t) for t in cast.tasks)
    m.always(
        "one body at a time",
        each(tasks, lambda read, key, task: _bodies(read, cast, key[1]) == _said(key[1], task)),
        "a task has at most one living attempt, its newest, and knows whether it has",
        cites="LIF-15b ACT-8a",
    )
    m.always(
        "in progress means a body",
        each(tasks, lambda read, key, task: task.status != "in_progress" or task.alive),
        "a task in progress has a living attempt: nothing is left behind",
        cites="LIF-3e ACT-7a",
    )
    m.always(
        "pending means no body",
        each(tasks, lambda read, key, task: task.status != "pending" or not task.alive),
        "a pending task has no living attempt",
        cites="LIF-3e LIF-8e",
    )
    m.always(
        "a body of an ended task is asked to stop",
        each(tasks, lambda read, key, t: t.status not in ENDED or not t.alive or _aborting(read, key[1], t)),
        "if a task has ended while its attempt lives, that attempt is aborting",
        cites="ACT-18c LIF-8b LIF-19b",
    )
    m.always(
        "tries within the policy",
        each(tasks, lambda read, key, task: task.tries <= read((Kind.SPEC, key[1])).max_attempts),
        "no task is tried more often in a run than its policy says",
        cites="ACT-2f ACT-10a LIF-14b",
    )
    m.always_step(
        "what ended stays as it is",
        lambda before, after, action, change: all(
            before(key) is None or _stays(before(key), cell) for key, cell in written(change, Kind.TASK)
        ),
        "completed, failed and cancelled change by re-execution only, which opens a new run",
        cites="LIF-1c LIF-9d LIF-14f LIF-15c LIF-8g",
    )
    m.sometimes("a task completes", some(tasks, lambda read, key, task: task.status == "completed"))
    m.sometimes("a task fails", some(tasks, lambda read, key, task: task.status == "failed"))
    m.sometimes(
        "a cancelled task whose body still runs",
        some(tasks, lambda read, key, task: task.status == "cancelled" and task.alive),
        "cancel is said before the body has stopped, and the slot is held",
    )


def _said(owner: OwnerId, task: Any) -> list[Ref]:
    return [Ref(owner, task.run, task.number)] if task.alive else []


def _bodies(read: Read, cast: Cast, task: int) -> list[Ref]:
    return [ref for ref in cast.refs_of(task) if read((Kind.ATTEMPT, ref)) is not None]


def _aborting(read: Read, owner: OwnerId, task: Any) -> bool:
    attempt = read((Kind.ATTEMPT, Ref(owner, task.run, task.number)))
    return attempt is not None and attempt.state == "aborting"


def _stays(before: Any, after: Any) -> bool:
    if after is None or before.status not in ENDED:
        return after is None or bool(after.run == before.run)
    if after.run == before.run:
        return bool(after.status == before.status)
    return bool(after.status == "pending" and after.run == before.run + 1)


def of_cancel(scene: Scene) -> None:
    scene.takes(
        "what has not ended can be cancelled",
        (Cancel,),
        lambda read, given: _status(read, given.task) in ("pending", "in_progress"),
        "a pending task and one in progress can be cancelled at any time",
        cites="LIF-1b LIF-8a LIF-8b",
    )
    scene.always_step(
        "cancelled at once",
        lambda before, after, given, change: (
            not isinstance(given, Cancel)
            or (
                _status(before, given.task) in ("pending", "in_progress")
                and _status(after, given.task) == "cancelled"
            )
        ),
        "in the step that asks for it the task is cancelled; what has ended is not",
        cites="LIF-8a LIF-8b LIF-8g LIF-15c",
    )


def _status(read: Read, task: int) -> str | None:
    cell = read((Kind.TASK, task))
    return None if cell is None else cell.status


# The record of a task, as its field changes make it: a ghost


class Record(NamedTuple):
    """Which fields are set."""

    started: bool
    completed: bool
    result: bool
    error: bool
    whole: bool  # progress is 1.0


BLANK = Record(False, False, False, False, False)
SETS = ("now", "given", "whole")
CLEARS = ("clear", "zero")


def records(read: Read, change: Change) -> Mapping[Key, Any]:
    """The fields of each task after a step."""
    found: dict[Key, Any] = {}
    for said in change.payloads:
        key = ("record", said.task)
        was = found.get(key) or read(key) or BLANK
        found[key] = Record._make(
            act in SETS or (act not in CLEARS and old) for act, old in zip(said.actions, was, strict=True)
        )
    return found


def of_records(scene: Scene, cast: Cast) -> None:
    """Needs the ghost `records`."""
    scene.m.always(
        "the fields fit the status",
        each(
            ((Kind.TASK, t) for t in cast.tasks),
            lambda read, key, task: _fits(task.status, read(("record", key[1])) or BLANK),
        ),
        "in every stored state a task has the fields of its status, and no others",
        cites="LIF-2a LIF-2b LIF-2c LIF-2d LIF-2e LIF-2f LIF-5c LIF-9c "
        "LIF-16a LIF-16b LIF-16c LIF-16d LIF-16e",
    )


def _fits(status: str, record: Record) -> bool:
    return (
        record.completed == (status in ENDED)
        and record.result == record.whole == (status == "completed")
        and record.error == (status in ("failed", "cancelled"))
        and (status == "cancelled" or record.started == (status != "pending"))
    )
