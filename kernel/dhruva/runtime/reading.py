"""A look at a store without serving it: for listing, `why` and replay, also while others run it.

Nothing is written, created, recovered or waited for. What is read is one snapshot: the transactions that
were durable when it began, and none that came later.
"""

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from dhruva.cells import Key, Kind
from dhruva.runtime import codec
from dhruva.runtime.calls import Kernel
from dhruva.runtime.engine import OWNERS, SERVES
from dhruva.runtime.owner import Gone, Unproven, prove_gone
from dhruva.runtime.shipped import shipped
from dhruva.runtime.sqlite import SqliteStore, SqliteTransaction, check_file
from dhruva.runtime.store import NotAStore, StoreError

SERVERS_MAX: Final = 20  # processes named as those that serve an executor


@contextmanager
def reading(path: str | Path, kernel: Kernel | None = None) -> "Iterator[Look]":
    """The store in this file, as it stands. Raises StoreError if there is none, or none of ours."""
    store = Snapshot(Path(path), (kernel or shipped()).tables)
    try:
        yield Look(store)
    except sqlite3.Error as fault:
        raise NotAStore(f"{path} is damaged: {fault}") from fault
    finally:
        store.connection.close()


class Snapshot(SqliteStore):
    """A store that can be read, and nothing else."""

    def __init__(self, path: Path, digest: str) -> None:
        self.path = path
        self.forget()
        self.connection = _opened(path)
        try:
            self.connection.execute("BEGIN")
            check_file(self.connection, path, digest)
            self.head = self.read_head()
        except sqlite3.DatabaseError as fault:
            self.connection.close()
            raise NotAStore(f"{path} is no store, or is damaged: {fault}") from fault
        except BaseException:
            self.connection.close()
            raise

    def begin(self) -> SqliteTransaction:
        raise StoreError(f"{self.path} is open for reading alone")

    def close(self) -> None:
        self.connection.close()


class Process(StrEnum):
    """What can be proven of a process that runs something, without waiting for it (LIF-15)."""

    LIVES = "lives"
    GONE = "gone"
    UNKNOWN = "unknown"


class Look(SqliteTransaction):
    """What can be read of a store; nothing can be written through it."""

    __slots__ = ("store",)

    def __init__(self, store: Snapshot) -> None:
        super().__init__(store, False)
        self.store = store

    def process(self, number: int) -> Process:
        """Whether this process lives. Its lock is let go of at once: who recovers finds it free."""
        nonce = self.payload(f"{OWNERS}{number}")
        proof = Unproven.UNKNOWN if nonce is None else prove_gone(self.store.path, nonce.decode())
        if isinstance(proof, Gone):
            proof.leave()
            return Process.GONE
        return Process.LIVES if proof == Unproven.LIVES else Process.UNKNOWN

    def servers(self, executor: int) -> list[int]:
        """The living processes that have this executor; the first few of them."""
        named = self.named(f"{SERVES}{executor}:", SERVERS_MAX)
        numbers = [int(name.rpartition(":")[2]) for name, _ in named]
        return [number for number in numbers if self.process(number) != Process.GONE]

    def some(self, kind: Kind, limit: int, after: bytes | None = None) -> list[tuple[bytes, Key, Any]]:
        """So many cells of this kind after that one, in the order of their keys, with the keys' bytes."""
        first, end = codec.prefix(kind)
        query = "SELECT key, cell FROM cells WHERE key > ? AND key < ? ORDER BY key LIMIT ?"
        rows = self.store.connection.execute(query, (after or first, end, limit)).fetchall()
        return [(key, codec.key_from_bytes(key), codec.from_bytes(cell)) for key, cell in rows]


def _opened(path: Path) -> sqlite3.Connection:
    """Links are not followed, and a file that is not there is not made."""
    try:
        found = path.lstat()
    except OSError as fault:
        raise StoreError(f"{path}: {(fault.strerror or 'no such store').lower()}") from fault
    if not stat.S_ISREG(found.st_mode):
        raise NotAStore(f"{path} is no plain file")
    if found.st_size == 0:
        raise NotAStore(f"{path} is empty, and no store")
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        return sqlite3.connect(uri, uri=True, isolation_level=None)
    except sqlite3.Error as fault:
        raise StoreError(f"{path} cannot be opened: {fault}") from fault
