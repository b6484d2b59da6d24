"""Cancel and delete: calls about one task that exists (LIF-8, LIF-20).

Whether a task may be cancelled or deleted is for `step` to say; here is decided which inputs ask for it.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple
from uuid import UUID

from dhruva.ids import TaskId
from dhruva.inputs import Cancel, Delete, Unlink
from dhruva.requests.refusals import Refusal, unknown
from dhruva.requests.tree import Lookup


def cancel(id_: UUID, known: Lookup) -> tuple[Cancel] | Refusal:
    """One input. A task that has ended is refused by `step` (LIF-8)."""
    found = known(id_)
    return unknown(id_) if found is None else (Cancel(found.task),)


class LinkTo(NamedTuple):
    """The task is the dependent of that number of `on`: the cell (LINK, on, number)."""

    on: TaskId
    number: int


def delete(
    id_: UUID, known: Lookup, links: Callable[[TaskId], Iterable[LinkTo]]
) -> tuple[Unlink | Delete, ...] | Refusal:
    """First each link to what it depends on, then the task itself (LIF-20).

    A task's cell does not say under which numbers others know it; the shell finds these links by the
    dependencies in the task's definition, or by an index over the links.
    """
    found = known(id_)
    if found is None:
        return unknown(id_)
    task = found.task
    return (*(Unlink(task, link.on, link.number) for link in sorted(links(task))), Delete(task))
