"""The contract of a store: cells, payloads and journal that change together, or not at all (SHL-2).

A store is used by one thread at a time. `begin` opens the one transaction that may write; everything
is read through it, and what it commits is durable when `commit` returns. Memory and SQLite pass the
same tests (tests/runtime/test_store.py); another store passes them too, or is none.

- A cell is read as it was last committed, by whoever committed it: a cell that was kept in memory
  is forgotten as soon as someone else has written to the store.
- Ids come from one growing supply. An id that was committed is never handed out again.
- Payloads are bytes under a name. No rule reads them.
- A link of the journal is stored as it was sealed. The store never looks into it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, Protocol

from dhruva.cells import Cell, Key, Kind


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


class Writes(NamedTuple):
    """What a transaction writes. None removes."""

    cells: Mapping[Key, Cell | None]
    rows: tuple[Row, ...]  # the same cells, encoded; empty where nobody needs them so
    payloads: Mapping[str, bytes | None]
    link: Link | None


class Transaction(Protocol):
    """The one transaction that may write. It ends with `commit` or `rollback`."""

    @property
    def head(self) -> Head:
        """The newest link of the journal."""

    def read(self, key: Key) -> Any:
        """The cell under this key, or None. Raises Undecodable if its bytes are no cell."""

    def scan(self, kind: Kind) -> Iterator[tuple[Key, Any]]:
        """Every cell of this kind, in the order of its keys. Costs what there is of that kind."""

    def payload(self, name: str) -> bytes | None:
        """The payload under this name, or None."""

    def new_id(self) -> int:
        """An id that nobody was given before."""

    def commit(self, writes: Writes) -> None:
        """All of it is durable, or a StoreError is raised and none of it has happened."""

    def rollback(self) -> None:
        """Nothing has happened."""


class Store(Protocol):
    """Where cells, payloads and the journal are."""

    durable: bool  # what was committed is there after a crash; such a store keeps a journal

    def begin(self) -> Transaction:
        """Waits until nobody else writes."""

    def links(self, first: int = 1) -> Iterator[Link]:
        """The journal from this number on, as it is stored."""

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


class StoreInUse(StoreError):
    """Another process serves this store."""


class CommitFailed(StoreError):
    """The transaction did not take place. Nothing of it is stored."""


class CommitUnknown(StoreError):
    """Whether the transaction took place could not even be read. Only opening the store again tells."""
