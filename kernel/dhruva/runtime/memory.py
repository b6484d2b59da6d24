"""A store in memory: a dict. No queue, no thread, no clock; the same calls give the same store."""

from collections.abc import Iterator
from typing import Any

from dhruva.cells import Key, Kind
from dhruva.runtime import codec
from dhruva.runtime.store import START, Head, Link, StoreError, Writes


class MemoryStore:
    """Cells, payloads and journal that end with the process."""

    durable = False

    def __init__(self) -> None:
        self.held: dict[Key, Any] = {}
        self.payloads: dict[str, bytes] = {}
        self.journal: list[Link] = []
        self.last_id = 0
        self.open: MemoryTransaction | None = None

    def begin(self) -> "MemoryTransaction":
        if self.open is not None:
            raise StoreError("the memory store has an open transaction already")
        self.open = MemoryTransaction(self)
        return self.open

    def links(self, first: int = 1) -> Iterator[Link]:
        return iter(self.journal[first - 1 :])

    def cells(self) -> Iterator[tuple[Key, Any]]:
        return iter(sorted(self.held.items(), key=lambda item: codec.key_to_bytes(item[0])))

    def close(self) -> None:
        """Nothing to let go of."""


class MemoryTransaction:
    """Reads go to the dict itself; writes come with the commit."""

    __slots__ = ("_store", "read")

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self.read = store.held.get

    @property
    def head(self) -> Head:
        journal = self._store.journal
        return Head(journal[-1].number, journal[-1].hash) if journal else START

    def scan(self, kind: Kind) -> Iterator[tuple[Key, Any]]:
        return ((key, cell) for key, cell in self._store.cells() if key[0] == kind)

    def payload(self, name: str) -> bytes | None:
        return self._store.payloads.get(name)

    def new_id(self) -> int:
        self._store.last_id += 1
        return self._store.last_id

    def commit(self, writes: Writes) -> None:
        held, payloads = self._store.held, self._store.payloads
        for key, cell in writes.cells.items():
            if cell is None:
                held.pop(key, None)
            else:
                held[key] = cell
        for name, payload in writes.payloads.items():
            if payload is None:
                payloads.pop(name, None)
            else:
                payloads[name] = payload
        if writes.link is not None:
            self._store.journal.append(writes.link)
        self._store.open = None

    def rollback(self) -> None:
        self._store.open = None
