"""A store in one SQLite file: write-ahead log, synchronous=FULL, one table of cells.

One thread uses the connection. A transaction begins with BEGIN IMMEDIATE, so that what it reads is
what it changes; cells that were read stay in memory until `PRAGMA data_version` says that another
connection has written. Rows are written with few statements of fixed sizes: sqlite3 gives up
the interpreter lock at every statement, and beside busy code each costs up to 5 ms.
"""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from dhruva.cells import Key, Kind
from dhruva.runtime import codec
from dhruva.runtime.store import (
    START,
    CommitFailed,
    CommitUnknown,
    Head,
    Link,
    NotAStore,
    OtherTables,
    StoreError,
    Writes,
)

APPLICATION_ID: Final = 0x64687276  # "dhrv", in the header of the file
SIZES: Final = (64, 16, 4, 1)  # rows per statement
CACHED_MAX: Final = 200_000  # cells kept in memory
BUSY_MS: Final = 30_000  # how long to wait for another process that writes

SCHEMA: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE cells (key BLOB PRIMARY KEY, cell BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE payloads (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE journal (number INTEGER PRIMARY KEY, body BLOB NOT NULL, hash BLOB NOT NULL);
"""

Connect = Callable[[str], sqlite3.Connection]


def _connect(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=64)


def _private_file(path: Path) -> None:
    """The file exists, is a plain file, and a new one is its owner's alone. Links are not followed.

    A file that exists is not opened here: closing it would drop the locks of other connections.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise NotAStore(f"{path} is no plain file") from None
    except OSError as fault:
        raise StoreError(f"{path} cannot be created: {fault.strerror}") from fault


def _named(path: Path, fault: BaseException) -> BaseException:
    """What went wrong at opening, as one of our errors if it is SQLite's."""
    if isinstance(fault, sqlite3.OperationalError):
        return StoreError(f"{path} cannot be opened: {fault}")
    if isinstance(fault, sqlite3.DatabaseError):
        return NotAStore(f"{path} is no store, or is damaged: {fault}")
    return fault


class SqliteStore:
    """The store in the file at `path`. `digest` names the tables; a file of other tables is refused."""

    durable = True

    def __init__(self, path: str | Path, digest: str, connect: Connect = _connect) -> None:
        self.path = Path(path)
        _private_file(self.path)
        self.connection = connect(str(self.path))
        try:
            self._configure()
            self._check(digest)
        except BaseException as fault:
            self.connection.close()
            raise _named(self.path, fault) from fault
        self.cached: dict[Key, Any] = {}
        self.version: int | None = None
        self.head = START
        self.last_id = 0  # handed out
        self.stored_id = 0  # of these, known to the file

    def _configure(self) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        self.connection.execute("PRAGMA synchronous = FULL")
        found = self.connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if found != "wal":
            raise StoreError(f"{self.path}: no write-ahead log here (journal_mode is {found!r})")

    def _check(self, digest: str) -> None:
        """A new file gets the schema; a file of another layout or other tables is refused by name."""
        db = self.connection
        db.execute("BEGIN IMMEDIATE")
        try:
            if db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0:
                self._create(digest)
            db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")
            raise
        if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise NotAStore(f"{self.path} is a database of another program")
        meta = dict(db.execute("SELECT name, value FROM meta"))
        for what, wanted in (("layout", codec.LAYOUT), ("tables", digest)):
            if meta.get(what) != wanted:
                raise OtherTables(str(self.path), what, str(meta.get(what)), wanted)

    def _create(self, digest: str) -> None:
        for statement in SCHEMA.strip().split(";\n"):
            self.connection.execute(statement)
        self.connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        rows = [("layout", codec.LAYOUT), ("tables", digest), ("last_id", "0")]
        self.connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)

    def begin(self) -> "SqliteTransaction":
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            self._refresh()
        except sqlite3.Error as fault:
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            raise StoreError(f"{self.path}: no transaction: {fault}") from fault
        return SqliteTransaction(self)

    def _refresh(self) -> None:
        """Someone else wrote: what is kept in memory is forgotten, the journal's head read again."""
        version: int = self.connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self.version or len(self.cached) > CACHED_MAX:
            self.cached.clear()
            self.version, self.head = version, self.read_head()
            self.stored_id = self._read_stored_id()
            self.last_id = max(self.last_id, self.stored_id)

    def read_head(self) -> Head:
        row = self.connection.execute(
            "SELECT number, hash FROM journal ORDER BY number DESC LIMIT 1"
        ).fetchone()
        return START if row is None else Head(*row)

    def _read_stored_id(self) -> int:
        return int(self.connection.execute("SELECT value FROM meta WHERE name = 'last_id'").fetchone()[0])

    def links(self, first: int = 1) -> Iterator[Link]:
        query = "SELECT number, body, hash FROM journal WHERE number >= ? ORDER BY number"
        with closing(self.connection.execute(query, (first,))) as rows:
            yield from map(Link._make, rows)

    def cells(self) -> Iterator[tuple[Key, Any]]:
        with closing(self.connection.execute("SELECT key, cell FROM cells ORDER BY key")) as rows:
            for key, cell in rows:
                yield codec.key_from_bytes(key), codec.from_bytes(cell)

    def close(self) -> None:
        self.connection.close()


class SqliteTransaction:
    """Between BEGIN IMMEDIATE and COMMIT."""

    __slots__ = ("_fresh", "_store")

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._fresh = store.cached

    @property
    def head(self) -> Head:
        return self._store.head

    def read(self, key: Key) -> Any:
        cached = self._fresh
        if key in cached:
            return cached[key]
        data = codec.key_to_bytes(key)
        row = self._store.connection.execute("SELECT cell FROM cells WHERE key = ?", (data,)).fetchone()
        cell = cached[key] = None if row is None else codec.from_bytes(row[0])
        return cell

    def scan(self, kind: Kind) -> Iterator[tuple[Key, Any]]:
        query = "SELECT key, cell FROM cells WHERE key >= ? AND key < ? ORDER BY key"
        rows = self._store.connection.execute(query, codec.prefix(kind)).fetchall()
        return ((codec.key_from_bytes(key), codec.from_bytes(cell)) for key, cell in rows)

    def payload(self, name: str) -> bytes | None:
        query = "SELECT value FROM payloads WHERE name = ?"
        row = self._store.connection.execute(query, (name,)).fetchone()
        return None if row is None else bytes(row[0])

    def new_id(self) -> int:
        self._store.last_id += 1
        return self._store.last_id

    def commit(self, writes: Writes) -> None:
        store = self._store
        try:
            self._write(writes)
            store.connection.execute("COMMIT")
        except sqlite3.Error as fault:
            self._settle(writes.link, fault)
        self._fresh.update(writes.cells)
        store.stored_id = store.last_id
        if writes.link is not None:
            store.head = Head(writes.link.number, writes.link.hash)

    def _write(self, writes: Writes) -> None:
        db = self._store.connection
        _many(db, "REPLACE INTO cells VALUES {}", "(?, ?)", [r for r in writes.rows if r[1] is not None])
        _many(db, "DELETE FROM cells WHERE key IN ({})", "?", [r[:1] for r in writes.rows if r[1] is None])
        put = [(name, value) for name, value in writes.payloads.items() if value is not None]
        _many(db, "REPLACE INTO payloads VALUES {}", "(?, ?)", put)
        gone = [(name,) for name, value in writes.payloads.items() if value is None]
        _many(db, "DELETE FROM payloads WHERE name IN ({})", "?", gone)
        if writes.link is not None:
            db.execute("INSERT INTO journal VALUES (?, ?, ?)", writes.link)
        if self._store.last_id != self._store.stored_id:
            db.execute("UPDATE meta SET value = ? WHERE name = 'last_id'", (str(self._store.last_id),))

    def _settle(self, link: Link | None, fault: sqlite3.Error) -> None:
        """Whether the commit took place is read, and the commit is not repeated (SHL-2)."""
        store = self._store
        try:
            if store.connection.in_transaction:
                store.connection.execute("ROLLBACK")
            found = store.read_head()
        except sqlite3.Error as second:
            store.version = None
            raise CommitUnknown(f"{store.path}: {fault}; then {second}") from fault
        if link is None or found != Head(link.number, link.hash):
            store.version = None
            raise CommitFailed(f"{store.path}: {fault}") from fault

    def rollback(self) -> None:
        with suppress(sqlite3.Error):
            self._store.connection.execute("ROLLBACK")


def _many(db: sqlite3.Connection, statement: str, place: str, rows: Iterable[Sequence[Any]]) -> None:
    """All rows, with as few statements as the fixed sizes allow."""
    left = list(rows)
    for size in SIZES:
        while len(left) >= size:
            now, left = left[:size], left[size:]
            values = [value for row in now for value in row]
            db.execute(statement.format(", ".join([place] * size)), values)
