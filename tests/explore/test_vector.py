"""The vector engine says what the reference engine says, on random models and under every inner shape."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from itertools import count
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from dhruva.explore import (
    EngineError,
    Model,
    ModelError,
    Read,
    Report,
    check,
    fields,
    judge,
    space,
    steps,
    tables,
    values,
    vector,
    walk,
)
from dhruva.explore.command import load
from tests.explore.random_models import models

ROOT = Path(__file__).parents[2]


class Shape(NamedTuple):
    """Sizes that must not matter: small ones force wide states, walked tries, and chunks inside a level."""

    word_bits: int = 64
    shared_bits: int = 12
    single_bits: int = 18
    window_bits: int = 12
    digit_bits: int = 6
    tiny: int = 0
    chunk: int = 1 << 14


SHAPES = {
    "tables": Shape(),
    "one by one": Shape(tiny=10**9),
    "walked": Shape(single_bits=0),
    "walked node by node": Shape(single_bits=0, window_bits=0, digit_bits=1),
    "tables and walked": Shape(single_bits=3, shared_bits=3, window_bits=3),
    "two words or more": Shape(word_bits=3),
    "many words, one by one": Shape(word_bits=3, tiny=10**9),
    "many words, walked, small chunks": Shape(word_bits=4, single_bits=0, window_bits=2, chunk=2),
    "small chunks": Shape(chunk=3),
    "now and then one by one": Shape(tiny=12),
    "now and then one by one, walked": Shape(tiny=12, single_bits=0, window_bits=4, word_bits=5),
}


@pytest.fixture(params=list(SHAPES.values()), ids=list(SHAPES))
def shape(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    shape: Shape = request.param
    monkeypatch.setattr(fields, "WORD_BITS", shape.word_bits)
    monkeypatch.setattr(tables, "SINGLE_BITS", shape.single_bits)
    monkeypatch.setattr(steps, "SHARED_BITS", shape.shared_bits)
    monkeypatch.setattr(walk, "_WINDOW_BITS", shape.window_bits)
    monkeypatch.setattr(walk, "_DIGIT_BITS", shape.digit_bits)
    for module in (steps, judge):
        monkeypatch.setattr(module, "TINY", shape.tiny)
    for module in (vector, judge):
        monkeypatch.setattr(module, "_CHUNK", shape.chunk)


def facts(report: Report) -> dict[str, Any]:
    """What engines must agree on."""
    return {
        "counts": (report.distinct, report.transitions, report.depth),
        "verdict": report.verdict,
        "properties": [
            (one.name, one.verdict, None if one.trace is None else len(one.trace), one.reached)
            for one in report.properties
        ],
        "fired": [(one.what, one.fired) for one in report.coverage.actions],
        "new": sum(one.new for one in report.coverage.actions),
        "edges": [(one.what, one.fired) for one in report.coverage.edges],
        "refusals": [(one.what, one.fired) for one in report.coverage.refusals],
    }


def agree(model: Model, **options: Any) -> None:
    oracle = check(model, "reference", audit=False, **options)
    assert facts(check(model, "vector", **options)) == facts(oracle)


@pytest.mark.cites("VER-2")
@pytest.mark.usefixtures("shape")
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(model=models())
def test_engines_agree_on_random_models(model: Model) -> None:
    agree(model)
    agree(model, keep_going=True)


def classics() -> list[Model]:
    folder = ROOT / "models" / "classics"
    return [load(folder / f"{name}.py") for name in ("two_phase_commit", "hanoi", "fifo", "peterson")]


def drop_last_state(expand: Any) -> Any:
    return lambda self, start, stop: expand(self, start, max(stop - 1, start + 1))


def lose_last_level(add: Any) -> Any:
    def lossy(self: Any, names: Any) -> Any:
        return add(self, names if self.index.size < 250 else names[:0])

    return lossy


def without_last_outcome(enter: Any, self: Any, leaf: Any, *arguments: Any) -> Any:
    result = leaf.result
    leaf.result = dataclasses.replace(result, outcomes=result.outcomes[: max(len(result.outcomes), 1) - 1])
    answer = enter(self, *arguments)
    leaf.result = result
    return answer


def forget_an_outcome(enter: Any) -> Any:
    return lambda self, number, leaf, where: without_last_outcome(enter, self, leaf, number, leaf, where)


def forget_an_outcome_when_walked(enter: Any) -> Any:
    return lambda self, leaf: without_last_outcome(enter, self, leaf, leaf)


def take_another_branch(number: Any) -> Any:
    """A node further down is taken for one that reads the same at the root of another branch."""
    return lambda self, node, shift, _code: number(self, node, shift, 0)


def count_every_outcome(_again: Any) -> Any:
    return lambda _self, _number, leaves, *_: np.zeros(len(leaves), bool)


def meeting() -> Model:
    """Two outcomes that write different cells and meet in some states; values enough for two digits."""
    m = Model("meeting")
    m.var("a", 0)
    m.var("b", 0)
    m.action("up", lambda read: {"a": read("a") + 1} if read("a") < 9 else None)
    m.action("either", lambda _: [{"a": 0}, {"a": 0, "b": 1}, {"b": 1}])
    return m


@pytest.mark.parametrize(
    ("single_bits", "owner", "name", "fault"),
    [
        (16, steps.Steps, "expand", drop_last_state),
        (16, space.Space, "add", lose_last_level),
        (16, tables.ActionTable, "enter", forget_an_outcome),
        (0, walk.WalkedAction, "enter", forget_an_outcome_when_walked),
        (0, walk.WalkedAction, "_again", count_every_outcome),
        (0, walk.Paths, "_number", take_another_branch),
    ],
)
def test_planted_faults_are_caught(
    single_bits: int, owner: type, name: str, fault: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "SINGLE_BITS", single_bits)
    monkeypatch.setattr(walk, "_WINDOW_BITS", 2)
    monkeypatch.setattr(walk, "_DIGIT_BITS", 2)
    for module in (steps, judge):
        monkeypatch.setattr(module, "TINY", 0)
    for model in (*classics(), meeting()):
        agree(model)
    monkeypatch.setattr(owner, name, fault(getattr(owner, name)))
    caught = 0
    for model in (*classics(), meeting()):
        try:
            agree(model)
        except (AssertionError, EngineError, IndexError, ValueError):
            caught += 1
    assert caught > 0


def counted(run: Any) -> Model:
    m = Model("m")
    m.var("n", 0)
    m.var("k", 0)
    m.action("up", lambda read: {"n": (read("n") + 1) % 40})
    m.action("odd", run)
    return m


class Box:
    """Hashable, and yet it can be changed in place."""

    def __init__(self, inside: int) -> None:
        self.inside = inside

    def __hash__(self) -> int:
        return hash(self.inside)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and self.inside == other.inside


@pytest.mark.parametrize("engine", ["reference", "vector"])
def test_the_audit_finds_what_is_no_function(engine: str) -> None:
    calls = count()
    with pytest.raises(ModelError, match="action 'odd' is not a function of what it reads"):
        check(counted(lambda read: {"k": (read("k") + next(calls)) % 5}), engine)

    def mutate(read: Read) -> object:
        read("box").inside += 1
        return None

    m = counted(mutate)
    m.var("box", Box(1))
    with pytest.raises(ModelError, match="action 'odd' changed the value of box in place"):
        check(m, engine)


@pytest.mark.parametrize("engine", ["reference", "vector"])
def test_the_audit_looks_at_every_state_of_a_small_model(engine: str) -> None:
    """What is no function shows in one state only, and every other time."""
    calls = count()
    m = Model("m")
    m.var("n", 0)
    m.action("up", lambda read: {"n": read("n") + 1} if read("n") < 5 else None)
    m.action("odd", lambda read: {"n": 0} if read("n") == 3 and next(calls) % 2 else None)
    m.allow_deadlock("it ends")
    with pytest.raises(ModelError, match="action 'odd' is not a function of what it reads"):
        check(m, engine)


def test_without_the_audit_hidden_state_goes_unseen() -> None:
    calls = count()
    m = counted(lambda read: {"k": next(calls) % 2} if read("n") == 1 else None)
    assert check(m, "vector", audit=False).verdict == "holds"


@pytest.mark.parametrize("engine", ["reference", "vector"])
def test_an_unbounded_counter_is_cut_and_claims_nothing(engine: str) -> None:
    m = Model("unbounded")
    m.var("n", 0)
    m.action("up", lambda read: {"n": read("n") + 1})
    m.sometimes("negative", lambda read: read("n") < 0)
    m.eventually("ten", lambda read: read("n") == 10, fair="up")
    report = check(m, engine, max_states=3_000)
    assert (report.verdict, report.cut) == ("cut short", "max_states=3000")
    assert {one.verdict for one in report.properties} == {"unknown"}
    assert report.unexpanded > 0
    assert "cut short by max_states=3000: the steps of" in str(report)


@pytest.mark.parametrize("engine", ["reference", "vector"])
def test_an_unbounded_counter_is_named(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MAX_VALUES", 50)
    m = Model("unbounded")
    m.var(("count", 1), 0)
    m.action("up", lambda read: {("count", 1): read(("count", 1)) + 1})
    with pytest.raises(ModelError, match=r"cell count\(1\) has had 51 different values") as caught:
        check(m, engine)
    assert caught.value.trace is not None
    assert len(caught.value.trace) >= 45


def test_states_wider_than_a_word() -> None:
    """Forty cells of three values and a budget of three steps: choose with repetition, at most twice each."""
    m = Model("wide", cells=40)
    m.var("left", 3)
    for cell in range(40):
        m.var(cell, 0)

        def up(read: Read, cell: int) -> object:
            if read("left") == 0 or read(cell) == 2:
                return None
            return {cell: read(cell) + 1, "left": read("left") - 1}

        m.action(f"up({cell})", up, cell)
    m.allow_deadlock("the budget ends")
    agree(m)
    assert check(m, "vector").distinct == 1 + 40 + (comb(40, 2) + 40) + (comb(40, 3) + 40 * 39)


SEEDED = """
from dhruva.explore.command import load
from dhruva.explore import check
report = check(load("models/classics/paxos.py", {"forgetful": "yes"}), "vector")
print(str(report).replace(f"{report.seconds:.2f}", ""))
"""


def test_any_hash_seed_gives_the_same_report() -> None:
    said = set()
    for seed in ("0", "1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", SEEDED],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        said.add(done.stdout)
    assert len(said) == 1


def test_the_reference_engine_loads_neither_numpy_nor_scipy_nor_networkx() -> None:
    script = (
        "import sys\nfrom dhruva.explore import check\nfrom dhruva.explore.command import load\n"
        "check(load('models/classics/token_ring.py'), 'reference')\n"
        "sys.exit(len({'numpy', 'scipy', 'networkx'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_calls_grow_with_paths_and_not_with_states() -> None:
    folder = ROOT / "models" / "classics"
    small, large = (
        check(load(folder / "two_phase_commit.py", {"managers": str(n)}), "vector") for n in (5, 7)
    )
    assert large.distinct > 30 * small.distinct
    assert large.calls < 2 * small.calls


MANY = "property 'even or odd' has 8,192 paths: a form over many cells would be cheaper"


def test_many_paths_are_worth_a_note() -> None:
    m = Model("m")
    for cell in range(13):
        m.var(cell, False)
    for cell in range(13):
        m.action(f"flip {cell}", lambda read, cell: {cell: not read(cell)}, cell)
    m.always("even or odd", lambda read: sum([read(cell) for cell in range(13)]) >= 0)
    report = check(m, "vector")
    assert report.notes == (
        "property 'even or odd' has 8,192 paths: a form over many cells would be cheaper",
    )


def test_branches_that_were_never_taken_are_listed() -> None:
    m = Model("m")
    m.var("a", 0)
    m.var("b", "x")
    m.action("up", lambda read: {"a": read("a") + 1} if read("a") < 2 else None)
    m.action("turn", lambda read: {"b": "y"} if read("a") == 2 and read("b") == "x" else None)
    m.action("back", lambda read: {"a": 0, "b": "x"} if read("b") == "y" and read("a") == 2 else None)
    report = check(m, "vector")
    assert report.coverage.untaken == ("back: a = 0 or 1",)
    assert json.loads(report.to_json())["coverage"]["untaken"] == ["back: a = 0 or 1"]


@pytest.mark.cites("VER-2")
@pytest.mark.parametrize("shape", [Shape(word_bits=2, single_bits=0, chunk=1)], indirect=True, ids=["wide"])
@pytest.mark.usefixtures("shape")
def test_a_field_that_was_only_read_may_be_written_later() -> None:
    """It stands in a word of its own, for which the action's table had no column."""
    m = Model("late write")
    m.var("a", 0)
    m.var("b", 0)

    def turn(read: Read) -> dict[str, int] | None:
        a, b = read("a"), read("b")
        assert isinstance(a, int)
        if b == 2:
            return None
        return {"a": a + 1} if a < 2 else {"b": 2}

    m.action("turn", turn)
    m.action("elsewhere", lambda read: {"b": 2} if read("a") == 0 and read("b") == 0 else None)
    m.allow_deadlock("it ends")
    agree(m)
    assert check(m, "vector").distinct == 5
