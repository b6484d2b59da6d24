"""The layout of states: no bits for constants, absent late cells, no field across two words."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.explore.fields import WORD_BITS, Layout


@settings(deadline=None)
@given(st.lists(st.integers(1, 300), min_size=1, max_size=40))
def test_every_field_has_room_of_its_own(sizes: list[int]) -> None:
    layout = Layout((key, 0) for key in range(len(sizes)))
    for key, size in enumerate(sizes):
        for value in range(size):
            layout.field(key).code(value)
    layout.arrange()
    assert not layout.is_outgrown
    taken = [0] * layout.words
    for field, size in zip(layout.fields, sizes, strict=True):
        assert 2**field.bits >= size > (2**field.bits) // 2 or field.bits == 0
        assert field.shift + field.bits <= WORD_BITS
        assert taken[field.word] & field.mask << field.shift == 0
        taken[field.word] |= field.mask << field.shift


@settings(deadline=None)
@given(st.lists(st.integers(2, 300), min_size=1, max_size=40))
def test_wide_states_have_words_of_about_equal_width(sizes: list[int]) -> None:
    layout = Layout((key, 0) for key in range(len(sizes)))
    for key, size in enumerate(sizes):
        for value in range(size):
            layout.field(key).code(value)
    layout.arrange()
    widths = [sum(f.room for f in layout.fields if f.word == word) for word in range(layout.words)]
    # A word ends with the field that fills its share, so only the last may fall short by more than a field.
    assert max(widths[:-1], default=0) - min(widths[:-1], default=0) <= 9
    # It takes at most one field beyond its share of as many words as the bits would fill without a gap.
    fewest = -(-sum(f.needs for f in layout.fields) // WORD_BITS)
    assert max(widths) < -(-sum(widths) // fewest) + 9


def test_a_full_field_has_room_for_a_late_value() -> None:
    layout = Layout([("colour", "white"), ("flag", False), ("three", 0)])
    for key, value in (("colour", "black"), ("flag", True), ("three", 1), ("three", 2)):
        layout.field(key).code(value)
    assert layout.arrange() is not None
    assert [(field.bits, field.room) for field in layout.fields] == [(1, 2), (1, 1), (2, 2)]
    layout.field("colour").code("red")
    assert layout.is_outgrown
    assert layout.arrange() is None, "nothing moves"
    assert layout.field("colour").mask == 3
    layout.field("three").code(3)
    layout.field("three").code(4)
    assert layout.arrange() is not None, "everything moves"


def test_a_late_cell_is_absent_in_older_states() -> None:
    layout = Layout([("a", 5)])
    late = layout.field("late")
    assert (late.code(7), late.code(None), late.values) == (1, 0, [None, 7])
    layout.arrange()
    assert late.of((0,)) == 0
