"""What people ask of tasks: start, re-execute, delete (LIF-3, LIF-9, LIF-10, LIF-20)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from dhruva.cells import FollowUp, Kind
from dhruva.explore import Read
from dhruva.ids import TaskId
from dhruva.inputs import Delete, Wake
from models.claims.cast import ENDED, Cast, begun, written
from models.world import Scene

WALK = (FollowUp.RECALL, FollowUp.RESET)


class Reexecute(NamedTuple):
    """A request that becomes several inputs in one transaction."""

    task: TaskId


class Remove(NamedTuple):
    """Unlink a task from what it depends on and delete it, in one transaction."""

    task: TaskId


def of_starts(scene: Scene) -> None:
    scene.always_step(
        "nothing starts without its executor",
        lambda before, after, given, change: all(
            cell.kind != "task" or (isinstance(given, Wake) and given.executor)
            for _, cell in begun(before, change)
        ),
        "a task starts in a process that has its executor, and nowhere else",
        cites="LIF-3c LIF-3e",
    )


def of_reexecution(scene: Scene, cast: Cast) -> None:
    """`completed` and `cancelled` are bounds of the model: what its settings enable."""
    m = scene.m

    def may(read: Read, task: int) -> bool:
        cell = read((Kind.TASK, task))
        if cell is None or cell.alive or cell.status not in ENDED:
            return False
        return bool(cell.status == "failed" or m.bounds[cell.status] != 0)

    def resetting(read: Read) -> bool:
        return any(read((Kind.FOLLOW, kind, t)) for t in cast.tasks for kind in WALK)

    scene.takes(
        "what has ended can be re-executed",
        (Reexecute,),
        lambda read, given: may(read, given.task) and not resetting(read),
        "a failed task always, a completed or cancelled one where that is enabled, once its body has ended",
        cites="LIF-9a LIF-9b",
    )
    m.always_step(
        "only what may be is re-executed",
        lambda before, after, action, change: all(
            cell is None or before(key) is not None or may(before, key[2])
            for key, cell in written(change, Kind.FOLLOW)
            if key[1] == FollowUp.RESET
        ),
        "nothing that is pending, runs, has a body, or is of a status that is not enabled is reset",
        cites="LIF-8e LIF-9b LIF-10g",
    )
    m.always_step(
        "a new run is opened by a reset alone",
        lambda before, after, action, change: all(
            before((Kind.FOLLOW, FollowUp.RESET, key[1])) is not None for key, _ in _new_runs(before, change)
        ),
        "a task begins a new run when the walk that was accepted for it gets there, each once",
        cites="LIF-9a LIF-10a LIF-10b",
    )
    m.always_step(
        "a new run counts anew",
        lambda before, after, action, change: all(
            cell.tries == 0 and cell.due and cell.number == before(key).number
            for key, cell in _new_runs(before, change)
        ),
        "tries begin at 0 and no timer runs; the number of attempts goes on",
        cites="LIF-9d ACT-8a",
    )
    m.always_step(
        "all know before a task is reset",
        lambda before, after, action, change: all(
            not any(_is_met(before((Kind.LINK, key[1], n))) for n in range(1, cell.links + 1))
            for key, cell in _new_runs(before, change)
        ),
        "when a task is reset, no dependent counts it as met any more",
        cites="LIF-10c LIF-10e",
    )
    m.always_step(
        "what is to be reset is reset",
        lambda before, after, action, change: all(
            cell is not None or after((Kind.TASK, key[2])).run > before((Kind.TASK, key[2])).run
            for key, cell in written(change, Kind.FOLLOW)
            if key[1] == FollowUp.RESET
        ),
        "a reset that was accepted opens its task for a new run, whatever came in between",
        cites="LIF-9a LIF-10a LIF-10b SHL-3c",
    )
    m.always_step(
        "the walk goes in its order",
        lambda before, after, action, change: all(
            cell is not None or (at := before(key)).after is None or before(at.after) is None
            for key, cell in written(change, Kind.FOLLOW)
            if key[1] in WALK
        ),
        "no step of the walk is over before the one that it comes after: dependents first, the asked last",
        cites="LIF-10d LIF-10e SHL-3c",
    )


def _new_runs(before: Read, change: Any) -> Iterator[tuple[Any, Any]]:
    """The tasks that begin a new run with a step: keys, and cells as they are then."""
    for key, cell in written(change, Kind.TASK):
        was = before(key)
        if was is not None and cell is not None and cell.run != was.run:
            yield key, cell


def _is_met(link: Any) -> bool:
    return link is not None and bool(link.met)


def of_delete(scene: Scene) -> None:
    def stands_alone(read: Read, given: Any) -> bool:
        cell = read((Kind.TASK, given.task))
        if cell is None or cell.status == "in_progress" or cell.alive:
            return False
        return bool(cell.dependents == cell.children == 0)

    scene.takes(
        "what nobody needs can be deleted",
        (Remove,),
        lambda r, given: stands_alone(r, given) and r((Kind.FOLLOW, FollowUp.RESET, given.task)) is None,
        "a task that does not run, without dependents and children, can be deleted",
        cites="LIF-20a",
    )
    scene.always_step(
        "only what nobody needs is deleted",
        lambda before, after, given, change: (
            not isinstance(given, Remove | Delete) or stands_alone(before, given)
        ),
        "what runs, or has dependents or children, stays",
        cites="LIF-20a LIF-20b",
    )
