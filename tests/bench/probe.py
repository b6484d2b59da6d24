"""The probe: commits the rows that a run of ours wrote, transaction by transaction, and does nothing else."""

import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from dhruva.runtime import codec, sqlite
from dhruva.runtime.batch import Batch
from dhruva.runtime.store import Writes

Statement = tuple[str, Sequence[Any]]
WRITES = re.compile(r"\s*(INSERT|REPLACE|UPDATE|DELETE) (?!INTO meta)")


class Recording(sqlite3.Connection):
    """Notes what it wrote, by transactions."""

    transactions: list[list[Statement]]
    current: list[Statement]

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        answer = super().execute(sql, parameters)
        if sql.startswith("BEGIN"):
            self.current = []
        elif WRITES.match(sql):
            self.current.append((sql, tuple(parameters)))
        elif sql == "COMMIT" and self.current:
            self.transactions.append(self.current)
        return answer


class Probe:
    """Commits what was recorded, again and again, on a file of its own."""

    def __init__(self, path: Path, source: Path, transactions: list[list[Statement]], steps: int) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        sqlite3.connect(source).backup(self._connection)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._transactions, self._steps = transactions, steps

    def rate(self) -> float:
        """Steps per second whose rows it commits."""
        self._forget()
        execute = self._connection.execute
        begin = time.perf_counter()
        for statements in self._transactions:
            execute("BEGIN IMMEDIATE")
            for sql, parameters in statements:
                execute(sql, parameters)
            execute("COMMIT")
        return self._steps / (time.perf_counter() - begin)

    def _forget(self) -> None:
        """As it was before the rows were there."""
        tables = self._connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for (name,) in tables:
            if not name.startswith("sqlite_") and name != "meta":
                self._connection.execute(f"DELETE FROM {name}")

    def close(self) -> None:
        self._connection.close()


def recorded(folder: Path, run: Callable[[str], object], steps: int) -> Probe:
    """A probe of what this run writes to the store of the name that it is given."""
    transactions: list[list[Statement]] = []

    def connect(path: str) -> Recording:
        named: dict[str, Any] = {"isolation_level": None, "check_same_thread": False, "factory": Recording}
        connection = sqlite3.connect(path, **named)
        assert isinstance(connection, Recording)
        connection.transactions, connection.current = transactions, []
        return connection

    def opened(self: sqlite.SqliteStore, digest: str, _connect: Any) -> None:
        open_(self, digest, connect)

    open_ = sqlite.SqliteStore._open
    with mock.patch.object(sqlite.SqliteStore, "_open", opened):
        run("recorded.db")
    return Probe(folder / "probe.db", folder / "recorded.db", transactions, steps)


@contextmanager
def synchronous_off(journal: bool) -> Iterator[None]:
    """Stores that sync nothing, with a journal or without: then cells are written and no link is sealed."""
    configure, commit = sqlite.SqliteStore._configure, Batch.commit

    def configured(self: sqlite.SqliteStore) -> None:
        configure(self)
        self.connection.execute("PRAGMA synchronous = OFF")

    def unsealed(self: Batch) -> None:
        rows = codec.rows(self._over)
        written = Writes(self._over, rows, self._payloads, None, self._tasks, self._states)
        self._transaction.commit(written)

    with (
        mock.patch.object(sqlite.SqliteStore, "_configure", configured),
        mock.patch.object(Batch, "commit", commit if journal else unsealed),
    ):
        yield
