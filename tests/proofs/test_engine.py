"""The engine follows what it says it follows: every path, run again with plain values, says the same."""

from typing import Any

import pytest

from dhruva.ids import Priority, TaskStatus
from proofs.engine import Engine, Unsupported
from proofs.merge import part
from proofs.shapes import INPUTS, STRANGE_KEYS, member, number, ref
from proofs.symbolic import explore, proved_kernel, symbolic
from proofs.values import activate
from tests.proofs.plain import Case, Products, cases

NAMES = tuple(shape.name for shape in INPUTS if not shape.name.endswith(tuple(STRANGE_KEYS)))
WORLDS = 3  # of each path


@pytest.mark.cites("VER-1a")
@pytest.mark.parametrize("name", NAMES)
def test_a_path_and_a_plain_run_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some worlds of every path, whatever invariant they break and under whatever settings: what the merged
    step says there is what `step` says.
    """
    (shape,) = (s for s in INPUTS if s.name == name)
    plain: list[Case] = []
    here, products = Engine(), Products(monkeypatch)
    with symbolic():
        kernel = proved_kernel()
        explore(shape, kernel, lambda p: plain.extend(cases(here, p, WORLDS, products)), here, None)
    assert plain
    for one in plain:
        one.agrees()


def _paths(run: Any) -> list[Any]:
    here = Engine()
    activate(here)
    return list(here.paths(run))


def test_a_comparison_is_followed_both_ways() -> None:
    found = _paths(lambda: (number("a", "n") < number("b", "n"), number("a", "n") < number("b", "n") + 1))
    assert sorted(found) == [(False, False), (False, True), (True, True)]


def test_refs_are_compared_in_one_decision() -> None:
    assert sorted(_paths(lambda: ref("a") == ref("b"))) == [False, True]


def test_an_enum_is_split_no_further_than_asked() -> None:
    assert len(_paths(lambda: member("e", tuple(TaskStatus)) == TaskStatus.FAILED)) == 2
    assert len(_paths(lambda: {member("e", tuple(Priority)): 0})) == len(Priority)


def test_the_paths_of_a_part_are_one_path_and_say_as_much() -> None:
    def run() -> Any:
        found = part(None, lambda: 1 if number("a", "n") > number("b", "n") else number("a", "n"))
        return bool(found == 1), bool(number("a", "n") > number("b", "n")), bool(number("a", "n") == 1)

    assert sorted(_paths(run)) == [
        (False, False, False),
        (True, False, True),
        (True, True, False),
        (True, True, True),
    ]


def test_none_and_a_value_are_not_merged() -> None:
    found = _paths(lambda: part(None, lambda: None if number("a", "n") > 0 else 1))
    assert sorted(map(str, found)) == ["1", "None"]


def test_a_code_that_is_not_deterministic_is_found_out() -> None:
    seen: list[int] = []

    def run() -> bool:
        seen.append(0)
        return number(f"a{len(seen)}", "n") > 0

    with pytest.raises(Unsupported, match="not deterministic"):
        _paths(run)


@pytest.mark.parametrize(
    "forbidden",
    [
        lambda: number("a", "ScopeId", True) < 1,
        lambda: number("a", "ScopeId", True) + 1,
        lambda: number("a", "ScopeId", True) == number("b", "OwnerId", True),
        lambda: {number("a", "n"): 1},
        lambda: str(number("a", "n")),
        lambda: f"{member('e', tuple(TaskStatus))}",
        lambda: bool(member("e", tuple(TaskStatus))),
        lambda: number("a", "n") + 0.5,
    ],
)
def test_what_cannot_be_followed_is_loud(forbidden: Any) -> None:
    with pytest.raises(Unsupported):
        _paths(forbidden)


@pytest.mark.parametrize("forbidden", [range, int, float, hex])
def test_a_number_is_never_made_plain(forbidden: Any) -> None:
    with pytest.raises(TypeError):
        _paths(lambda: forbidden(number("a", "n")))
