"""The set of states is exact: it equals a dict, whatever is put in, in batches of any size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.explore import index
from dhruva.explore.index import Index

numbers = st.integers(0, 2**64 - 1) | st.integers(0, 50) | st.integers(0, 50).map(lambda n: n << 58)


@settings(deadline=None)
@given(st.lists(st.lists(numbers, max_size=40), max_size=8))
def test_an_index_is_a_dict_of_positions(batches: list[list[int]]) -> None:
    found, known = Index(), dict[int, int]()
    for batch in batches:
        before = found.size
        fresh = found.put(np.array(batch, np.uint64))
        assert sorted(batch[place] for place in fresh.tolist()) == sorted(set(batch) - known.keys())
        for position, member in enumerate(found.members[before:].tolist(), before):
            known[member] = position
        assert found.find(np.array(batch, np.uint64)).tolist() == [known[number] for number in batch]
    assert found.members.tolist() == list(known)


@pytest.mark.parametrize("stride", [1, 1 << 20, 1 << 44])
def test_growth_loses_nothing(stride: int) -> None:
    # Zero is its own hash, and large strides leave few bits that differ: neither may be left without a place.
    members = np.arange(20_000, dtype=np.uint64) * np.uint64(stride)
    grown = Index()
    for start in range(0, len(members), 700):
        grown.put(members[start : start + 700])
    assert np.array_equal(np.sort(grown.members), members)
    assert (grown.find(members + np.uint64(1))[::2] >= 0).sum() == (10_000 if stride == 1 else 0)
    extended = Index()
    extended.extend(members[:9_000])
    extended.extend(members[9_000:])
    assert np.array_equal(extended.members, members)
    assert np.array_equal(extended.find(members), np.arange(20_000))


def test_two_numbers_with_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_hash", lambda numbers: np.zeros(len(numbers), np.uint64))
    found = Index()
    found.put(np.array([3, 5, 3, 7], np.uint64))
    assert sorted(found.members.tolist()) == [3, 5, 7]
    assert found.find(np.array([9], np.uint64)).tolist() == [-1]


def test_a_state_costs_at_most_sixteen_bytes() -> None:
    found = Index()
    for stop in range(50_000, 3_000_000, 50_000):
        # As in a search, most of a batch is known already.
        found.put(np.arange(max(stop - 200_000, 0), stop, dtype=np.uint64) * np.uint64(977))
        assert found.stored_bytes <= 16 * found.size
