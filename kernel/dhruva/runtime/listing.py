"""Listing and search with pages: each page costs what it shows, whatever is stored (LIF-17).

A page begins where the last one ended, by the name and id of the last task seen, so nothing is counted or
skipped. One filter picks the index; what the others leave out is looked at up to a bound, and the
page then ends early and says where to go on.
"""

import base64
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from dhruva.runtime.store import EXAMINED_MAX, Found, Query


class Line(NamedTuple):
    """What a listing looks at."""

    task: int
    name: str
    executor: str
    parent: int | None
    status: str


def examine(query: Query, lines: Iterable[Line]) -> Found:
    """The first of these that fit, and where to go on."""
    found: list[int] = []
    for examined, line in enumerate(lines, 1):
        if _fits(query, line):
            found.append(line.task)
        if len(found) == query.limit or examined == EXAMINED_MAX:
            return Found(tuple(found), (line.name, line.task))
    return Found(tuple(found), None)


def _fits(query: Query, line: Line) -> bool:
    return (
        (query.status is None or query.status == line.status)
        and (query.name is None or line.name.startswith(query.name))
        and (query.parent is None or query.parent == line.parent)
        and (query.executor is None or query.executor == line.executor)
    )


def to_cursor(after: tuple[str, int] | None) -> str | None:
    """Where the next page begins, as a word that can be passed around."""
    return None if after is None else base64.urlsafe_b64encode(msgspec.msgpack.encode(after)).decode()


def from_cursor(cursor: str | None) -> tuple[str, int] | None:
    """Raises ValueError if this is none of ours."""
    if cursor is None:
        return None
    try:
        plain = base64.urlsafe_b64decode(cursor.encode())
        return msgspec.msgpack.decode(plain, type=tuple[str, int])
    except ValueError as fault:  # msgspec's own are such, too
        raise ValueError(f"after is {cursor!r}; it must be the `next` of an earlier page") from fault
