"""How a state is packed: one field of bits per cell, as wide as the values met so far need.

A field numbers the values of its own cell; the value that a cell has in all states known when the field
is made is number 0, so a cell that appears late is absent, as zero bits, in every older state. A cell
with one value takes no bits at all. Fields never straddle two 64-bit words; a state has as many words as
it needs.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from dhruva.explore import values
from dhruva.explore.errors import unbounded
from dhruva.explore.values import identity

WORD_BITS = 64
Words = tuple[int, ...]


class Field:
    """The values of one cell, and where their numbers stand in a packed state."""

    def __init__(self, key: Hashable, first: Hashable, outgrown: list[Field]) -> None:
        self.key = key
        self._outgrown = outgrown
        self.values: list[Hashable] = [first]
        self._codes: dict[Hashable, int] = {identity(first): 0}
        self.word = 0
        self.shift = 0
        # How many bits are in use, and how many there are.
        self.bits = 0
        self.room = 0

    def code(self, value: Hashable) -> int:
        """The number of a value; a new value gets the next one, which may need `Layout.arrange`."""
        name = identity(value)
        code = self._codes.get(name)
        if code is None:
            code = self._codes[name] = len(self.values)
            self.values.append(value)
            if len(self.values) > values.MAX_VALUES:
                raise unbounded(values.show_key(self.key), len(self.values))
            if self.needs > self.bits:
                self._outgrown.append(self)
        return code

    def is_intact(self, code: int) -> bool:
        """False if the value was changed in place after it was numbered."""
        return self._codes.get(identity(self.values[code])) == code

    @property
    def needs(self) -> int:
        """Bits for all values met so far."""
        return (len(self.values) - 1).bit_length()

    @property
    def wish(self) -> int:
        """Bits for all values met so far and, where they leave no room, for as many again."""
        is_full = len(self.values) == 1 << self.needs and self.needs > 0
        return self.needs + (is_full and not all(isinstance(value, bool) for value in self.values))

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1

    def of(self, words: Words) -> int:
        """The number that a packed state holds for this cell."""
        return words[self.word] >> self.shift & self.mask


class Layout:
    """All fields of a model. `arrange` places them anew when one has outgrown its bits."""

    def __init__(self, cells: Iterable[tuple[Hashable, Hashable]]) -> None:
        # Fields that have met more values than they have room for, since they were last arranged.
        self._outgrown: list[Field] = []
        self._by_key = {key: Field(key, value, self._outgrown) for key, value in cells}
        self.words = 1

    def field(self, key: Hashable) -> Field:
        """The field of a cell; one that was never met is absent in every state so far."""
        field = self._by_key.get(key)
        if field is None:
            field = self._by_key[key] = Field(key, None, self._outgrown)
        return field

    @property
    def fields(self) -> Iterable[Field]:
        return self._by_key.values()

    @property
    def is_outgrown(self) -> bool:
        return bool(self._outgrown)

    def arrange(self) -> list[tuple[Field, int, int, int]] | None:
        """Give every field the bits it needs; returns where those with bits stood, None if none has moved."""
        before = None
        if any(field.needs > field.room for field in self._outgrown):
            before = [(field, field.word, field.shift, field.mask) for field in self.fields if field.bits]
            self._place()
        for field in self._outgrown:
            field.bits = field.needs
        self._outgrown.clear()
        return before

    def _place(self) -> None:
        needed = sum(field.needs for field in self.fields)
        words = max(-(-needed // WORD_BITS), 1)
        # A value that comes late need not move every state, if there is room for it.
        wished = sum(field.wish for field in self.fields)
        is_roomy = wished <= words * WORD_BITS
        # Words of equal width have the fewest different contents together, and these are what is numbered.
        share = -(-(wished if is_roomy else needed) // words)
        word, used = 0, 0
        for field in self.fields:
            field.room = field.wish if is_roomy else field.needs
            if used + field.room > WORD_BITS or (field.room and used >= share):
                word, used = word + 1, 0
            field.word, field.shift = word, used
            used += field.room
        self.words = word + 1


def step(words: Words, changes: tuple[tuple[Field, int], ...]) -> Words:
    """Some fields of one state written."""
    after = list(words)
    for field, code in changes:
        after[field.word] = after[field.word] & ~(field.mask << field.shift) | code << field.shift
    return tuple(after)
