"""What is SQLite's own: the file, what it was written with, other connections, commits that go wrong."""

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dhruva.cells import Cap, Key, Kind, Starved
from dhruva.ids import ScopeId
from dhruva.runtime import codec
from dhruva.runtime.sqlite import SqliteStore
from dhruva.runtime.store import CommitFailed, Head, Link, NotAStore, OtherTables, StoreError
from tests.runtime.stores import DIGEST, writes

CAP: Key = (Kind.CAP,)
ONE, TWO = Cap(1, 4, None, None), Cap(2, 4, None, None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "work.db"


def test_what_was_committed_is_there_after_opening_again(path: Path) -> None:
    store = SqliteStore(path, DIGEST)
    first = store.begin()
    last = first.new_id()
    first.commit(writes({CAP: ONE}, {"name": b"value"}, Link(1, b"body", b"hash")))
    store.close()
    again = SqliteStore(path, DIGEST)
    found = again.begin()
    assert (found.read(CAP), found.payload("name"), found.head) == (ONE, b"value", Head(1, b"hash"))
    assert found.new_id() > last
    found.rollback()
    again.close()


def test_durability_is_switched_on(path: Path) -> None:
    store = SqliteStore(path, DIGEST)
    asked = ("journal_mode", "synchronous")
    assert [store.connection.execute(f"PRAGMA {name}").fetchone()[0] for name in asked] == ["wal", 2]
    store.close()


def test_files_are_private(path: Path) -> None:
    before = os.umask(0)
    try:
        store = SqliteStore(path, DIGEST)
        store.begin().commit(writes({CAP: ONE}))
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        store.close()
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("work.db", "work.db-wal", "work.db-shm", "work.db-turn"), 0o600)


def test_a_link_is_not_followed(path: Path) -> None:
    path.symlink_to(path.with_name("elsewhere.db"))
    with pytest.raises(NotAStore, match="no plain file"):
        SqliteStore(path, DIGEST)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"nowhere/work\.db cannot be created: No such file"):
        SqliteStore(tmp_path / "nowhere" / "work.db", DIGEST)


@pytest.mark.cites("SHL-9a", "SHL-9b")
def test_a_store_of_other_tables_is_refused_by_name(path: Path) -> None:
    SqliteStore(path, "old tables").close()
    with pytest.raises(OtherTables, match=f"work.db was written with tables old tables; .* has {DIGEST}"):
        SqliteStore(path, DIGEST)


def test_a_store_of_another_layout_is_refused_by_name(path: Path) -> None:
    store = SqliteStore(path, DIGEST)
    store.connection.execute("UPDATE meta SET value = 'before' WHERE name = 'layout'")
    store.close()
    with pytest.raises(OtherTables, match=f"layout before; this program has {codec.LAYOUT}"):
        SqliteStore(path, DIGEST)


def test_what_is_no_database_is_refused(path: Path) -> None:
    path.write_bytes(b"no database at all, and longer than a header of one hundred bytes" * 4)
    with pytest.raises(NotAStore, match="no store, or is damaged"):
        SqliteStore(path, DIGEST)


def test_a_database_of_another_program_is_refused_and_not_changed(path: Path) -> None:
    foreign = sqlite3.connect(path)
    foreign.execute("CREATE TABLE theirs (n)")
    foreign.close()
    with pytest.raises(NotAStore, match="another program"):
        SqliteStore(path, DIGEST)
    foreign = sqlite3.connect(path)
    assert foreign.execute("SELECT name FROM sqlite_schema").fetchall() == [("theirs",)]
    foreign.close()


@pytest.mark.cites("SHL-2b", "LIF-15")
def test_a_stale_cell_is_never_read(path: Path) -> None:
    mine, theirs = SqliteStore(path, DIGEST), SqliteStore(path, DIGEST)
    mine.begin().commit(writes({CAP: ONE}, link=Link(1, b"", b"1")))
    warm = theirs.begin()
    assert warm.read(CAP) == ONE
    warm.commit(writes({CAP: TWO}, link=Link(2, b"", b"2")))
    found = mine.begin()
    assert (found.read(CAP), found.head) == (TWO, Head(2, b"2"))
    given = found.new_id()
    found.commit(writes({CAP: ONE}))
    other = theirs.begin()
    assert other.new_id() > given
    other.rollback()
    mine.close()
    theirs.close()


@pytest.mark.cites("SHL-5a")
def test_a_cell_that_cannot_be_decoded_is_named_when_it_is_read(path: Path) -> None:
    store = SqliteStore(path, DIGEST)
    store.begin().commit(writes({CAP: ONE, (Kind.STARVED, 1): Starved(None)}))
    store.connection.execute("UPDATE cells SET cell = x'c1' WHERE key = ?", (codec.key_to_bytes(CAP),))
    store.close()
    again = SqliteStore(path, DIGEST)
    found = again.begin()
    with pytest.raises(codec.Undecodable):
        found.read(CAP)
    assert found.read((Kind.STARVED, 1)) == Starved(None)
    found.rollback()
    again.close()


class Cut(sqlite3.Connection):
    """A connection whose next COMMIT reports an error: before it took place, or after."""

    after: bool | None = None

    def execute(self, sql: str, *parameters: object) -> sqlite3.Cursor:
        if sql == "COMMIT" and self.after is not None:
            took_place, self.after = self.after, None
            if took_place:
                super().execute(sql)
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(sql, *parameters)  # type: ignore[arg-type]


def cut(path: Path) -> SqliteStore:
    return SqliteStore(path, DIGEST, lambda p: sqlite3.connect(p, isolation_level=None, factory=Cut))


@pytest.mark.cites("SHL-2d")
@pytest.mark.parametrize("took_place", [False, True])
def test_an_unknown_commit_is_settled_by_reading(path: Path, took_place: bool) -> None:
    store = cut(path)
    store.begin().commit(writes({CAP: ONE}, link=Link(1, b"", b"1")))
    begun = store.begin()
    assert isinstance(store.connection, Cut)
    store.connection.after = took_place
    second = writes({CAP: TWO}, link=Link(2, b"", b"2"))
    if took_place:
        begun.commit(second)
    else:
        with pytest.raises(CommitFailed, match="disk I/O error"):
            begun.commit(second)
    found = store.begin()
    assert (found.read(CAP), found.head.number) == ((TWO, 2) if took_place else (ONE, 1))
    found.rollback()
    store.close()


FILL = """
import resource, signal, sys
from dhruva.cells import Kind, Starved
from dhruva.runtime.sqlite import SqliteStore
from dhruva.runtime.store import CommitFailed, Link
from tests.runtime.stores import DIGEST, writes
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = SqliteStore(sys.argv[1], DIGEST)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
number = 0
try:
    while True:
        number += 1
        store.begin().commit(writes({(Kind.STARVED, number): Starved(None)}, {f"p{number}": b"x" * 9000},
                                    Link(number, b"", str(number).encode())))
        print(number, flush=True)
except CommitFailed as fault:
    print("failed:", fault, flush=True)
"""


@pytest.mark.cites("SHL-2a", "SHL-2c")
def test_a_full_disk_loses_the_transaction_whole_and_nothing_before_it(path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    told = subprocess.run(
        [sys.executable, "-c", FILL, str(path)], capture_output=True, text=True, check=True, cwd=root
    ).stdout.splitlines()
    assert told[-1].startswith("failed:")
    last = int(told[-2])
    store = SqliteStore(path, DIGEST)
    assert [key[1] for key, _ in store.cells()] == list(range(1, last + 1))
    found = store.begin()
    assert found.head.number == last
    assert found.payload(f"p{last}") is not None
    assert found.payload(f"p{last + 1}") is None
    found.commit(writes({(Kind.STARVED, 9999): Starved(ScopeId(1))}))
    store.close()
