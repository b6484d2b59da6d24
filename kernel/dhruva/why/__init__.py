"""`why`: what a thing waits for now, and which input, from whom, would move it on (SHL-8). Pure.

Nothing is decided here. Guards, decisions and whole rules of the kernel are asked, over the cells as they
stand, and whatever is tried is thrown away; so `why` cannot say anything else than `step` does. It reads a
bounded number of cells. `route` tells how to get to where a refused event is allowed, from the tables alone.
"""

from collections.abc import Callable
from typing import Final

from dhruva.cells import Key, Kind, Read
from dhruva.ids import TaskId
from dhruva.step import BOOK
from dhruva.walk import Book
from dhruva.why.answer import NAMED_MAX, Reason, Way, Who, Why
from dhruva.why.asking import Asking, Links
from dhruva.why.follow_ups import of_follow_up, of_parked
from dhruva.why.others import of_effect, of_human, of_instance, of_lock
from dhruva.why.routes import Route, route, route_of
from dhruva.why.scopes import of_attempt, of_cap, of_request, of_resource, of_scope
from dhruva.why.tasks import of_task
from dhruva.why.text import Name, explained, key_name, line, route_line, said, way_line

__all__ = [
    "NAMED_MAX",
    "Links",
    "Name",
    "Reason",
    "Route",
    "Way",
    "Who",
    "Why",
    "explained",
    "key_name",
    "line",
    "route",
    "route_line",
    "route_of",
    "said",
    "way_line",
    "why",
]

ANSWERS: Final[dict[Kind, Callable[[Asking, Key], Why]]] = {
    Kind.TASK: of_task,
    Kind.REQUEST: of_request,
    Kind.SCOPE: of_scope,
    Kind.CAP: of_cap,
    Kind.ATTEMPT: of_attempt,
    Kind.RESOURCE: of_resource,
    Kind.PARKED: of_parked,
    Kind.FOLLOW: of_follow_up,
    Kind.EFFECT: of_effect,
    Kind.LOCK: of_lock,
    Kind.INSTANCE: of_instance,
    Kind.HUMAN: of_human,
}
"""The kinds of cells that wait for something; the others are counters, links and places in a line."""


def _none(_task: TaskId) -> tuple[tuple[TaskId, int], ...]:
    return ()


def why(read: Read, key: Key, links: Links = _none, book: Book = BOOK) -> Why:
    """What the thing under this key waits for. `links`: what a task depends on, as its definition has it."""
    answer = ANSWERS.get(key[0])
    if answer is None:
        known = ", ".join(ANSWERS)
        raise ValueError(f"nothing waits under a key of kind {str(key[0])!r}; kinds that do: {known}")
    return answer(Asking(book, read, links), key)
