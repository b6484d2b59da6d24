"""The checks after a crash can fail: each claim is broken once, by hand."""

import asyncio
import sqlite3
from pathlib import Path
from uuid import uuid4

import pytest

from dhruva.cells import Kind
from dhruva.runtime import codec
from dhruva.runtime.api import Authority
from dhruva.runtime.errors import NotFound
from tests.crash.rounds import check
from tests.crash.victim import Fuse, Place, Victim


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Eight tasks that were accepted and ended, and what was told of them."""
    path = tmp_path / "work.db"

    async def main() -> None:
        async with Authority.open(path, limit=6) as here:
            victim = Victim(here, tmp_path / "told", 1, Fuse(Place.NOWHERE, 0))
            for _ in range(2):
                made = await here.create_tree(victim.tree())
                for task in made:
                    victim.tell("A", task.id)
                await made[-1].ended()
                victim.tell("E", made[-1].id)

    asyncio.run(main())
    return path


def test_what_holds_is_counted(store: Path) -> None:
    assert check(store, store.with_name("told"))[0] == 8


def test_a_task_that_was_accepted_and_is_not_there_is_missed(store: Path) -> None:
    with store.with_name("told").open("a") as told:
        told.write(f"A {uuid4()}\n")
    with pytest.raises(NotFound):
        check(store, store.with_name("told"))


def test_an_end_that_was_told_and_is_no_longer_is_missed(store: Path) -> None:
    db = sqlite3.connect(store)
    with db:
        gone = "started = NULL, completed = NULL, result = NULL, progress = 0"
        db.execute(f"UPDATE states SET status = 'pending', {gone}")
    db.close()
    with pytest.raises(AssertionError, match="an outcome was lost"):
        check(store, store.with_name("told"))


def test_a_cell_that_no_run_wrote_is_named(store: Path) -> None:
    db = sqlite3.connect(store)
    with db:
        newest = "SELECT max(key) FROM cells WHERE key >= ? AND key < ?"
        db.execute(f"DELETE FROM cells WHERE key = ({newest})", codec.prefix(Kind.SPEC))
    db.close()
    with pytest.raises(AssertionError, match="is not there"):
        check(store, store.with_name("told"))


def test_a_lock_that_was_left_is_seen(store: Path) -> None:
    (store.parent / "work.db-owner-0123/x").parent.mkdir()
    with pytest.raises(AssertionError, match="was left"):
        check(store, store.with_name("told"))
