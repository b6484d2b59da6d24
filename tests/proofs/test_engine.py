"""The engine follows what it says it follows: every path, run again with plain values, says the same."""

from typing import Any

import pytest
import z3  # type: ignore[import-untyped]

from dhruva.cells import Change
from dhruva.ids import Priority, TaskStatus
from dhruva.step import step
from proofs.claim import value_in
from proofs.engine import Engine, Unsupported
from proofs.shapes import SHAPES, number, ref
from proofs.symbolic import Path, explore, lazy_fields
from proofs.values import LazyEnum, activate, engine

SAMPLE = (
    "CreateScope",
    "Mount",
    "Dispose",
    "Withdraw",
    "Wake",
    "Abort",
    "Stopped",
    "AddWorker",
    "ResourceEvent",
    "CreateTask",
    "Cancel",
    "Due",
    "Reset",
    "CommitCarrier",
    "Take (dispatch)",
    "Lost (run_slice)",
    "Deliver",
    "Observe",
    "Release",
    "Signal",
    "CompleteHuman",
    "Handle (tell_parent)",
    "Handle (reset)",
)
EVERY = 3  # paths of which one is replayed


@pytest.mark.parametrize("name", SAMPLE)
def test_a_path_and_a_plain_run_agree(name: str) -> None:
    (shape,) = (s for s in SHAPES if s.name == name)
    plain: list[tuple[Any, dict[Any, Any], Any]] = []
    seen = [0]

    def visit(path: Path) -> None:
        seen[0] += 1
        if seen[0] % EVERY == 1:
            plain.append(_plain(path))

    with lazy_fields():
        explore(shape, step, visit, quiet=name in ("Stopped", "Wake"))
    assert plain
    for given, cells, said in plain:
        assert step(cells.get, given) == said


def _plain(path: Path) -> tuple[Any, dict[Any, Any], Any]:
    """One world of the path, in plain values."""
    assert engine().solver.check() == z3.sat
    model = engine().solver.model()
    cells = {value_in(k, model): value_in(c, model) for k, c in path.world.cells.items()}
    said = path.said
    if isinstance(said, Change):
        writes = {value_in(k, model): value_in(c, model) for k, c in said.writes.items()}
        rest = (value_in(part, model) for part in said[1:])
        return value_in(path.given, model), cells, Change(writes, *rest)
    return value_in(path.given, model), cells, value_in(said, model)


def _paths(run: Any) -> list[Any]:
    here = Engine()
    activate(here)
    return list(here.paths(run))


def test_a_comparison_is_followed_both_ways() -> None:
    found = _paths(lambda: (number("a", "n") < number("b", "n"), number("a", "n") < number("b", "n") + 1))
    assert sorted(found) == [(False, False), (False, True), (True, True)]


def test_two_keys_may_be_one() -> None:
    def run() -> int:
        cells = {("k", number("a", "Id", True)): 1}
        cells["k", number("b", "Id", True)] = 2
        return len(cells)

    assert sorted(_paths(run)) == [1, 2]


def test_refs_are_compared_in_one_decision() -> None:
    assert sorted(_paths(lambda: ref("a") == ref("b"))) == [False, True]


def test_an_enum_is_split_no_further_than_asked() -> None:
    assert len(_paths(lambda: LazyEnum("e", tuple(TaskStatus)) == TaskStatus.FAILED)) == 2
    assert len(_paths(lambda: {LazyEnum("e", tuple(Priority)): 0})) == len(Priority)


@pytest.mark.parametrize(
    "forbidden",
    [
        lambda: number("a", "ScopeId", True) < 1,
        lambda: number("a", "ScopeId", True) + 1,
        lambda: number("a", "ScopeId", True) == number("b", "OwnerId", True),
        lambda: str(number("a", "n")),
        lambda: f"{LazyEnum('e', tuple(TaskStatus))}",
        lambda: bool(LazyEnum("e", tuple(TaskStatus))),
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
