"""What `delta` says of a mutant is what exploring the mutant from nothing says."""

from collections.abc import Callable, Iterable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from dhruva.cells import Change, Kind
from dhruva.explore import Model, Report, check
from dhruva.explore.errors import ModelError
from dhruva.ids import OwnerId, ProcessId, Ref, RequestId, ScopeId
from dhruva.inputs import Abort, Ask, CreateScope, Stopped, Succeed, Suspend
from dhruva.machines.attempt import AbortReason
from dhruva.step import BOOK, Step, stepping
from dhruva.verify import delta, hunt
from dhruva.verify.delta import Said
from dhruva.verify.graph import Graph
from dhruva.verify.hunt import World
from dhruva.verify.manifest import Run, read
from dhruva.verify.mutants import Mutant, mutants

FOLDER = Path(__file__).parents[2] / "models"
EVERY = list(mutants())
RUNS = sorted(read(FOLDER / "manifest.toml").runs("quick"), key=lambda run: (run.pin is None, run.pin))[:4]
FEW = 8  # mutants per run


@cache
def world(run: Run) -> World:
    return hunt.world(FOLDER, run)


def plainly(mutant: Mutant, one: World) -> Report | None:
    """The mutant explored by the explorer; None if something raises."""
    try:
        model = one.graph.build(stepping(mutant.book(one.settings)))
        return check(model, max_states=4 * len(one.graph.rows) + 1_000)
    except (ModelError, ValueError):
        return None


def agrees(said: Said, report: Report | None) -> bool:
    if report is None or said.outcome in (delta.RAISED, delta.NO_WORLD):
        return report is None and said.outcome in (delta.RAISED, delta.NO_WORLD)
    if report.verdict == "cut short":
        return True
    broken = {p.name: p.trace for p in report.properties if p.verdict == "violated"}
    if said.outcome in (delta.SAME, delta.SURVIVED):
        return not broken
    trace = broken.get(said.by)
    return said.by in broken and said.steps == (None if trace is None else len(trace))


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
@pytest.mark.cites("VER-5")
def test_a_mutant_is_judged_as_if_explored_from_nothing(run: Run) -> None:
    one = world(run)
    asked = [m for m in EVERY if any(c in one.graph.consulting or c in one.graph.setup for c in m.consulted)]
    judged = {
        mutant.name: (hunt.judge(mutant, one), mutant)
        for mutant in islice(asked, 0, None, max(len(asked) // FEW, 1))
    }
    assert len(judged) >= FEW
    wrong = [name for name, (said, mutant) in judged.items() if not agrees(said, plainly(mutant, one))]
    assert wrong == []


def test_the_graph_is_the_whole_graph() -> None:
    for run in RUNS:
        one = world(run)
        report = check(one.graph.model)
        counted = {(at, n, target) for at, row in enumerate(one.graph.edges) for n, _, _, target in row}
        assert (len(one.graph.rows), len(counted)) == (report.distinct, report.transitions)


def build() -> Callable[[Step], Model]:
    """A request that is asked for leads to its end, unless the kernel loses what it has queued."""

    def model(step: Step) -> Model:
        m = Model("served")
        scope, request = ScopeId(1), RequestId(OwnerId(10))
        first = Ref(OwnerId(10), 1, 1)
        for key, cell in world_of(step, (CreateScope(scope, max_spawns=1),)).items():
            m.var(key, cell)
        m.action("ask", step, Ask(request, scope, ProcessId(9)))
        m.action("succeed", step, Succeed(first))
        m.action("abort", step, Abort(first, AbortReason.USER))
        m.action("stopped", step, Stopped(first))
        m.leads_to(
            "an abort ends",
            lambda read: (c := read((Kind.ATTEMPT, first))) is not None and c.state == "aborting",
            lambda read: read((Kind.ATTEMPT, first)) is None,
            fair="stopped",
        )
        m.sometimes("it runs", lambda read: read((Kind.ATTEMPT, first)) is not None)
        m.allow_deadlock("one request")
        return m

    return model


def world_of(step: Step, setup: Iterable[Any]) -> dict[Any, Any]:
    cells: dict[Any, Any] = {}
    for given in setup:
        answer = step(cells.get, given)
        assert isinstance(answer, Change)
        cells |= answer.writes
    return cells


def test_a_mutant_that_breaks_a_claim_about_runs_is_killed() -> None:
    """Nothing that must come ends an aborting attempt: it aborts for ever, though the outside is fair."""
    graph = Graph(build(), BOOK)
    name = "attempt: row aborting -stopped-> aborted dropped"
    (mutant,) = [mutant for mutant in EVERY if mutant.name == name]
    step = stepping(mutant.book())
    said = delta.judge(graph, step, mutant.consulted)
    assert (said.outcome, said.by) == (delta.BROKEN, "an abort ends")
    report = check(build()(step), "reference")
    assert [p.name for p in report.properties if p.verdict == "violated"] == ["an abort ends"]


def test_a_claim_that_asks_the_kernel_is_refused() -> None:
    def model(step: Step) -> Model:
        m = build()(step)
        m.always("asks", lambda read: step(read, Suspend(ScopeId(1))) is not None)
        return m

    graph = Graph(model, BOOK)
    with pytest.raises(ModelError, match="not ask the kernel"):
        graph.holds("asks", graph.rows[0])
