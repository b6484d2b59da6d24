"""The contract of a store, on each store there is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dhruva.cells import Cap, Follow, FollowUp, Key, Kind, Starved
from dhruva.ids import OwnerId, Ref, ScopeId
from dhruva.runtime import listing
from dhruva.runtime.memory import MemoryStore
from dhruva.runtime.store import (
    START,
    Found,
    Head,
    Link,
    Query,
    State,
    Store,
    StoreError,
    TaskRow,
    Writes,
)
from tests.runtime.stores import KINDS, opener, writes

CAP: Key = (Kind.CAP,)
TELL: Key = (Kind.FOLLOW, FollowUp.TELL, 7)
ENDING: Key = (Kind.FOLLOW, FollowUp.END_RESOURCES, Ref(OwnerId(7), 1, 1))
CELL = Cap(1, 4, None, ScopeId(2))


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = opener(request.param, tmp_path)()
    yield opened
    opened.close()


@pytest.mark.cites("SHL-2b")
def test_what_was_committed_is_read(store: Store) -> None:
    first = store.begin()
    assert first.read(CAP) is None
    first.commit(writes({CAP: CELL, TELL: Follow(1, None, None)}))
    second = store.begin()
    assert second.read(CAP) == CELL
    assert second.read(TELL) == Follow(1, None, None)
    second.rollback()


def test_none_removes_a_cell(store: Store) -> None:
    store.begin().commit(writes({CAP: CELL}))
    store.begin().commit(writes({CAP: None, TELL: None}))
    after = store.begin()
    assert after.read(CAP) is None
    assert list(store.cells()) == []
    after.rollback()


@pytest.mark.cites("SHL-2a")
def test_a_transaction_that_was_rolled_back_did_nothing(store: Store) -> None:
    store.begin().commit(writes({CAP: CELL}))
    store.begin().rollback()
    again = store.begin()
    assert again.read(CAP) == CELL
    assert again.head == START
    again.rollback()


def test_a_scan_gives_one_kind_in_the_order_of_its_ids(store: Store) -> None:
    starved: list[Key] = [(Kind.STARVED, n) for n in (300, 2, 70_000)]
    store.begin().commit(
        writes({CAP: CELL, TELL: Follow(1, None, None)} | dict.fromkeys(starved, Starved(None)))
    )
    found = store.begin()
    assert [key[1] for key, _ in found.scan(Kind.STARVED)] == [2, 300, 70_000]
    assert list(found.scan(Kind.FOLLOW)) == [(TELL, Follow(1, None, None))]
    assert list(found.scan(Kind.TASK)) == []
    found.rollback()


def test_many_cells_in_one_transaction(store: Store) -> None:
    cells: dict[Key, Starved | None] = {(Kind.STARVED, n): Starved(ScopeId(n)) for n in range(1, 200)}
    store.begin().commit(writes(cells))
    assert dict(store.cells()) == cells
    store.begin().commit(writes(dict.fromkeys(cells)))
    assert list(store.cells()) == []


def test_payloads_are_bytes_under_a_name(store: Store) -> None:
    store.begin().commit(writes(payloads={"a": b"\x00one", "b": b""}))
    store.begin().commit(writes(payloads={"a": b"two", "b": None}))
    found = store.begin()
    assert (found.payload("a"), found.payload("b"), found.payload("c")) == (b"two", None, None)
    found.rollback()


@pytest.mark.cites("ACT-14c")
def test_ids_grow_also_over_a_transaction_that_failed(store: Store) -> None:
    first = store.begin()
    ids = [first.new_id(), first.new_id()]
    first.rollback()
    second = store.begin()
    ids.append(second.new_id())
    second.commit(writes({CAP: CELL}))
    assert ids == sorted(set(ids))


@pytest.mark.cites("SHL-7a")
def test_links_are_kept_as_they_were_sealed(store: Store) -> None:
    links = [Link(1, b"one", b"h1"), Link(2, b"two", b"h2")]
    for link in links:
        store.begin().commit(writes(link=link))
    assert list(store.links()) == links
    assert list(store.links(2)) == links[1:]
    found = store.begin()
    assert found.head == Head(2, b"h2")
    found.rollback()


def test_the_key_of_a_ref_is_a_key_like_any_other(store: Store) -> None:
    store.begin().commit(writes({ENDING: Follow(0, Ref(OwnerId(7), 1, 1), TELL)}))
    assert list(store.cells()) == [(ENDING, Follow(0, Ref(OwnerId(7), 1, 1), TELL))]


def test_memory_has_one_transaction_at_a_time() -> None:
    store = MemoryStore()
    store.begin()
    with pytest.raises(StoreError, match="open transaction"):
        store.begin()


def row(number: int, name: str, parent: int | None = None) -> TaskRow:
    return TaskRow(number.to_bytes(16, "big"), name, "load", parent, b"\x90", b"{}")


def state(status: str) -> State:
    return State(status, 1, None, None, 1, 0, None, None, 1000, 60_000)


@pytest.mark.cites("LIF-17")
def test_the_rows_of_a_task_are_found_by_id_and_by_what_people_call_it(store: Store) -> None:
    rows = {n: row(n, f"t{n}") for n in (3, 4)}
    store.begin().commit(Writes({}, (), {}, None, rows, {3: state("pending"), 4: state("failed")}))
    store.begin().commit(Writes({}, (), {}, None, {}, {3: state("in_progress")}))
    found = store.begin()
    assert (found.task(3), found.state(3), found.find(rows[3].uuid)) == (rows[3], state("in_progress"), 3)
    assert (found.task(9), found.state(9), found.find(b"?" * 16)) == (None, None, None)
    found.commit(Writes({}, (), {}, None, {3: None}, {3: None}))
    after = store.begin()
    assert (after.task(3), after.state(3), after.find(rows[3].uuid)) == (None, None, None)
    assert after.page(Query()).tasks == (4,)
    after.rollback()


@pytest.mark.cites("LIF-17")
def test_a_page_looks_at_a_bounded_number_of_rows_and_says_where_to_go_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "EXAMINED_MAX", 10)
    rows = {n: row(n, f"t{n:02}", parent=1 if n % 2 else None) for n in range(1, 31)}
    states = {n: state("failed" if n == 25 else "completed") for n in rows}
    store.begin().commit(Writes({}, (), {}, None, rows, states))
    asked = store.begin()
    seen: list[int] = []
    after, pages = None, 0
    while True:
        found = asked.page(Query(name="t", status="failed", after=after))
        seen += found.tasks
        pages += 1
        if (after := found.after) is None:
            break
    assert (seen, pages) == ([25], 4)
    assert asked.page(Query(parent=1, limit=3)) == Found((1, 3, 5), ("t05", 5))
    asked.rollback()


def test_payloads_are_listed_by_how_their_names_begin(store: Store) -> None:
    put = {"mail:9:2": b"b", "mail:9:1": b"a", "mail:99:1": b"c", "owner:9": b"d"}
    store.begin().commit(writes(payloads=put))
    found = store.begin()
    assert found.named("mail:9:") == [("mail:9:1", b"a"), ("mail:9:2", b"b")]
    assert found.named("mail:", 1) == [("mail:99:1", b"c")]
    assert found.named("nothing:") == []
    found.rollback()
