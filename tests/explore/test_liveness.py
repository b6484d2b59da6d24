"""Fair runs on random graphs: two implementations and a brute force written independently must agree."""

from __future__ import annotations

from itertools import chain, combinations
from typing import NamedTuple

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dhruva.explore import EngineError, Model, check, fairness, liveness, steps, tables
from dhruva.explore.fairness import Numbers
from dhruva.explore.liveness import Graph, Lasso, Question
from tests.explore.random_models import live_models
from tests.explore.test_vector import facts

STATES = range(6)
ACTIONS = range(3)


class Case(NamedTuple):
    edges: frozenset[tuple[int, int, int]]
    triggered: frozenset[int]
    reached: frozenset[int]
    weak: frozenset[int]
    strong: frozenset[int]

    def steps(self, state: int) -> list[tuple[int, int]]:
        return [(action, after) for before, action, after in sorted(self.edges) if before == state]

    def able(self, state: int) -> set[int]:
        return {action for action, _ in self.steps(state)}


states = st.sampled_from(STATES)
actions = st.sampled_from(ACTIONS)
changing = st.tuples(states, actions, states).filter(lambda edge: edge[0] != edge[2])
cases = st.builds(
    Case,
    st.frozensets(changing, max_size=14),
    st.frozensets(states, min_size=1),
    st.frozensets(states, max_size=3),
    st.frozensets(actions),
    st.frozensets(actions),
)


def brute_force(case: Case) -> bool:
    """Whether some set of states can hold a fair run that was triggered: by trying every set."""
    whole = nx.DiGraph()
    whole.add_nodes_from(STATES)
    whole.add_edges_from((before, after) for before, _, after in case.edges)
    met = {0, *nx.descendants(whole, 0)}
    avoiding = whole.subgraph(set(STATES) - case.reached)
    starts = case.triggered & met - case.reached
    after = set(chain(starts, *(nx.descendants(avoiding, start) for start in starts)))
    subsets = chain.from_iterable(combinations(sorted(after), size) for size in range(1, len(after) + 1))
    return any(_can_stay(case, frozenset(subset), avoiding) for subset in subsets)


def _can_stay(case: Case, part: frozenset[int], graph: nx.DiGraph) -> bool:
    if not nx.is_strongly_connected(graph.subgraph(part)):
        return False
    taken = {action for before, action, after in case.edges if {before, after} <= part}
    weak = all(a in taken or any(a not in case.able(s) for s in part) for a in case.weak)
    strong = all(a in taken or all(a not in case.able(s) for s in part) for a in case.strong)
    return weak and strong


def plain(case: Case) -> Lasso | None:
    question = Question(
        case.triggered.__contains__,
        case.reached.__contains__,
        tuple(sorted(case.weak)),
        tuple(sorted(case.strong)),
    )
    return liveness.refute(Graph(case.steps, len(STATES)), question)


def arrays(case: Case) -> Lasso | None:
    edges = np.array(sorted(case.edges), np.int32).reshape(-1, 3)
    graph = fairness.ArrayGraph(len(STATES), edges[:, 0], edges[:, 1], edges[:, 2])
    triggered, reached = (np.isin(STATES, sorted(flags)) for flags in (case.triggered, case.reached))
    return fairness.refute(graph, triggered, reached, tuple(sorted(case.weak)), tuple(sorted(case.strong)))


def only_reachable(case: Case) -> Case:
    """A search knows reachable states only."""
    graph = nx.DiGraph([(before, after) for before, _, after in case.edges])
    graph.add_node(0)
    met = {0, *nx.descendants(graph, 0)}
    edges = frozenset(edge for edge in case.edges if edge[0] in met)
    return case._replace(edges=edges, triggered=case.triggered & met)


def is_right(case: Case, lasso: Lasso) -> bool:
    steps = list(zip(lasso.states, lasso.actions, lasso.states[1:], strict=False))
    ring = lasso.states[lasso.loop :]
    taken = {action for _, action, _ in steps[lasso.loop :]}
    armed = any(
        s in case.triggered and not case.reached & set(lasso.states[n:]) for n, s in enumerate(lasso.states)
    )
    weak = all(a in taken or any(a not in case.able(s) for s in ring) for a in case.weak)
    strong = all(a in taken or all(a not in case.able(s) for s in ring) for a in case.strong)
    return (
        lasso.states[0] == 0
        and set(steps) <= case.edges
        and ring[0] == ring[-1]
        and armed
        and weak
        and strong
    )


@pytest.mark.cites("VER-2")
@settings(max_examples=400, deadline=None)
@given(case=cases)
def test_fair_runs_equal_brute_force(case: Case) -> None:
    case = only_reachable(case)
    expected = brute_force(case)
    for found in (plain(case), arrays(case)):
        assert (found is not None) == expected
        assert found is None or is_right(case, found)


@pytest.mark.parametrize("single_bits", [0, 16])
@pytest.mark.parametrize("tiny", [0, 10**9])
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(model=live_models())
def test_engines_agree_about_runs(
    single_bits: int, tiny: int, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "SINGLE_BITS", single_bits)
    monkeypatch.setattr(steps, "TINY", tiny)
    fast, slow = facts(check(model, "vector")), facts(check(model, "reference"))
    for said in (fast, slow):
        # The shortest way in is the same; the way round in a component may differ.
        said["properties"] = [(name, verdict) for name, verdict, _, _ in said["properties"]]
    assert fast == slow


def signal(fair: tuple[str, ...] = (), strongly_fair: tuple[str, ...] = ()) -> Model:
    """A lamp that flickers, and a signal that is ignored while the lamp is off."""
    m = Model("signal")
    m.var("lamp", False)
    m.var("heard", False)
    m.action("flicker", lambda read: {"lamp": not read("lamp")})
    m.action("signal", lambda read: {"heard": True} if read("lamp") else {})
    m.leads_to(
        "heard", lambda read: read("lamp"), lambda read: read("heard"), fair=fair, strongly_fair=strongly_fair
    )
    return m


@pytest.mark.parametrize("engine", ["reference", "vector"])
def test_an_ignored_signal_satisfies_no_fairness(engine: str) -> None:
    def verdict(**fair: tuple[str, ...]) -> str:
        return check(signal(**fair), engine).verdict

    assert verdict() == "violated"
    # While the lamp is off the signal is possible but changes nothing: weak fairness is not enough.
    assert verdict(fair=("signal", "flicker")) == "violated"
    assert verdict(strongly_fair=("sig*",)) == "violated"
    assert verdict(fair=("flicker",), strongly_fair=("signal",)) == "holds"


@pytest.mark.parametrize("engine", ["reference", "vector"])
def test_the_run_is_told_with_its_loop(engine: str) -> None:
    report = check(signal(fair=("signal", "flicker")), engine)
    story = str(report)
    assert "from here on, for ever:" in story
    assert "back to the state after step" in story
    stops = check(signal(), engine).properties[0].trace
    assert stops is not None
    assert (len(stops), stops.loop) == (1, 1)
    assert stops.story().endswith("and then nothing more, for ever")


def test_a_fairness_that_accepts_self_loops_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: steps that change nothing count as possible and as taken."""
    honest = fairness.ArrayGraph

    def with_self_loops(size: int, source: Numbers, action: Numbers, target: Numbers) -> fairness.ArrayGraph:
        ignored = np.zeros(1, np.int32)
        columns = ((source, ignored), (action, ignored + 1), (target, ignored))
        return honest(size, *(np.concatenate(pair).astype(np.int32) for pair in columns))

    model = signal(fair=("flicker",), strongly_fair=("signal",))
    assert check(model, "vector").verdict == "holds"
    monkeypatch.setattr(fairness, "ArrayGraph", with_self_loops)
    # The faulty run takes the ignored signal round and round; walking it again shows that it is not fair.
    with pytest.raises(EngineError, match="is not fair"):
        check(model, "vector")
