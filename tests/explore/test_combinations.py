"""Combinations of fields: two states have the same number exactly if they agree in all these fields."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.explore import combinations
from dhruva.explore.combinations import Combinations
from dhruva.explore.fields import Layout
from dhruva.explore.names import Names, States
from dhruva.explore.tables import Window

KEYS = range(24)


def layout(values: int) -> Layout:
    """Cells with so many values each; 24 cells of 300 values take four words."""
    made = Layout((key, 0) for key in KEYS)
    for key in KEYS:
        for value in range(values):
            made.field(key).code(value)
    made.arrange()
    return made


@pytest.mark.parametrize("grid", [0, 64, 1 << 22], ids=["hash", "small grid", "grid"])
@pytest.mark.parametrize("values", [3, 20, 300], ids=["one word", "two words", "four words"])
def test_numbers_are_equal_where_the_fields_are(
    values: int, grid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(combinations, "_GRID", grid)
    cells = layout(values)
    fields = list(cells.fields)
    some = st.lists(st.integers(0, min(values - 1, 2)), min_size=len(KEYS), max_size=len(KEYS))

    @settings(deadline=None, max_examples=40)
    @given(
        st.lists(st.lists(some, min_size=1, max_size=12), min_size=1, max_size=4),
        st.sets(st.sampled_from(KEYS)),
    )
    def check(batches: list[list[list[int]]], chosen: set[int]) -> None:
        names, numbered = Names(cells.words), Combinations(fields[key] for key in chosen)
        window = Window(fields[key] for key in sorted(chosen)[:3])
        met: dict[tuple[int, ...], int] = {}
        for batch in batches:
            columns = [np.zeros(len(batch), np.uint64) for _ in range(cells.words)]
            for position, row in enumerate(batch):
                for field, code in zip(fields, row, strict=True):
                    columns[field.word][position] |= np.uint64(code << field.shift)
            states = States(names, names.of(columns))
            numbers = numbered.numbers(states).tolist()
            entries = window.index(states)
            for position, (row, number) in enumerate(zip(batch, numbers, strict=True)):
                assert met.setdefault(tuple(row[key] for key in sorted(chosen)), number) == number
                for key in sorted(chosen)[:3]:
                    assert window.codes(fields[key], entries)[position] == row[key]
        assert sorted(met.values()) == list(range(numbered.size)) or not chosen
        assert len(set(met.values())) == len(met)

    check()
