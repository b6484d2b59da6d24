"""The contract of a store: cells, payloads, records and journal that change together, or not at all (SHL-2).

A store is used by one thread at a time. `begin` opens the one transaction that may write; everything
is read through it, and what it commits is durable when `commit` returns. Memory and SQLite pass the
same tests (tests/runtime/test_store.py); another store passes them too, or is none.

- A cell is read as it was last committed, by whoever committed it: a cell that was kept in memory
  is forgotten as soon as someone else has written to the store.
- Ids come from one growing supply. An id that was committed is never handed out again.
- Payloads are bytes under a name `space:rest`, and are listed by the beginning of a name, in the order of
  names. No rule reads them.
- The record of a task is two rows: what it was created with, and how it stands. The cells say
  what may happen to it; the rows are what people see, and what they are found by (LIF-17).
- A link of the journal is stored as it was sealed. The store never looks into it.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol

from dhruva.cells import Cell, FollowUp, Key, Kind


class Link(NamedTuple):
    """One transaction in the journal (SHL-7). The hash covers the body, and the body the hash before it."""

    number: int
    body: bytes
    hash: bytes


class Head(NamedTuple):
    """The newest link. A store without one is at number 0."""

    number: int
    hash: bytes


START: Final = Head(0, b"")
Row = tuple[bytes, bytes | None]  # an encoded key, and its encoded cell or None where it is removed


class Checkpoint(NamedTuple):
    """Where replay begins: the newest link that stands for all before it, and the cells as they were then."""

    number: int
    hash: bytes  # of that link
    last_id: int  # ids up to this one were handed out before
    cells: bytes  # hash of the cells


class TaskRow(NamedTuple):
    """What a task was created with; it never changes."""

    uuid: bytes
    name: str
    executor: str
    parent: int | None
    links: bytes  # which dependent it is of what it depends on: msgpack [[on, number], ...]
    definition: bytes  # the whole definition, as JSON


class State(NamedTuple):
    """How a task stands, as people see it. Stamps are milliseconds since the epoch (LIF-2)."""

    status: str
    created: int
    started: int | None
    completed: int | None
    updated: int
    progress: int  # in thousandths
    result: bytes | None  # JSON
    error: str | None
    retry_initial: int  # milliseconds until the first retry, doubled for each further one
    retry_cap: int


class Query(NamedTuple):
    """Which tasks to list. What is None does not matter."""

    status: str | None = None
    name: str | None = None  # the beginning of the name
    parent: int | None = None
    executor: str | None = None
    newest: bool = False  # the newest first
    after: tuple[str, int] | None = None  # name and id of the last one seen
    limit: int = 100


class Found(NamedTuple):
    """A page of a listing: ids, and where the next page begins; None: there is no more."""

    tasks: tuple[int, ...]
    after: tuple[str, int] | None


EXAMINED_MAX: Final = 2_000  # rows that one page looks at; what filters leave out is not looked for endlessly
NONE: Final[Mapping[Any, Any]] = MappingProxyType({})


class Writes(NamedTuple):
    """What a transaction writes. None removes."""

    cells: Mapping[Key, Cell | None]
    rows: tuple[Row, ...]  # the same cells, encoded; empty where nobody needs them so
    payloads: Mapping[str, bytes | None]
    link: Link | None
    tasks: Mapping[int, TaskRow | None] = NONE
    states: Mapping[int, State | None] = NONE
    checkpoint: bool = False  # afterwards the journal begins here


class Reader(Protocol):
    """What can be read in a transaction."""

    def read(self, key: Key) -> Any:
        """The cell under this key, or None. Raises Undecodable if its bytes are no cell."""

    def scan(self, kind: Kind, word: FollowUp | None = None) -> Iterator[tuple[Key, Any]]:
        """Every cell of this kind (follow-ups: of this word), in the order of keys. Costs what there is."""

    def payload(self, name: str) -> bytes | None:
        """The payload under this name, or None."""

    def named(self, beginning: str, limit: int = -1) -> list[tuple[str, bytes]]:
        """The payloads whose names begin so, in the order of names; at most so many."""

    def task(self, task: int) -> TaskRow | None:
        """What this task was created with."""

    def state(self, task: int) -> State | None:
        """How this task stands."""

    def find(self, uuid: bytes) -> int | None:
        """The id of the task that people know under this one."""

    def page(self, query: Query) -> Found:
        """Tasks in the order of their creation; by name, where a name is asked for."""


class Transaction(Reader, Protocol):
    """The one transaction that may write. It ends with `commit` or `rollback`."""

    others: bool  # someone else has written since the last transaction of this store

    @property
    def head(self) -> Head:
        """The newest link of the journal."""

    def new_id(self) -> int:
        """An id that nobody was given before."""

    def commit(self, writes: Writes) -> None:
        """All of it is durable, or a StoreError is raised and none of it has happened."""

    def rollback(self) -> None:
        """Nothing has happened."""


class Store(Protocol):
    """Where cells, payloads and the journal are."""

    durable: bool  # what was committed is there after a crash; such a store keeps a journal
    shared: bool  # other processes may serve it too

    def begin(self) -> Transaction:
        """Waits until nobody else writes."""

    def moved_on(self) -> bool:
        """Whether someone else has written since the last transaction. Costs next to nothing."""

    def links(self, first: int = 1) -> Iterator[Link]:
        """The journal from this number on, as it is stored."""

    def checkpoint(self) -> tuple[Checkpoint, list[Row]] | None:
        """The newest checkpoint and its cells, encoded, in the order of their keys."""

    def cells(self) -> Iterator[tuple[Key, Any]]:
        """Every cell there is. For replay and tools: it costs what is stored."""

    def close(self) -> None: ...


class StoreError(Exception):
    """The store cannot do what was asked; the message says which store and why."""


class NotAStore(StoreError):
    """The file is no store of ours, or is damaged."""


class OtherTables(StoreError):
    """The store was written by other tables, or in another layout (SHL-9)."""

    def __init__(self, where: str, what: str, found: str, wanted: str) -> None:
        super().__init__(f"{where} was written with {what} {found}; this program has {wanted}")
        self.where, self.what, self.found, self.wanted = where, what, found, wanted


class StoreFull(StoreError):
    """So much waits to be written that nothing new is taken (SHL-10). Nothing has happened."""


class StoreBusy(StoreError):
    """Another process holds the store for longer than anyone should; it may have been stopped."""


class CommitFailed(StoreError):
    """The transaction did not take place. Nothing of it is stored."""


class CommitUnknown(StoreError):
    """Whether the transaction took place could not even be read. Only opening the store again tells."""
