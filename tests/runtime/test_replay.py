"""Replay finds what no run can have written, and names it: each fault is planted in a real journal."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dhruva import inputs as i
from dhruva.cells import Kind
from dhruva.ids import OwnerId, ProcessId, Ref, RequestId, ScopeId, TaskId
from dhruva.runtime import codec, journal
from dhruva.runtime.calls import Call, Kernel
from dhruva.runtime.engine import Engine
from dhruva.runtime.journal import Entry
from dhruva.runtime.memory import MemoryStore
from dhruva.runtime.replay import Bad, replay
from dhruva.runtime.sqlite import SqliteStore
from dhruva.runtime.store import START, Head, Link
from dhruva.step import step
from tests.runtime.stores import DIGEST, bad_record

ME, SCOPE, KERNEL = ProcessId(9), ScopeId(1), Kernel(step, DIGEST)
pytestmark = pytest.mark.usefixtures("tampered")


def owner(number: int) -> Any:
    return OwnerId(number)


BATCHES: tuple[tuple[Any, ...], ...] = (
    (i.CreateScope(SCOPE, max_concurrent=2, queues=True, max_queued=4),),
    (i.Ask(RequestId(owner(5)), SCOPE, ME), i.Ask(RequestId(owner(6)), SCOPE, ME)),
    (i.Ask(RequestId(owner(7)), SCOPE, ME), i.Suspend(SCOPE), i.Resume(SCOPE)),
    (i.Succeed(Ref(owner(5), 1, 1)), i.Fail(Ref(owner(6), 1, 1))),
    (i.Dispose(SCOPE), i.Stopped(Ref(owner(7), 1, 1))),
)


def a_run(store: Any) -> Any:
    """A real run of five transactions."""
    engine = Engine(store, KERNEL, ME, True)
    for given_ in BATCHES:
        engine.run([Call(lambda _facts, one=one: (one,), lambda _answer: None) for one in given_])  # type: ignore[misc]
    return store


@pytest.fixture
def store() -> MemoryStore:
    made: MemoryStore = a_run(MemoryStore())
    return made


def entries(store: MemoryStore) -> list[Entry]:
    return [journal.opened(link) for link in store.journal]


def reseal(store: MemoryStore, changed: list[Entry]) -> None:
    """A forger's work: the chain is whole again, and every hash is right."""
    head, links = START, []
    for number, entry in enumerate(changed, 1):
        link = journal.sealed(entry._replace(number=number, before=head.hash))
        head = Head(link.number, link.hash)
        links.append(link)
    store.journal = links


def bad(store: MemoryStore) -> Bad:
    found = replay(store, KERNEL).bad
    assert found is not None
    return found


@pytest.mark.cites("SHL-7d", "SHL-7e", "VER-6")
def test_a_real_run_replays_clean(store: MemoryStore) -> None:
    report = replay(store, KERNEL)
    assert (report.bad, report.links) == (None, 5)
    assert report.inputs > sum(map(len, BATCHES)) - 1


@pytest.mark.cites("SHL-7b")
def test_a_link_holds_inputs_edges_hash_and_tables(store: MemoryStore) -> None:
    entry = entries(store)[0]
    assert codec.from_plain(entry.inputs[0]) == BATCHES[0][0]
    assert entry.edges[-1][2:] == ["INIT", "mounted", "ATTACHED"]
    assert (entry.tables, len(entry.written)) == (DIGEST, codec.DIGEST_SIZE)


@pytest.mark.cites("SHL-7e", "SHL-7f")
def test_a_dropped_write_is_named(store: MemoryStore) -> None:
    changed = entries(store)
    changed[1] = changed[1]._replace(written=journal.hash_of(()))
    reseal(store, changed)
    found = bad(store)
    assert (found.link, found.fault) == (2, "wrote something else than its inputs write")
    assert "attempt Ref(owner=5, run=1, number=1)" in found.allowed


@pytest.mark.cites("SHL-7e", "SHL-7f")
def test_a_cell_that_was_dropped_or_changed_is_named(store: MemoryStore) -> None:
    key = (Kind.SCOPE, SCOPE)
    scope = store.held[key]
    store.held[key] = scope._replace(active=7)
    assert str(bad(store)).startswith("the stored cells: scope 1 is Scope(")
    del store.held[key]
    assert bad(store).fault == "scope 1 is not there"
    store.held[key] = scope
    store.held[Kind.SCOPE, ScopeId(2)] = scope
    assert bad(store).allowed == "None"


@pytest.mark.cites("SHL-7f")
def test_a_reordered_input_is_named_with_what_was_allowed(store: MemoryStore) -> None:
    changed = entries(store)
    one = changed[2]
    changed[2] = one._replace(inputs=[one.inputs[0], one.inputs[2], one.inputs[1]])
    reseal(store, changed)
    found = bad(store)
    assert (found.link, found.input) == (3, 2)
    assert "Resume(scope=1) is refused: scope is RUNNING, ACT-5" in found.fault
    assert found.allowed == "Dispose, Suspend"


@pytest.mark.cites("SHL-7d", "SHL-7f", "VER-6")
def test_an_input_that_the_outside_cannot_give_is_named(store: MemoryStore) -> None:
    changed = entries(store)
    again = codec.to_plain(i.CreateTask(TaskId(owner(5)), SCOPE, codec.make(i.Register, 3).executor))
    changed[3] = changed[3]._replace(inputs=[again, *changed[3].inputs])
    reseal(store, changed)
    found = bad(store)
    assert (found.link, found.input) == (4, 1)
    assert "an id is handed out once" in found.fault


@pytest.mark.cites("SHL-7d")
def test_the_id_of_a_request_that_has_ended_is_not_handed_out_again(store: MemoryStore) -> None:
    """No cell remembers it; the journal does."""
    changed = entries(store)
    changed[4] = changed[4]._replace(inputs=[codec.to_plain(BATCHES[1][0]), *changed[4].inputs])
    reseal(store, changed)
    assert "an id is handed out once" in bad(store).fault


@pytest.mark.cites("SHL-7f")
def test_a_missing_link_is_named(store: MemoryStore) -> None:
    del store.journal[2]
    found = bad(store)
    assert (found.link, found.fault) == (4, "link 3 is missing")


@pytest.mark.cites("SHL-7f")
def test_links_that_do_not_follow_one_another_are_named(store: MemoryStore) -> None:
    body = store.journal[0].body
    store.journal[1] = Link(2, body, codec.digest(body))
    assert bad(store).fault == "it does not follow the link before it"


@pytest.mark.cites("SHL-7f")
def test_an_edge_that_was_not_taken_is_named(store: MemoryStore) -> None:
    changed = entries(store)
    first, *rest = changed[0].edges
    changed[0] = changed[0]._replace(edges=[first, *([*e[:4], "RUNNING"] for e in rest)])
    reseal(store, changed)
    found = bad(store)
    assert found.fault == "says scope scope 1: INIT -mounted-> RUNNING"
    assert found.allowed == "scope scope 1: INIT -mounted-> ATTACHED"


@pytest.mark.cites("SHL-7g")
def test_a_cut_tail_is_seen_against_a_head_kept_elsewhere(store: MemoryStore) -> None:
    kept = replay(store, KERNEL).head
    shorter = MemoryStore()
    engine = Engine(shorter, KERNEL, ME, True)
    for given_ in BATCHES[:4]:
        engine.run([Call(lambda _facts, one=one: (one,), lambda _answer: None) for one in given_])  # type: ignore[misc]
    assert replay(shorter, KERNEL).bad is None
    cut = replay(shorter, KERNEL, kept).bad
    assert cut is not None
    assert cut.fault == "links after 4 were cut off"


@pytest.mark.cites("SHL-9b")
def test_a_link_of_other_tables_is_named(store: MemoryStore) -> None:
    found = replay(store, Kernel(step, "other tables")).bad
    assert found is not None
    assert str(found) == f"link 1: written by other tables: {DIGEST}; allowed: other tables"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("journal") / "work.db"
    a_run(SqliteStore(path, DIGEST)).close()
    return path


def test_a_run_on_a_file_replays_clean(written: Path) -> None:
    assert bad_record(written, KERNEL) is None


@pytest.mark.cites("SHL-7f", "SHL-7g")
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([("journal", "number", "body"), ("journal", "number", "hash"), ("cells", "key", "cell")]),
    st.integers(0),
    st.integers(0),
    st.integers(1, 255),
)
def test_any_flipped_byte_is_named(
    written: Path, place: tuple[str, str, str], which: int, at: int, flip: int
) -> None:
    table, key, column = place
    db = sqlite3.connect(written, isolation_level=None)
    rows = db.execute(f"SELECT {key}, {column} FROM {table} ORDER BY 1").fetchall()
    name, data = rows[which % len(rows)]
    changed = bytearray(data)
    changed[at % len(data)] ^= flip
    update = f"UPDATE {table} SET {column} = ? WHERE {key} = ?"
    db.execute(update, (bytes(changed), name))
    try:
        found = bad_record(written, KERNEL)
    finally:
        db.execute(update, (data, name))
        db.close()
    assert found is not None
    assert found.link == (name if table == "journal" else 0)
