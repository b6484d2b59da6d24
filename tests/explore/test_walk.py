"""Walked tries: paths are put in as states need them, and room is taken for what was met only.

That they say what the trie says is in test_tables.py.
"""

from collections.abc import Callable

import numpy as np

from dhruva.explore import Model, Read
from dhruva.explore.learned import Learned
from dhruva.explore.names import Names, States
from dhruva.explore.trie import Leaf
from dhruva.explore.walk import Paths, WalkedAction

VALUES = 1_000


def learned(run: Callable[[Read], object]) -> Learned:
    """A model of one action, in which ten flags are read before a number with many values."""
    m = Model("m")
    for flag in range(10):
        m.var(flag, False)
    m.var("n", 0)
    m.action("act", run)
    made = Learned(m)
    for flag in range(10):
        made.layout.field(flag).code(True)
    for value in range(VALUES):
        made.layout.field("n").code(value)
    made.layout.arrange()
    return made


def flags_then_number(read: Read) -> object:
    return {0: False} if all(read(flag) for flag in range(10)) and read("n") else None


def words(made: Learned, flags: int, n: int) -> tuple[int]:
    word = n << made.layout.field("n").shift
    for flag in range(10):
        word |= (flags >> flag & 1) << made.layout.field(flag).shift
    return (word,)


def test_a_path_takes_room_for_what_it_met() -> None:
    made = learned(flags_then_number)
    function = made.actions[0]
    met = [words(made, 0b11_1111_1111, n) for n in range(0, VALUES, 100)]
    for state in met:
        made.record(function, state)
    paths = Paths(function)
    before = paths.used
    assert before == 1 << 10
    leaves = [paths.learn(state) for state in met]
    # One block of 16 for the upper four of ten bits, and one of 64 below each of the ten met.
    assert paths.used == before + 16 + 10 * 64
    states = States(Names(1), np.array([state[0] for state in met], np.uint64))
    assert paths.walk(states)[0].tolist() == [leaf.number for leaf in leaves]


def test_python_is_called_once_for_all_states_that_part_at_one_place() -> None:
    made = learned(flags_then_number)
    calls = 0

    def record(_function: object, state: tuple[int, ...]) -> Leaf:
        nonlocal calls
        calls += 1
        return made.record(made.actions[0], state)

    table = WalkedAction(made.actions[0])
    every = [words(made, flags, n)[0] for flags in range(1 << 10) for n in range(0, VALUES, 250)]
    states = States(Names(1), np.array(every, np.uint64))
    assert table.fill(states, record)
    assert (table.entries(states) >= 0).all()
    assert calls == 10 + 4
    before = table.entries(states).tolist()
    assert table.fill(states, record)
    assert (calls, table.entries(states).tolist()) == (14, before)


def test_what_outgrows_the_layout_is_not_walked() -> None:
    made = learned(lambda read: {"n": VALUES + 24 if read("n") else 0})
    table = WalkedAction(made.actions[0])
    states = States(Names(1), np.array([words(made, 0, 1)[0]], np.uint64))
    for value in range(VALUES, 1 << 10):
        made.layout.field("n").code(value)

    def record(_function: object, state: tuple[int, ...]) -> Leaf | None:
        leaf = made.record(made.actions[0], state)
        return None if made.layout.is_outgrown else leaf

    assert not table.fill(states, record)
