"""The highest key of each kind that a store has: above it nothing is stored, and nothing need be asked for.

Ids grow, so most keys that are looked up in vain are those of something new: the next attempt, the next task.
A key that was removed may still count as the highest; then the store is asked, as for any other.
"""

import sqlite3
from collections.abc import Iterable
from typing import Final

from dhruva.cells import Kind
from dhruva.runtime import codec
from dhruva.runtime.store import Row

_TWO: Final = frozenset(codec.prefix(kind)[0] for kind in (Kind.FOLLOW, Kind.EFFECT))
"""Kinds whose second part is a word, under which the ids grow."""


class Highest:
    """As one connection knows it, for as long as no other one writes."""

    def __init__(self) -> None:
        self._keys: dict[bytes, bytes] = {}

    def above(self, db: sqlite3.Connection, key: bytes) -> bool:
        """Whether nothing is stored under this key, because it is above all others of its kind."""
        begins = _begins(key)
        highest = self._keys.get(begins)
        if highest is None:
            highest = self._keys[begins] = _highest(db, begins)
        return highest < key

    def wrote(self, rows: Iterable[Row]) -> None:
        """What this connection has committed."""
        for key, _ in rows:
            begins = _begins(key)
            if self._keys.get(begins, key) < key:
                self._keys[begins] = key


def _begins(key: bytes) -> bytes:
    return key[:2] if key[:1] in _TWO else key[:1]


def _highest(db: sqlite3.Connection, begins: bytes) -> bytes:
    """Empty, which is below every key, if there is none."""
    ends = begins[:-1] + bytes([begins[-1] + 1])
    query = "SELECT key FROM cells WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT 1"
    found = db.execute(query, (begins, ends)).fetchone()
    return b"" if found is None else bytes(found[0])
