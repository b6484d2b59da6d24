"""Each test of a function is changed on its own, each two neighbours are swapped, and nothing else."""

import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from dhruva.decide import authority, readiness
from dhruva.verify.altered import BOUND, CHECK, ORDER, TEST, altered, functions, reach, unchecked

SOURCE = """
def may(used: int, limit: int, open_: bool) -> bool:
    if not open_:
        return False
    if used == 9:
        return True
    return below(used, limit) and open_


def below(used: int, limit: int) -> bool:
    return used < limit


def other() -> int:
    return 1


def ask(cell: int | None, used: int, limit: int) -> object:
    if cell is None or used > limit or used < 0:
        return Refused("a", cell)
    if used == limit:
        used = 0
        return Refused("b", cell)
    if used == 1:
        return used
    return None


def Refused(why: str, cell: int | None) -> str:
    return why
"""


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    path = tmp_path / "sample.py"
    path.write_text(SOURCE)
    made = ModuleType("sample")
    made.__file__ = str(path)
    exec(compile(SOURCE, str(path), "exec"), vars(made))
    sys.modules["sample"] = made
    return made


def test_only_what_a_function_comes_to_is_reached(module: ModuleType) -> None:
    defined = functions(module)
    assert reach(defined, "may") == {"may", "below"}
    assert reach(defined, "below") == {"below"}


def test_every_test_is_changed_once_and_neighbours_are_swapped(module: ModuleType) -> None:
    found = {one.words: one for one in altered(module, {"may", "below"})}
    assert sorted(found) == sorted(
        [
            "`not open_` as `open_`",
            "`used == 9` as `used != 9`",
            "`below(used, limit) and open_` as `below(used, limit) or open_`",
            "`below(used, limit) and open_` as `not below(used, limit) and open_`",
            "`below(used, limit) and open_` as `below(used, limit) and (not open_)`",
            "`used == 9` before `not open_`",
            "`used < limit` as `used <= limit`",
        ]
    )
    assert Counter(one.kind for one in found.values()) == {TEST: 5, ORDER: 1, BOUND: 1}


def test_a_changed_helper_is_seen_by_who_calls_it(module: ModuleType) -> None:
    (moved,) = [one for one in altered(module, {"below"}) if one.kind == BOUND]
    assert moved.names["may"](2, 2, True)
    assert not module.may(2, 2, True)


def test_enums_stay_the_very_same() -> None:
    for one in altered(authority, {"authorize"}):
        verdicts = {one.names["authorize"].__globals__["Verdict"]}
        assert verdicts == {authority.Verdict}


def test_a_test_that_occurs_twice_has_two_names() -> None:
    for module_ in (authority, readiness):
        words = [(one.function, one.words) for one in altered(module_, set(functions(module_)))]
        assert len(words) == len(set(words))


def test_every_check_that_refuses_is_dropped_once_and_no_other(module: ModuleType) -> None:
    """Whether the cell is there is no check of a rule: without it nothing can go on."""
    found = {one.words: one for one in unchecked(module, {"ask", "may"})}
    assert {one.kind for one in found.values()} == {CHECK}
    asked = {
        words: [one.names["ask"](None, *facts) for facts in ((3, 2), (-1, 2), (2, 2))]
        for words, one in found.items()
    }
    assert asked == {
        "without `used > limit`": ["a", "a", "a"],
        "without `used < 0`": ["a", "a", "a"],
        "without `used == limit`": ["a", "a", "a"],
    }
    asked = {
        words: [one.names["ask"](7, *facts) for facts in ((3, 2), (-1, 2), (2, 2))]
        for words, one in found.items()
    }
    assert asked == {
        "without `used > limit`": [None, "a", "b"],
        "without `used < 0`": ["a", None, "b"],
        "without `used == limit`": ["a", "a", None],
    }
