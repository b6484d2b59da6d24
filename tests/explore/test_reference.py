"""The oracle itself: counts, shortest traces, deadlocks, budgets, independence of hash order."""

import subprocess
import sys
from typing import NamedTuple

import pytest

from dhruva.explore import Model, Read, check
from dhruva.explore.report import Report


def counter(top: int, wraps: bool = False) -> Model:
    m = Model("counter", top=top)
    m.var("n", 0)

    def up(read: Read) -> object:
        if read("n") < top:
            return {"n": read("n") + 1}
        return {"n": 0} if wraps else None

    m.action("up", up)
    return m


def verdicts(report: Report) -> dict[str, str]:
    return {one.name: one.verdict for one in report.properties}


def lengths(report: Report) -> dict[str, int | None]:
    return {one.name: None if one.trace is None else len(one.trace) for one in report.properties}


@pytest.mark.cites("VER-2")
def test_counts_are_of_edges_and_levels_from_zero() -> None:
    report = check(counter(4, wraps=True), "reference")
    assert (report.verdict, report.distinct, report.transitions, report.depth) == ("holds", 5, 5, 4)


def test_a_deadlock_is_found_unless_it_is_final() -> None:
    report = check(counter(4), "reference")
    assert (report.verdict, lengths(report)) == ("violated", {"no deadlock": 4})
    ending = counter(4)
    ending.final(lambda read: read("n") == 4)
    assert check(ending, "reference").verdict == "holds"
    lenient = counter(4)
    lenient.allow_deadlock("a counter may stop")
    report = check(lenient, "reference")
    assert (report.verdict, report.properties, report.deadlock_allowed) == ("holds", (), "a counter may stop")


def test_two_outcomes_with_one_successor_are_one_transition() -> None:
    m = Model("m")
    m.var("x", 0)
    m.action("same", lambda read: [{"x": 1}, {"x": 1, "y": None}, {"x": 0}] if read("x") == 0 else {})
    report = check(m, "reference")
    # From 0: to 1 and to itself; from 1: the self-loop.
    assert (report.distinct, report.transitions, report.depth) == (2, 3, 1)
    assert (report.coverage.actions[0].fired, report.coverage.actions[0].new) == (3, 1)


def test_cells_come_and_go_without_making_states_differ() -> None:
    m = Model("m")
    m.var("x", 0)
    m.action("make", lambda read: {"late": 1} if read("late") is None else None)
    m.action("drop", lambda read: {"late": None} if read("late") is not None else None)
    report = check(m, "reference")
    assert (report.distinct, report.transitions, report.depth) == (2, 2, 1)


def test_true_and_one_are_different_states() -> None:
    m = Model("m")
    m.var("x", 1)
    m.action("cast", lambda read: {"x": True if read("x") is not True else 1})
    assert check(m, "reference").distinct == 2


@pytest.mark.cites("VER-2")
def test_the_trace_is_shortest_and_tells_only_what_changed() -> None:
    m = Model("grid")
    m.var("x", 0)
    m.var("y", 0)
    m.action("right", lambda read: {"x": min(9, read("x") + 1)})
    m.action("up", lambda read: {"y": min(9, read("y") + 1)})
    m.action("jump", lambda read: {"x": 3, "y": read("y")} if read("x") == 1 else None)
    m.always("never at (3, 1)", lambda read: (read("x"), read("y")) != (3, 1), "stay off (3, 1)")
    report = check(m, "reference")
    (failed, _deadlock) = report.properties
    assert failed.trace is not None
    assert [step.action for step in failed.trace.steps] in (
        ["right", "jump", "up"],
        ["right", "up", "jump"],
        ["up", "right", "jump"],
    )
    assert [len(step.changes) for step in failed.trace.steps] == [1, 1, 1]
    assert "never at (3, 1): violated after 3 steps" in str(report)
    assert "x: 1 -> 3" in str(report)


def test_the_search_ends_with_the_level_of_the_first_violation() -> None:
    m = counter(9, wraps=True)
    m.always("small", lambda read: read("n") < 3)
    m.sometimes("nine", lambda read: read("n") == 9)
    report = check(m, "reference")
    assert (report.distinct, report.depth, report.complete) == (4, 3, False)
    assert verdicts(report) == {"small": "violated", "nine": "unknown", "no deadlock": "unknown"}
    report = check(m, "reference", keep_going=True)
    assert (report.distinct, report.depth, report.complete) == (10, 9, True)
    assert verdicts(report) == {"small": "violated", "nine": "holds", "no deadlock": "holds"}
    assert lengths(report) == {"small": 3, "nine": 9, "no deadlock": None}


def test_sometimes_fails_only_when_everything_was_seen() -> None:
    m = counter(4, wraps=True)
    m.sometimes("seven", lambda read: read("n") == 7)
    assert verdicts(check(m, "reference"))["seven"] == "violated"
    cut = check(m, "reference", max_states=2)
    assert (cut.verdict, cut.cut) == ("cut short", "max_states=2")
    assert verdicts(cut) == {"seven": "unknown", "no deadlock": "unknown"}


def test_a_budget_that_suffices_cuts_nothing() -> None:
    assert check(counter(4, wraps=True), "reference", max_states=5).verdict == "holds"
    assert check(counter(4, wraps=True), "reference", max_seconds=60, max_memory=100_000).verdict == "holds"
    assert check(counter(9999, wraps=True), "reference", max_seconds=1e-9).cut == "max_seconds=1e-09"
    assert check(counter(9999, wraps=True), "reference", max_memory=1).cut == "max_memory=1"


def test_a_when_that_is_never_reached_is_reported() -> None:
    m = counter(4, wraps=True)
    m.always("vacuous", when=lambda read: read("n") > 9, then=lambda _read: False)
    m.always("real", when=lambda read: read("n") > 2, then=lambda read: read("n") > 1)
    report = check(m, "reference")
    assert [one.reached for one in report.properties] == [0, 2, None]
    assert report.properties[0].is_vacuous
    assert "vacuous, but of nothing: its `when` was never reached" in str(report)


class Change(NamedTuple):
    writes: dict[str, int]
    edges: tuple[str, ...]


class Refused(NamedTuple):
    rule: str


def kernel() -> Model:
    m = Model("kernel")
    m.var("n", 0)

    def step(read: Read) -> object:
        n = read("n")
        return Change({"n": n + 1}, ("low" if n < 2 else "high",)) if n < 3 else Refused("full")

    m.action("step", step)
    m.action("reset", lambda read: {"n": 0} if read("n") == 3 else None)
    return m


def test_edges_and_refusals_are_covered() -> None:
    coverage = check(kernel(), "reference").coverage
    assert [(one.what, one.fired, one.new) for one in coverage.edges] == [("high", 1, 1), ("low", 2, 2)]
    assert [(one.what, one.fired) for one in coverage.refusals] == [(Refused("full"), 1)]


def test_a_step_property_sees_both_states_action_and_outcome() -> None:
    m = kernel()
    m.always_step("by one", lambda b, a, action, _o: action == "reset" or a("n") == b("n") + 1)
    m.always_step("never high", lambda _b, _a, _n, outcome: "high" not in getattr(outcome, "edges", ()))
    report = check(m, "reference", keep_going=True)
    assert lengths(report) == {"by one": None, "never high": 3, "no deadlock": None}


SCRIPT = """
from dhruva.explore import Model, check
m = Model("m")
for name in "abc":
    m.var(name, frozenset())
for name in "abc":
    m.action(name, lambda read, name: [{name: read(name) | {x}} for x in "xy" if x not in read(name)], name)
m.always("not all", lambda read: not all(len(read(name)) == 2 for name in "abc"))
print(check(m, "reference"))
"""


def test_any_hash_seed_gives_the_same_search() -> None:
    said = set()
    for seed in ("0", "1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        said.add("\n".join(line for line in done.stdout.splitlines() if "engine" not in line))
    assert len(said) == 1
