"""Names of wide states: different states have different names, and every name leads back to its state."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.explore.names import Names, States

words = st.integers(0, 3) | st.integers(0, 2**64 - 1)


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 7])
def test_names_are_exact(width: int) -> None:
    @settings(deadline=None)
    @given(st.lists(st.tuples(*[words] * width), min_size=1, max_size=30), st.data())
    def check(states: list[tuple[int, ...]], data: st.DataObject) -> None:
        names = Names(width)
        columns = [np.array(column, np.uint64) for column in zip(*states, strict=True)]
        named = names.of(columns)
        assert len(set(named.tolist())) == len(set(states))
        found = States(names, named)
        assert [tuple(c.tolist()) for c in found.columns] == [tuple(c.tolist()) for c in columns]
        assert [found.words(position) for position in range(len(found))] == states
        changed = data.draw(st.sets(st.integers(0, width - 1), min_size=1))
        after = [c + np.uint64(word in changed) for word, c in enumerate(columns)]
        stepped = names.step(named, {word: after[word] for word in changed})
        assert np.array_equal(stepped, names.of(after))

    check()
