"""What something in a store waits for, with the names that people gave (SHL-8).

The answer is that of `dhruva.why`; here are only names and the time of the last change, from the records.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from dhruva.cells import Key, Kind
from dhruva.ids import OwnerId, TaskId
from dhruva.runtime.creating import ROOT
from dhruva.runtime.executors import NAME_OF
from dhruva.runtime.store import Reader
from dhruva.why import Way, Why, key_name, said, way_line, why


@dataclass(frozen=True, slots=True)
class Waits:
    """What something waits for: the answer of `why`, with names. `str()` is one plain line."""

    why: Why
    name: str  # of the thing itself
    text: str
    on: tuple[str, ...]  # names of what it waits on
    since: datetime | None  # of its last change, where its record says

    def __str__(self) -> str:
        return self.text

    @property
    def reason(self) -> str:
        return str(self.why.reason)

    @property
    def ways(self) -> tuple[str, ...]:
        """What would move it on, and from whom."""
        return tuple(way_line(way) for way in self.why.ways)

    def to_json(self) -> dict[str, Any]:
        return {
            "thing": _plain(self.why.key),
            "state": self.why.state or None,
            "reason": self.reason,
            "because": self.why.because or None,
            "rule": self.why.rule.split(),
            "on": [_plain(key) | {"name": name} for key, name in zip(self.why.on, self.on, strict=True)],
            "more": self.why.more,
            "since": None if self.since is None else self.since.isoformat(),
            "ways": [_way(way) for way in self.why.ways],
            "text": f"{self.name} {self.text}",
        }


def _plain(key: Key) -> dict[str, Any]:
    return {"kind": str(key[0]), "id": name_id(key)}


def name_id(key: Key) -> str:
    """The id of a thing as people write it: `12`, or `12.1.3` for an attempt."""
    return key_name(key).partition(" ")[2]


def _way(way: Way) -> dict[str, Any]:
    return {"input": type(way.input).__name__, "from": str(way.who)}


class Names:
    """Names of things, as their records have them."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def __call__(self, key: Key) -> str:
        if key[0] == Kind.TASK:
            return self._task(key[1]) or key_name(key)
        if key[0] == Kind.ATTEMPT:
            owner = self._task(key[1].owner)
            return key_name(key) if owner is None else f"{key_name(key)} of {owner}"
        if key[0] == Kind.SCOPE:
            return self._scope(key)
        if key[0] == Kind.EXECUTOR:
            name = self._reader.payload(f"{NAME_OF}{key[1]}")
            return key_name(key) if name is None else f'executor "{name.decode()}"'
        return key_name(key)

    def _scope(self, key: Key) -> str:
        root = self._reader.payload(ROOT)
        if root is not None and int(root) == key[1]:
            return "the root scope"
        name = self._reader.payload(f"scope-name:{key[1]}")
        return key_name(key) if name is None else f'scope "{name.decode()}"'

    def _task(self, number: int) -> str | None:
        row = self._reader.task(number)
        return None if row is None else f'"{row.name}"'


def links_of(reader: Reader) -> Callable[[TaskId], list[tuple[TaskId, int]]]:
    """What a task depends on, from its record."""

    def links(task: TaskId) -> list[tuple[TaskId, int]]:
        row = reader.task(task)
        found = [] if row is None else msgspec.msgpack.decode(row.links, type=list[tuple[int, int]])
        return [(TaskId(OwnerId(on)), number) for on, number in found]

    return links


def why_of(reader: Reader, key: Key) -> Waits:
    """What this waits for, now."""
    state = reader.state(key[1]) if key[0] == Kind.TASK else None
    answer = why(reader.read, key, links_of(reader))
    names = Names(reader)
    since = None if state is None else datetime.fromtimestamp(state.updated / 1000, UTC)
    return Waits(answer, names(key), said(answer, names), tuple(map(names, answer.on)), since)
