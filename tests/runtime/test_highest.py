"""What is above the highest key of its kind is not asked for; whatever is stored is found all the same."""

import sqlite3
from pathlib import Path
from random import Random

import pytest

from dhruva.cells import FollowUp, Key, Kind, Starved
from dhruva.ids import OwnerId, Ref, ScopeId
from dhruva.runtime import codec
from dhruva.runtime.highest import Highest
from dhruva.runtime.sqlite import SqliteStore
from tests.runtime.stores import DIGEST, writes

CELL = Starved(ScopeId(7))
KEYS: list[Key] = [
    (Kind.CAP,),
    (Kind.FOLLOW, FollowUp.WAKE_STARVED),
    *((kind, number) for kind in (Kind.SCOPE, Kind.TASK, Kind.PARKED) for number in (1, 2, 255, 256, 70_000)),
    *((Kind.ATTEMPT, Ref(OwnerId(number), 1, 2)) for number in (1, 2, 256)),
    *((Kind.FOLLOW, word, number) for word in (FollowUp.WAKE, FollowUp.TELL) for number in (1, 256)),
]


@pytest.mark.parametrize("seed", range(20))
def test_two_connections_that_write_in_turn_read_what_is_stored(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    stores = [SqliteStore(tmp_path / "work.db", DIGEST) for _ in range(2)]
    model: dict[Key, Starved | None] = {}
    wrong = []
    for _ in range(40):
        transaction = random.choice(stores).begin()
        wrong += [key for key in random.sample(KEYS, 5) if transaction.read(key) != model.get(key)]
        changed = {key: random.choice((CELL, None)) for key in random.sample(KEYS, 3)}
        model |= changed
        transaction.commit(writes(changed))
    for store in stores:
        store.close()
    assert wrong == []


def test_something_new_costs_no_statement(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "work.db", DIGEST)
    transaction = store.begin()
    transaction.read((Kind.TASK, 1))
    transaction.commit(writes({(Kind.TASK, 1): CELL}))
    said: list[str] = []
    transaction = store.begin()
    store.connection.set_trace_callback(said.append)
    found = [transaction.read((Kind.TASK, number)) for number in range(1, 9)]
    store.connection.set_trace_callback(None)
    transaction.rollback()
    store.close()
    assert (found, said) == ([CELL, *[None] * 7], [])


def test_the_highest_key_is_not_above_itself() -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE cells (key BLOB PRIMARY KEY, cell BLOB NOT NULL) WITHOUT ROWID")
    ones = [codec.key_to_bytes((Kind.TASK, number)) for number in (1, 255, 256)]
    db.executemany("INSERT INTO cells VALUES (?, x'00')", [(key,) for key in ones[:2]])
    highest = Highest()
    assert [highest.above(db, key) for key in ones] == [False, False, True]
    highest.wrote([(ones[2], b"")])
    assert not highest.above(db, ones[2])
    db.close()
