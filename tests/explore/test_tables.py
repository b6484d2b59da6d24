"""Dense tables and walks say what the trie says, for every combination of values."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.explore import Model
from dhruva.explore.fields import step
from dhruva.explore.learned import Learned
from dhruva.explore.names import Names, States
from dhruva.explore.tables import ActionTable, Window, classify, footprint
from dhruva.explore.walk import WalkedAction
from tests.explore.random_models import KEYS, VALUES, outcomes, run, trees


@settings(max_examples=80, deadline=None)
@given(st.lists(trees(outcomes), min_size=1, max_size=3))
def test_tables_equal_the_trie(drawn: list[object]) -> None:
    m = Model("tables")
    for key in KEYS:
        m.var(key, VALUES[0])
    for number, tree in enumerate(drawn):
        m.action(f"action {number}", lambda read, tree: run(tree, read), tree)
    learned = Learned(m)
    for key in KEYS:
        for value in VALUES:
            learned.layout.field(key).code(value)
    learned.layout.arrange()
    fields = [learned.layout.field(key) for key in KEYS]
    states = [
        sum(code << field.shift for field, code in zip(fields, codes, strict=True))
        for codes in product(range(len(VALUES)), repeat=len(KEYS))
    ][::7]
    known = States(Names(1), np.array(states, np.uint64))
    for function in learned.actions:
        for word in states:
            if function.find((word,)) is None:
                learned.record(function, (word,))
    window = Window(set().union(*(footprint(function) for function in learned.actions)))
    dense = ActionTable(learned.actions, window)
    entries = window.index(known)
    for number, function in enumerate(learned.actions):
        walked = WalkedAction(function)
        assert walked.fill(known, learned.record)
        ends = walked.entries(known)
        taken: dict[int, list[int]] = {}
        for _, where, after in walked.steps(ends, known):
            for position, word in zip(where.tolist(), after[0].tolist(), strict=True):
                taken.setdefault(position, []).append(word)
        transitions = 0
        for position in range(len(states)):
            words = known.words(position)
            leaf = function.find(words)
            assert leaf is not None
            assert dense.leaf[number][entries[position]] == ends[position] == leaf.number
            after_all = {step(words, outcome.changes) for outcome in leaf.result.outcomes}
            assert dense.transitions[number][entries[position]] == len(after_all)
            transitions += len(after_all)
            assert sorted((word,) for word in taken.get(position, [])) == sorted(after_all - {words})
        walked.count(np.bincount(ends), walked.repeated(ends, known))
        walked.flush()
        assert function.transitions == transitions
        met = [leaf for leaf, _ in classify(function, window.codes, entries)]
        assert None not in met


def test_neighbours_in_a_state_share_one_shift() -> None:
    m = Model("window")
    for key in "abcd":
        m.var(key, 0)
    layout = Learned(m).layout
    for key in "abcd":
        for value in range(3):
            layout.field(key).code(value)
    layout.arrange()
    for key in "abcd":
        layout.field(key).code(3)
    window = Window(layout.field(key) for key in "dab")
    state = sum(code << layout.field(key).shift for code, key in enumerate("abcd"))
    assert window.index(States(Names(1), np.array([state], np.uint64))).tolist() == [0b11_01_00]
    assert window.bits == 6
