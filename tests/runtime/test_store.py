"""The contract of a store, on each store there is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dhruva.cells import Cap, Follow, FollowUp, Key, Kind, Starved
from dhruva.ids import OwnerId, Ref, ScopeId
from dhruva.runtime.memory import MemoryStore
from dhruva.runtime.store import START, Head, Link, Store, StoreError
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
