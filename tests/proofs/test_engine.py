"""The engine follows what it says it follows: every path, run again with plain values, says the same."""

from typing import Any

import pytest
import z3  # type: ignore[import-untyped]

from dhruva.cells import Change
from dhruva.ids import Priority, TaskStatus
from dhruva.step import step
from proofs.engine import Engine, Unsupported
from proofs.invariants import premises
from proofs.merge import part
from proofs.prove import INVARIANTS
from proofs.shapes import INPUTS, member, number, ref
from proofs.symbolic import Path, explore, proved_kernel, symbolic
from proofs.tell import holds, value_in
from proofs.values import activate

NAMES = tuple(shape.name for shape in INPUTS if "key" not in shape.name and "name" not in shape.name)
SKIPPED = ("Admit", "Outcome")  # their two numbers are left open in the proof
WORLDS = 4  # of each path


@pytest.mark.cites("VER-1a")
@pytest.mark.parametrize("name", [name for name in NAMES if name not in SKIPPED])
def test_a_path_and_a_plain_run_agree(name: str) -> None:
    """Some worlds of every path: what the merged step says there is what `step` says."""
    (shape,) = (s for s in INPUTS if s.name == name)
    plain: list[tuple[Any, dict[Any, Any], Any]] = []
    here = Engine()
    with symbolic():
        kernel = proved_kernel()
        explore(shape, kernel, lambda path: plain.extend(_worlds(here, path)), here, premises(INVARIANTS))
    assert plain
    for given, cells, said in plain:
        answer = step(cells.get, given)
        if isinstance(said, dict):
            assert isinstance(answer, Change)
            assert {**cells, **answer.writes} == {**dict.fromkeys(answer.writes), **cells, **said}
        else:
            assert answer == said


def _worlds(here: Engine, path: Path) -> list[tuple[Any, dict[Any, Any], Any]]:
    """Plain worlds of a path, each different from the others in some cell that is there or not."""
    found = []
    here.solver.push()
    for _ in range(WORLDS):
        if here.solver.check() != z3.sat:
            break
        model = here.solver.model()
        found.append(_plain(path, model))
        flags = [k.there for k in path.world.known.values() if not isinstance(k.there, bool)]
        here.solver.add(
            z3.Or(*(f != model.eval(f, model_completion=True) for f in flags)) if flags else False
        )
    here.solver.pop()
    return found


def _plain(path: Path, model: Any) -> tuple[Any, dict[Any, Any], Any]:
    """One world of the path, in plain values; ghosts left out."""
    cells, known = {}, path.world.known
    for one in known.values():
        if one.key[0] != "ghost" and holds(one.valid, model):
            cells[value_in(one.key, model)] = value_in(one.cell, model) if holds(one.there, model) else None
    if not isinstance(path.said, Change):
        return value_in(path.given, model), cells, value_in(path.said, model)
    store: Any = path.said.writes
    after = {
        value_in(known[at].key, model): value_in(s.cell, model) if holds(s.there, model) else None
        for at, s in store.put_.items()
        if known[at].key[0] != "ghost" and holds(known[at].valid, model)
    }
    return value_in(path.given, model), cells, after


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
