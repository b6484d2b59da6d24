"""Keys, cells and inputs survive being bytes, and what is no such thing is named."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dhruva import cells, inputs
from dhruva.cells import EffectKind, Follow, FollowUp, Key, Kind, Parked, Resource
from dhruva.ids import OwnerId, ProcessId, Ref, ScopeId, TaskId
from dhruva.runtime import codec

IDS = st.integers(0, 2**62)
REFS = st.builds(Ref, IDS.map(OwnerId), IDS, IDS)
PLAIN = sorted(set(Kind) - {Kind.FOLLOW, Kind.EFFECT})
PARTS = st.lists(st.none() | IDS | REFS, max_size=3)
KEYS: st.SearchStrategy[Key] = (
    st.tuples(st.sampled_from(PLAIN), PARTS).map(lambda made: (made[0], *made[1]))
    | st.tuples(st.sampled_from(FollowUp), PARTS).map(lambda made: (Kind.FOLLOW, made[0], *made[1]))
    | st.tuples(st.sampled_from(EffectKind), PARTS).map(lambda made: (Kind.EFFECT, made[0], *made[1]))
)


@pytest.mark.cites("SHL-1a")
@given(KEYS)
def test_a_key_comes_back(key: Key) -> None:
    assert codec.key_from_bytes(codec.key_to_bytes(key)) == key


@given(KEYS, KEYS)
def test_two_keys_are_two_blobs(one: Key, other: Key) -> None:
    assert (one == other) == (codec.key_to_bytes(one) == codec.key_to_bytes(other))


@given(st.lists(IDS, min_size=2))
def test_blobs_sort_as_ids_do(ids: list[int]) -> None:
    blobs = [codec.key_to_bytes((Kind.TASK, id_)) for id_ in sorted(set(ids))]
    assert all(one < other for one, other in pairwise(blobs))


@given(KEYS, st.sampled_from(Kind))
def test_the_prefix_of_a_kind_finds_its_keys_and_no_others(key: Key, kind: Kind) -> None:
    first, beyond = codec.prefix(kind)
    assert (first <= codec.key_to_bytes(key) < beyond) == (key[0] == kind)


@given(KEYS, REFS)
def test_keys_and_refs_inside_inputs_and_cells_come_back(key: Key, ref: Ref) -> None:
    for value in (inputs.Handle(key), Follow(3, ref, key), Follow(0, None, None)):
        back = codec.from_bytes(codec.to_bytes(value))
        assert (back, type(back)) == (value, type(value))


def test_words_come_back_as_members() -> None:
    abort = codec.make(inputs.Abort, Ref(OwnerId(1), 1, 1), "user")
    back = codec.from_bytes(codec.to_bytes(abort))
    assert back == abort
    assert type(back.reason) is type(abort.reason) is not str
    worker = codec.make(Resource, "terminating", "worker", ScopeId(1), ProcessId(1))
    assert codec.from_bytes(codec.to_bytes(worker)) == worker


def test_no_name_stands_for_two_classes() -> None:
    assert {*vars(inputs)} & {kind.__name__ for kind in cells_of_cells()} == set()


def cells_of_cells() -> list[Any]:
    return [kind for kind in vars(cells).values() if getattr(kind, "__module__", "") == cells.__name__]


@pytest.mark.cites("SHL-5a")
@pytest.mark.parametrize(
    "data",
    [b"", b"\xc1", codec.to_bytes(Follow(1, None, None))[:-1], b"\x91\xa5Scope", b"\x91\xa7Unknown", b"\x80"],
)
def test_what_is_no_cell_is_named(data: bytes) -> None:
    with pytest.raises(codec.Undecodable):
        codec.from_bytes(data)


def test_a_word_that_no_machine_knows_is_named() -> None:
    known = codec.to_bytes(codec.make(Parked, "parked"))
    with pytest.raises(codec.Undecodable, match="parkex"):
        codec.from_bytes(known.replace(b"\xa6parked", b"\xa6parkex"))


@pytest.mark.parametrize("data", [b"", b"\xff", bytes([list(Kind).index(Kind.FOLLOW), 0xFF])])
def test_what_is_no_key_is_named(data: bytes) -> None:
    with pytest.raises(codec.Undecodable):
        codec.key_from_bytes(data)


@given(st.lists(st.binary(max_size=4)), st.lists(st.binary(max_size=4)))
def test_a_hash_knows_where_its_parts_end(one: list[bytes], other: list[bytes]) -> None:
    assert (one == other) == (codec.digest(*one) == codec.digest(*other))


def test_written_cells_are_hashed_in_one_order() -> None:
    follow, task = (Kind.FOLLOW, FollowUp.TELL, TaskId(OwnerId(1))), (Kind.TASK, 2)
    cell = Follow(1, None, None)
    assert codec.rows({follow: cell, task: None}) == codec.rows({task: None, follow: cell})
