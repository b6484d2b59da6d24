"""What satisfies a dependency, what blocks, and which lane goes first (LIF-4 to LIF-6)."""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from dhruva.ids import ENDED, Priority, TaskId, TaskStatus


def satisfied(status: TaskStatus | None, required: bool, attempt_alive: bool) -> bool:
    """Whether a dependency in this status lets its dependent go on (LIF-4). None: nobody knows the id.

    A required one that failed or was cancelled does not, and blocks (LIF-5).
    """
    if attempt_alive:
        return False
    if required:
        return status == TaskStatus.COMPLETED
    return status in ENDED


def blocks(status: TaskStatus | None, required: bool) -> bool:
    """Whether a dependency in this status will never satisfy as things stand (LIF-5)."""
    return required and status in STUCK


STUCK: Final = frozenset({TaskStatus.FAILED, TaskStatus.CANCELLED})


def first_lane(waits: Callable[[Priority], bool]) -> Priority | None:
    """The lane whose head goes next: the most urgent one in which something waits (LIF-6).

    Less urgent ones are not even asked.
    """
    for lane in LANES:
        if waits(lane):
            return lane
    return None


LANES: Final = (Priority.URGENT, Priority.HIGH, Priority.NORMAL, Priority.LOW)


class Dependency(NamedTuple):
    """One dependency as the blocked view sees it."""

    task: TaskId
    required: bool
    status: TaskStatus | None


def blocked(task: TaskId, dependencies: Callable[[TaskId], Iterable[Dependency]]) -> tuple[TaskId, ...]:
    """The chain from a pending task to the dependency that blocks it, the cause last; empty if none does.

    A view, not a state (LIF-5): it is transitive through pending dependencies, optional ones too, since
    one that is blocked never ends. It looks at each task once and names the nearest cause.
    """
    came_from: dict[TaskId, TaskId] = {}
    seen = {task}
    ring = [task]
    while ring:
        beyond: list[TaskId] = []
        for waiting in ring:
            for needed in dependencies(waiting):
                if blocks(needed.status, needed.required):
                    came_from[needed.task] = waiting
                    return _chain(came_from, task, needed.task)
                if needed.status == TaskStatus.PENDING and needed.task not in seen:
                    seen.add(needed.task)
                    came_from[needed.task] = waiting
                    beyond.append(needed.task)
        ring = beyond
    return ()


def _chain(came_from: dict[TaskId, TaskId], start: TaskId, cause: TaskId) -> tuple[TaskId, ...]:
    chain = [cause]
    while chain[-1] != start:
        chain.append(came_from[chain[-1]])
    return tuple(reversed(chain))
