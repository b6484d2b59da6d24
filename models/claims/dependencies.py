"""Dependencies: what is satisfied, what is told, what may start (LIF-3 to LIF-6, LIF-10, LIF-19)."""

from collections.abc import Iterator
from typing import Any

from dhruva.cells import FollowUp, Kind
from dhruva.explore import Model, Read, for_each
from models.claims.cast import ALIVE, ENDED, Cast, begun, each
from models.world import follow_up


def of_dependencies(m: Model, cast: Cast) -> None:
    tasks = tuple((Kind.TASK, t) for t in cast.tasks)
    m.always(
        "unmet counts what is missing",
        each(tasks, lambda read, key, task: task.unmet == _missing(read, cast, key[1])),
        "unmet is the number of dependencies not satisfied or not yet told of",
        cites="LIF-4a LIF-4b LIF-4c",
    )
    m.always(
        "met means satisfied",
        for_each(
            cast.tasks, lambda read, t: all(_is_met(read, on, link) for on, link in _links(read, cast, t))
        ),
        "a dependent counts a dependency only while it is completed (optional: ended) and no body of it runs",
        cites="LIF-4a LIF-4b LIF-4d LIF-8d LIF-10c LIF-19c",
    )
    m.always(
        "no telling is lost",
        for_each(cast.tasks, lambda read, t: all(_told(read, *one) for one in _numbered(read, cast, t))),
        "a satisfied dependency that a dependent does not count yet is about to be told, or being reset",
        cites="LIF-6c LIF-19c SHL-3d",
    )
    m.always(
        "who can start waits",
        each(
            tasks,
            lambda r, key, task: not _could_start(r, key[1], task) or r((Kind.WAITER, key[1])) is not None,
        ),
        "an accepted task that nothing keeps from starting stands in a lane, or waits for its executor",
        cites="LIF-3g LIF-6a ACT-12c",
    )
    m.always(
        "who waits could start",
        each(
            tasks,
            lambda r, key, task: not _is_in_lane(r((Kind.WAITER, key[1]))) or _could_start(r, key[1], task),
        ),
        "only pending tasks with nothing unmet and no timer running wait for a slot",
        cites="LIF-3a LIF-3b LIF-6d",
    )
    m.always_step(
        "started on satisfied dependencies",
        lambda before, after, action, change: all(
            _is_met(before, on, link, reset=True)
            for ref, _ in begun(before, change)
            for on, link in _links(before, cast, ref.owner)
        ),
        "when a task starts, each dependency is satisfied, none has a body, and its tree is not half reset",
        cites="LIF-3a LIF-4d LIF-10e",
    )
    m.sometimes(
        "a dependent starts", lambda r: any(r((Kind.ATTEMPT, ref)) for ref in cast.refs_of(cast.tasks[1]))
    )


def _is_in_lane(waiter: Any) -> bool:
    """Who waits for an executor stands in no lane, and stays there when the scope is disposed."""
    return waiter is not None and waiter.executor is None


def _links(read: Read, cast: Cast, task: int) -> Iterator[tuple[int, Any]]:
    """The links by which a task depends on others."""
    for on, _, link in _numbered(read, cast, task):
        yield on, link


def _numbered(read: Read, cast: Cast, task: int) -> Iterator[tuple[int, int, Any]]:
    for on in cast.tasks:
        cell = read((Kind.TASK, on))
        for n in range(cell.links if cell is not None else 0):
            link = read((Kind.LINK, on, n + 1))
            if link is not None and link.dependent == task:
                yield on, n + 1, link


def _missing(read: Read, cast: Cast, task: int) -> int:
    links = [link for _, link in _links(read, cast, task)]
    return sum(1 for link in links if not link.met) + int(read((Kind.SPEC, task)).dependencies) - len(links)


def _satisfies(task: Any, required: bool) -> bool:
    return not task.alive and task.status in (("completed",) if required else ENDED)


def _is_met(read: Read, on: int, link: Any, reset: bool = False) -> bool:
    """A met link is of a satisfied dependency; `reset`: and of none that all know to be reset."""
    task = read((Kind.TASK, on))
    if not link.met:
        return not reset
    recalled = read(follow_up(FollowUp.RECALL, on)) is None
    half_reset = reset and recalled and read(follow_up(FollowUp.RESET, on)) is not None
    return task is not None and _satisfies(task, link.required) and not half_reset


def _told(read: Read, on: int, number: int, link: Any) -> bool:
    task = read((Kind.TASK, on))
    if link.met or task is None or not _satisfies(task, link.required):
        return True
    tell = read(follow_up(FollowUp.TELL, on))
    resetting = read(follow_up(FollowUp.RESET, on)) is not None
    return resetting or (tell is not None and tell.cursor <= number)


def _could_start(read: Read, t: int, task: Any) -> bool:
    scope = read((Kind.SCOPE, read((Kind.SPEC, t)).scope))
    draining = read(follow_up(FollowUp.REJECT_QUEUED, read((Kind.SPEC, t)).scope)) is not None
    open_ = scope.state in ALIVE or (draining and read((Kind.WAITER, t)) is not None)
    return task.status == "pending" and task.unmet == 0 and task.due and open_
