"""Re-execute a task, with the order of the cascade (LIF-9, LIF-10).

Which tasks are recalled and reset, and in which order, is decided here, from facts; that it is done one
cell at a time, survives a crash, and lets nothing start in the midst of it, is the work of follow-ups.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from dhruva.cells import FollowUp, Key, Kind, Read
from dhruva.ids import ENDED, TaskId, TaskStatus
from dhruva.inputs import Recall, Reset
from dhruva.requests.refusals import Refusal, unknown
from dhruva.requests.tree import Lookup


class Standing(NamedTuple):
    """How a task stands."""

    status: TaskStatus
    alive: bool  # an attempt of it is running or aborting


class Around(NamedTuple):
    """What a re-execution looks at: who depends on a task, how it stands, and what is enabled (LIF-9)."""

    dependents: Callable[[TaskId], Iterable[TaskId]]
    standing: Callable[[TaskId], Standing | None]
    completed: bool = True
    cancelled: bool = False


def around(read: Read, completed: bool = True, cancelled: bool = False) -> Around:
    """These facts from the cells themselves; the two settings are those that `kernel` was given."""

    def dependents(task: TaskId) -> Iterator[TaskId]:
        cell = read((Kind.TASK, task))
        for number in range(1, 1 + (0 if cell is None else cell.links)):
            link = read((Kind.LINK, task, number))
            if link is not None:
                yield link.dependent

    def standing(task: TaskId) -> Standing | None:
        cell = read((Kind.TASK, task))
        return None if cell is None else Standing(cell.status, cell.alive)

    return Around(dependents, standing, completed, cancelled)


class Skip(StrEnum):
    """Why a dependent is not reset, though it is not pending (LIF-10)."""

    RUNS = "runs"  # in progress, or cancelled and its body has not ended
    NOT_ENABLED = "not_enabled"  # ended in a status from which re-execution is switched off


class Skipped(NamedTuple):
    task: TaskId
    reason: Skip


class Plan(NamedTuple):
    """The inputs of a re-execution in their order, and the dependents that keep what they have."""

    inputs: tuple[Recall | Reset, ...]
    skipped: tuple[Skipped, ...]


def reexecute(id_: UUID, known: Lookup, facts: Around, cascade: bool = True) -> Plan | Refusal:
    """Recall the task and every ended dependent, direct and transitive; then reset them (LIF-9, LIF-10).

    Recalls go from the task outwards, resets come back: dependents before what they depend on, the task
    itself last. Each follow-up names the one before it, so that all is recalled before the first reset,
    and no cell holds the list. Without the cascade it is the task alone, whose recall still reaches its
    direct dependents.

    Dependents that run, or that ended in a status that is not enabled, are skipped and reported. Pending
    ones have nothing to reset, so they are not reported; the recall of what they depend on reaches them.
    The walk goes on through both: what lies behind may have ended (a pending task was re-executed alone
    once, or its dependent cancelled), and its result rests on what is run anew.

    Whether the task itself may be re-executed, `step` says. So it does of a dependent that another walk
    is about to reset: this call is then refused as a whole, and two walks never share a task.
    """
    found = known(id_)
    if found is None:
        return unknown(id_)
    task = found.task
    asked = facts.standing(task)
    if not cascade or asked is None or not _may_reset(asked, facts):
        return Plan(_chain((task,)), ())
    walked = {
        reached: now for reached in _inwards(task, facts.dependents) if (now := facts.standing(reached))
    }
    resets = tuple(reached for reached, now in walked.items() if _may_reset(now, facts))
    skipped = (_skipped(reached, now) for reached, now in walked.items() if _is_skipped(now, facts))
    return Plan(_chain(resets), tuple(sorted(skipped)))


def _may_reset(now: Standing, facts: Around) -> bool:
    """Whether `step` would accept its reset: no body, and ended in a status that is enabled (LIF-9)."""
    if now.alive or now.status not in ENDED:
        return False
    if now.status == TaskStatus.COMPLETED:
        return facts.completed
    return now.status == TaskStatus.FAILED or facts.cancelled


def _is_skipped(now: Standing, facts: Around) -> bool:
    return now.status != TaskStatus.PENDING and not _may_reset(now, facts)


def _skipped(task: TaskId, now: Standing) -> Skipped:
    runs = now.alive or now.status == TaskStatus.IN_PROGRESS
    return Skipped(task, Skip.RUNS if runs else Skip.NOT_ENABLED)


def _inwards(task: TaskId, dependents: Callable[[TaskId], Iterable[TaskId]]) -> list[TaskId]:
    """The task and all that depend on it, each once and after all its dependents: the task comes last."""
    order: list[TaskId] = []
    seen = {task}
    path = [(task, iter(dependents(task)))]
    while path:
        here, onward = path[-1]
        for dependent in onward:
            if dependent not in seen:
                seen.add(dependent)
                path.append((dependent, iter(dependents(dependent))))
                break
        else:
            order.append(here)
            path.pop()
    return order


def _chain(resets: Sequence[TaskId]) -> tuple[Recall | Reset, ...]:
    """Recalls in the opposite order of resets, each input after the one before it."""
    chain: list[Recall | Reset] = []
    after: Key | None = None
    steps: tuple[tuple[FollowUp, Any, Iterable[TaskId]], ...] = (
        (FollowUp.RECALL, Recall, reversed(resets)),
        (FollowUp.RESET, Reset, resets),
    )
    for kind, make, tasks in steps:
        for task in tasks:
            chain.append(make(task, after))
            after = (Kind.FOLLOW, kind, task)
    return tuple(chain)
