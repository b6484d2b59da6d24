"""A store in memory: dicts. No queue, no thread, no clock; the same calls give the same store."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

from dhruva.cells import FollowUp, Key, Kind
from dhruva.runtime import codec
from dhruva.runtime.journal import hash_of
from dhruva.runtime.listing import Line, examine
from dhruva.runtime.store import (
    START,
    Checkpoint,
    Found,
    Head,
    Link,
    Query,
    Row,
    State,
    StoreError,
    TaskRow,
    Writes,
)


class MemoryStore:
    """Cells, payloads, records and journal that end with the process."""

    durable = False
    shared = False

    def __init__(self) -> None:
        self.held: dict[Key, Any] = {}
        self.spaces: dict[str, dict[str, bytes]] = {}  # payloads, by the first part of their names
        self.tasks: dict[int, TaskRow] = {}
        self.states: dict[int, State] = {}
        self.numbers: dict[bytes, int] = {}
        self.order: list[tuple[str, int]] | None = None  # names and ids, sorted; None: to be sorted again
        self.journal: list[Link] = []
        self.checked: tuple[Checkpoint, list[Row]] | None = None
        self.last_id = 0
        self.open: MemoryTransaction | None = None

    def begin(self) -> "MemoryTransaction":
        if self.open is not None:
            raise StoreError("the memory store has an open transaction already")
        self.open = MemoryTransaction(self)
        return self.open

    def moved_on(self) -> bool:
        return False

    def links(self, first: int = 1) -> Iterator[Link]:
        return iter(self.journal[first - self.journal[0].number :] if self.journal else ())

    def checkpoint(self) -> tuple[Checkpoint, list[Row]] | None:
        return self.checked

    def cells(self) -> Iterator[tuple[Key, Any]]:
        return iter(sorted(self.held.items(), key=lambda item: codec.key_to_bytes(item[0])))

    def line(self, task: int) -> Line:
        row = self.tasks[task]
        return Line(task, row.name, row.executor, row.parent, self.states[task].status)

    def close(self) -> None:
        """Nothing to let go of."""


class MemoryTransaction:
    """Reads go to the dicts themselves; writes come with the commit."""

    __slots__ = ("_store", "find", "read", "state", "task")
    others = False

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self.read = store.held.get
        self.task = store.tasks.get
        self.state = store.states.get
        self.find = store.numbers.get

    @property
    def head(self) -> Head:
        journal = self._store.journal
        return Head(journal[-1].number, journal[-1].hash) if journal else START

    def scan(self, kind: Kind, word: FollowUp | None = None) -> Iterator[tuple[Key, Any]]:
        begins = (kind,) if word is None else (kind, word)
        return ((key, cell) for key, cell in self._store.cells() if key[: len(begins)] == begins)

    def payload(self, name: str) -> bytes | None:
        return self._store.spaces.get(name.partition(":")[0], {}).get(name)

    def named(self, beginning: str, limit: int = -1) -> list[tuple[str, bytes]]:
        space = self._store.spaces.get(beginning.partition(":")[0], {})
        found = sorted(item for item in space.items() if item[0].startswith(beginning))
        return found if limit < 0 else found[:limit]

    def page(self, query: Query) -> Found:
        store = self._store
        if query.name is None:
            ids = list(store.tasks)  # ids grow, so this is their order
            after: Any = None if query.after is None else query.after[1]
        else:
            if store.order is None:
                store.order = sorted((row.name, task) for task, row in store.tasks.items())
            first = bisect_left(store.order, (query.name, 0))
            last = bisect_right(store.order, (query.name + chr(0x10FFFF), 0))
            ids = [task for _, task in store.order[first:last]]
            after = query.after
        return examine(query, (store.line(task) for task in _onward(ids, after, query, store)))

    def new_id(self) -> int:
        self._store.last_id += 1
        return self._store.last_id

    def commit(self, writes: Writes) -> None:
        held = self._store.held
        for key, cell in writes.cells.items():
            if cell is None:
                held.pop(key, None)
            else:
                held[key] = cell
        if writes.payloads or writes.tasks or writes.states:
            self._keep(writes)
        if writes.link is not None:
            self._store.journal.append(writes.link)
        if writes.checkpoint and self._store.journal:
            self._check()
        self._store.open = None

    def _check(self) -> None:
        store, newest = self._store, self._store.journal[-1]
        rows = list(codec.rows(store.held))
        store.checked = Checkpoint(newest.number, newest.hash, store.last_id, hash_of(rows)), rows
        store.journal = [newest]

    def _keep(self, writes: Writes) -> None:
        store = self._store
        for name, payload in writes.payloads.items():
            space = store.spaces.setdefault(name.partition(":")[0], {})
            if payload is None:
                space.pop(name, None)
            else:
                space[name] = payload
        for task, row in writes.tasks.items():
            store.order = None
            if row is not None:
                store.tasks[task] = row
                store.numbers[row.uuid] = task
            elif task in store.tasks:
                del store.numbers[store.tasks.pop(task).uuid]
        for task, state in writes.states.items():
            if state is None:
                store.states.pop(task, None)
            else:
                store.states[task] = state

    def rollback(self) -> None:
        self._store.open = None


def _onward(ids: list[int], after: Any, query: Query, store: MemoryStore) -> list[int]:
    """Those that come after the last one seen, in the order that was asked for."""

    def place(task: int) -> Any:
        return task if query.name is None else (store.tasks[task].name, task)

    if after is None:
        return ids[::-1] if query.newest else ids
    if query.newest:
        return ids[: bisect_left(ids, after, key=place)][::-1]
    return ids[bisect_right(ids, after, key=place) :]
