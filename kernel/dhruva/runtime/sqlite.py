"""A store in one SQLite file: write-ahead log, synchronous=FULL, one table of cells.

One thread uses the connection; other processes have their own. A transaction goes through the turnstile
and begins with BEGIN IMMEDIATE, so that what it reads is what it changes; what was read stays in
memory until `PRAGMA data_version` says that another connection has written. Few statements are made: sqlite3
gives up the interpreter lock at every one, and beside busy code each costs up to 5 ms.
"""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from dhruva.cells import FollowUp, Key, Kind
from dhruva.runtime import codec, sqlite_records
from dhruva.runtime.highest import Highest
from dhruva.runtime.journal import hash_of
from dhruva.runtime.sqlite_rows import flat, put
from dhruva.runtime.store import (
    START,
    Checkpoint,
    CommitFailed,
    CommitUnknown,
    Found,
    Head,
    Link,
    NotAStore,
    OtherTables,
    Query,
    Row,
    State,
    StoreError,
    TaskRow,
    Writes,
)
from dhruva.runtime.turnstile import Turnstile

APPLICATION_ID: Final = 0x64687276  # "dhrv", in the header of the file
CACHED_MAX: Final = 200_000  # cells, records and payloads kept in memory
SMALL: Final = 256  # bytes of a payload that is kept in memory
BUSY_SECONDS: Final = 30.0  # how long to wait for another process that writes

SCHEMA: Final = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE cells (key BLOB PRIMARY KEY, cell BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE payloads (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE journal (number INTEGER PRIMARY KEY, body BLOB NOT NULL, hash BLOB NOT NULL)",
    "CREATE TABLE checked (key BLOB PRIMARY KEY, cell BLOB NOT NULL) WITHOUT ROWID",
    *sqlite_records.SCHEMA,
)

Connect = Callable[[str], sqlite3.Connection]


def _connect(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=128)


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


def check_file(db: sqlite3.Connection, path: Path, digest: str) -> None:
    """The file is a store of this layout and these tables; one of others is refused by name (SHL-9)."""
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise NotAStore(f"{path} is a database of another program")
    meta = dict(db.execute("SELECT name, value FROM meta"))
    for what, wanted in (("layout", codec.LAYOUT), ("tables", digest)):
        if meta.get(what) != wanted:
            raise OtherTables(str(path), what, str(meta.get(what)), wanted)


class SqliteStore:
    """The store in the file at `path`. `digest` names the tables; a file of other tables is refused."""

    durable = True
    shared = True

    def __init__(
        self, path: str | Path, digest: str, connect: Connect = _connect, busy: float = BUSY_SECONDS
    ) -> None:
        self.path, self.busy = Path(path), busy
        _private_file(self.path)
        self.turnstile = Turnstile(self.path)
        try:
            self._open(digest, connect)
        except BaseException:
            self.turnstile.close()
            raise
        self.forget()
        self.version: int | None = None
        self.head = START
        self.last_id = 0  # handed out
        self.stored_id = 0  # of these, known to the file

    def forget(self) -> None:
        """Nothing of the file is known."""
        self.cached: dict[Key, Any] = {}
        self.states: dict[int, State | None] = {}
        self.payloads: dict[str, bytes | None] = {}
        self.highest = Highest()

    def _open(self, digest: str, connect: Connect) -> None:
        """In our turn: nobody changes the schema or the mode of the file meanwhile."""
        self.turnstile.enter(self.busy)
        try:
            self.connection = connect(str(self.path))
            try:
                self._configure()
                self._check(digest)
            except BaseException as fault:
                self.connection.close()
                raise _named(self.path, fault) from fault
        finally:
            self.turnstile.leave()

    def _configure(self) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {round(1000 * self.busy)}")
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
        check_file(db, self.path, digest)

    def _create(self, digest: str) -> None:
        for statement in SCHEMA:
            self.connection.execute(statement)
        self.connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        rows = [("layout", codec.LAYOUT), ("tables", digest), ("last_id", "0")]
        self.connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)

    def begin(self) -> "SqliteTransaction":
        self.turnstile.enter(self.busy)
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            return SqliteTransaction(self, self._refresh())
        except sqlite3.Error as fault:
            self.end()
            raise StoreError(f"{self.path}: no transaction: {fault}") from fault

    def end(self) -> None:
        """A transaction is over; one that was not committed has not happened."""
        if self.connection.in_transaction:
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
        self.turnstile.leave()

    def _refresh(self) -> bool:
        """Someone else wrote: what is kept in memory is forgotten, the journal's head read again."""
        version = self._version()
        others = version != self.version
        if others or len(self.cached) + len(self.states) + len(self.payloads) > CACHED_MAX:
            self.forget()
            self.version, self.head = version, self.read_head()
            self.stored_id = self.read_last_id()
            self.last_id = max(self.last_id, self.stored_id)
        return others

    def _version(self) -> int:
        version: int = self.connection.execute("PRAGMA data_version").fetchone()[0]
        return version

    def moved_on(self) -> bool:
        try:
            return self._version() != self.version
        except sqlite3.Error:
            return True  # the next transaction says what is wrong

    def unreadable(self, fault: sqlite3.Error) -> StoreError:
        return StoreError(f"{self.path} cannot be read: {fault}")

    def read_head(self) -> Head:
        row = self.connection.execute(
            "SELECT number, hash FROM journal ORDER BY number DESC LIMIT 1"
        ).fetchone()
        return START if row is None else Head(*row)

    def read_last_id(self) -> int:
        return int(self.connection.execute("SELECT value FROM meta WHERE name = 'last_id'").fetchone()[0])

    def links(self, first: int = 1) -> Iterator[Link]:
        query = "SELECT number, body, hash FROM journal WHERE number >= ? ORDER BY number"
        with closing(self.connection.execute(query, (first,))) as rows:
            yield from map(Link._make, rows)

    def checkpoint(self) -> tuple[Checkpoint, list[Row]] | None:
        found = self.connection.execute("SELECT value FROM meta WHERE name = 'checkpoint'").fetchone()
        if found is None:
            return None
        try:
            number, hashed, last_id, cells = found[0].split()
            about = Checkpoint(int(number), bytes.fromhex(hashed), int(last_id), bytes.fromhex(cells))
        except ValueError:
            about = Checkpoint(0, b"", 0, b"")  # fits no journal: replay names it
        return about, self.connection.execute("SELECT key, cell FROM checked ORDER BY key").fetchall()

    def cells(self) -> Iterator[tuple[Key, Any]]:
        with closing(self.connection.execute("SELECT key, cell FROM cells ORDER BY key")) as rows:
            for key, cell in rows:
                yield codec.key_from_bytes(key), codec.from_bytes(cell)

    def close(self) -> None:
        self.connection.close()
        self.turnstile.close()


class SqliteTransaction:
    """Between BEGIN IMMEDIATE and COMMIT."""

    __slots__ = ("_fresh", "_store", "others")

    def __init__(self, store: SqliteStore, others: bool) -> None:
        self._store = store
        self._fresh = store.cached
        self.others = others

    @property
    def head(self) -> Head:
        return self._store.head

    def _query(self, statement: str, values: Sequence[Any]) -> sqlite3.Cursor:
        """What cannot be read fails the whole transaction: nothing is decided on half of what is stored."""
        try:
            return self._store.connection.execute(statement, values)
        except sqlite3.Error as fault:
            raise self._store.unreadable(fault) from fault

    def read(self, key: Key) -> Any:
        cached = self._fresh
        if key in cached:
            return cached[key]
        row = self._stored(codec.key_to_bytes(key))
        cell = cached[key] = None if row is None else codec.from_bytes(row[0])
        return cell

    def _stored(self, key: bytes) -> Any:
        store = self._store
        try:
            if store.highest.above(store.connection, key):
                return None
        except sqlite3.Error as fault:
            raise store.unreadable(fault) from fault
        return self._query("SELECT cell FROM cells WHERE key = ?", (key,)).fetchone()

    def scan(self, kind: Kind, word: FollowUp | None = None) -> Iterator[tuple[Key, Any]]:
        query = "SELECT key, cell FROM cells WHERE key >= ? AND key < ? ORDER BY key"
        rows = self._query(query, codec.prefix(kind, word)).fetchall()
        return ((codec.key_from_bytes(key), codec.from_bytes(cell)) for key, cell in rows)

    def payload(self, name: str) -> bytes | None:
        kept = self._store.payloads
        if name in kept:
            return kept[name]
        row = self._query("SELECT value FROM payloads WHERE name = ?", (name,)).fetchone()
        value = None if row is None else bytes(row[0])
        if value is None or len(value) <= SMALL:
            kept[name] = value
        return value

    def named(self, beginning: str, limit: int = -1) -> list[tuple[str, bytes]]:
        query = "SELECT name, value FROM payloads WHERE name >= ? AND name < ? ORDER BY name LIMIT ?"
        values = (beginning, beginning + sqlite_records.LAST, limit)
        return self._query(query, values).fetchall()

    def task(self, task: int) -> TaskRow | None:
        return sqlite_records.task(self._store.connection, task)

    def state(self, task: int) -> State | None:
        cached = self._store.states
        if task not in cached:
            cached[task] = sqlite_records.state(self._store.connection, task)
        return cached[task]

    def find(self, uuid: bytes) -> int | None:
        return sqlite_records.find(self._store.connection, uuid)

    def page(self, query: Query) -> Found:
        return sqlite_records.page(self._store.connection, query)

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
        finally:
            store.end()
        self._fresh.update(writes.cells)
        store.highest.wrote(writes.rows)
        store.states.update(writes.states)
        for name in writes.payloads:
            store.payloads.pop(name, None)
        store.stored_id = store.last_id
        if writes.link is not None:
            store.head = Head(writes.link.number, writes.link.hash)

    def _write(self, writes: Writes) -> None:
        db = self._store.connection
        if writes.link is None:
            self.new_id()  # the only trace by which such a transaction can be told, should its end be unknown
        put(db, "cells", "key", "(?, ?)", writes.rows)
        if writes.payloads:
            put(db, "payloads", "name", "(?, ?)", writes.payloads.items())
        if writes.tasks:
            put(db, "tasks", "id", sqlite_records.TASK_PLACES, flat(writes.tasks))
        if writes.states:
            put(db, "states", "id", sqlite_records.STATE_PLACES, flat(writes.states))
        if writes.link is not None:
            db.execute("INSERT INTO journal VALUES (?, ?, ?)", writes.link)
        if self._store.last_id != self._store.stored_id:
            db.execute("UPDATE meta SET value = ? WHERE name = 'last_id'", (str(self._store.last_id),))
        if writes.checkpoint:
            self._check()

    def _check(self) -> None:
        """The cells as they are now, and the newest link, stand for all links before."""
        store, db = self._store, self._store.connection
        head = store.read_head()
        if head == START:
            return
        db.execute("DELETE FROM checked")
        db.execute("INSERT INTO checked SELECT key, cell FROM cells")
        db.execute("DELETE FROM journal WHERE number < ?", (head.number,))
        hashed = hash_of(db.execute("SELECT key, cell FROM checked ORDER BY key"))
        about = f"{head.number} {head.hash.hex()} {store.last_id} {hashed.hex()}"
        db.execute("REPLACE INTO meta VALUES ('checkpoint', ?)", (about,))

    def _settle(self, link: Link | None, fault: sqlite3.Error) -> None:
        """Whether the commit took place is read, and the commit is not repeated (SHL-2)."""
        store = self._store
        try:
            if store.connection.in_transaction:
                store.connection.execute("ROLLBACK")
            if link is None:
                took_place = store.read_last_id() == store.last_id
            else:
                took_place = store.read_head() == Head(link.number, link.hash)
        except sqlite3.Error as second:
            store.version = None
            raise CommitUnknown(f"{store.path}: {fault}; then {second}") from fault
        if not took_place:
            store.version = None
            raise CommitFailed(f"{store.path}: {fault}") from fault

    def rollback(self) -> None:
        self._store.end()
