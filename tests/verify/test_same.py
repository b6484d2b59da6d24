"""A swap of tests that exclude each other is the same function; one that does not is not."""

import pytest

from dhruva.decide.authority import authorize
from dhruva.decide.errors import may_delete
from dhruva.verify.mutants import mutants
from dhruva.verify.same import facts, same

NAMED = {mutant.name: mutant for mutant in mutants()}


def test_every_combination_of_facts_is_made() -> None:
    assert len(facts(may_delete)) == 5 * 2 * 3 * 3
    assert len(facts(authorize)) == 7 * 2**10 * 2 * 2


@pytest.mark.cites("VER-5")
def test_tests_that_exclude_each_other_may_be_swapped() -> None:
    swap = NAMED["decision authorize: `scope == _SUSPENDED` before `scope not in ALIVE`"]
    assert same(swap) == 7 * 2**12


def test_what_differs_anywhere_is_not_the_same() -> None:
    assert same(NAMED["decision authorize: `scope not in ALIVE` before `facts.scope is None`"]) is None
    moved = "`spawned >= max_spawns` as `spawned > max_spawns`"
    assert same(NAMED[f"decision authorize: {moved}"]) is None


def test_nothing_is_claimed_of_what_computes_with_limits() -> None:
    for name, mutant in NAMED.items():
        if name.startswith(("decision permits", "decision admit", "decision cooperative_count")):
            assert same(mutant) is None, name
