"""Properties over many cells mean what the plain loop over the cells means."""

from collections.abc import Hashable
from itertools import combinations, product

import pytest

from dhruva.explore import Read, count, for_each, for_pairs, total

KEYS = ("a", "b", "c")
WORLDS: list[dict[Hashable, int]] = [
    dict(zip(KEYS, values, strict=True)) for values in product(range(3), repeat=3)
]


@pytest.mark.parametrize("world", WORLDS)
def test_forms_equal_plain_loops(world: dict[Hashable, int]) -> None:
    def small(read: Read, key: str) -> bool:
        return bool(read(key) < 2)

    def number(read: Read, key: str) -> int:
        return int(read(key))

    read = world.get
    values = list(world.values())
    assert for_each(KEYS, small)(read) == all(v < 2 for v in values)
    assert for_pairs(KEYS, lambda r, a, b: r(a) <= r(b))(read) == all(
        a <= b for a, b in combinations(values, 2)
    )
    assert count(KEYS, small)(read) == sum(v < 2 for v in values)
    assert total(KEYS, number).at_most(3)(read) == (sum(values) <= 3)
    assert total(KEYS, number).at_least(3)(read) == (sum(values) >= 3)
    assert total(KEYS[:1], number).equals(total(KEYS[1:], number))(read) == (values[0] == sum(values[1:]))
    assert count(KEYS, small).equals(lambda r: r("a"))(read) == (sum(v < 2 for v in values) == values[0])
