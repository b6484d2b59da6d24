"""What leaves the explorer for other tools: state graphs and counterexamples as tests.

The graph is built by the reference engine's own rules, so it is for models that a person or a layout
program can still look at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dhruva.explore.errors import UsageError
from dhruva.explore.model import Model
from dhruva.explore.reference import Reference
from dhruva.explore.replay import Trace
from dhruva.explore.report import VIOLATED, Report
from dhruva.explore.search import Budget, Plan
from dhruva.explore.values import show, show_key

if TYPE_CHECKING:
    from networkx import MultiDiGraph  # type: ignore[import-untyped]

GRAPH_STATES = 20_000


def state_graph(model: Model, max_states: int = GRAPH_STATES) -> MultiDiGraph:
    """Every reachable state as a node with its cells, every transition as an edge with its action."""
    import networkx as nx

    search = Reference(model, Plan(Budget(max_states), keep_going=True, liveness=False))
    if not search.run().complete:
        raise UsageError(f"more than {max_states:,} states: too many for a graph to look at")
    number = {state: position for position, state in enumerate(search.parents)}
    graph = nx.MultiDiGraph(model=model.name, bounds=model.bounds)
    for state, position in number.items():
        read = search.cells.read(state)
        cells = {show_key(key): show(read(key)) for key in search.cells.place if read(key) is not None}
        graph.add_node(position, cells=cells, initial=position == 0)
    for state, position in number.items():
        taken = {(move.action, number[after]): None for move, after in search.steps(state)}
        for action, after in taken:
            graph.add_edge(position, after, action=model.actions[action].name)
    return graph


def graph_json(model: Model) -> str:
    """The state graph in networkx's node-link form."""
    import networkx as nx

    return json.dumps(nx.node_link_data(state_graph(model), edges="edges"), indent=1) + "\n"


def graph_dot(model: Model) -> str:
    """The state graph for Graphviz."""
    return "\n".join(_dot(state_graph(model))) + "\n"


def _dot(graph: MultiDiGraph) -> Iterator[str]:
    yield f"digraph {_quoted(graph.graph['model'])} {{"
    yield "  node [shape=box];"
    for node, about in graph.nodes(data=True):
        label = "\\n".join(f"{key} = {value}".replace('"', '\\"') for key, value in about["cells"].items())
        bold = " style=bold" if about["initial"] else ""
        yield f'  {node} [label="{label}"{bold}];'
    for before, after, about in graph.edges(data=True):
        yield f"  {before} -> {after} [label={_quoted(about['action'])}];"
    yield "}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def counterexample_tests(report: Report, path: str, sets: Mapping[str, str]) -> str:
    """A pytest file with one test per refuted property: it fails as long as the model takes that run."""
    found = [(one.name, one.sentence, one.trace) for one in report.properties if one.verdict == VIOLATED]
    parts = [
        f'"""Runs of the model {report.model!r} that refute its properties, found by dhruva.explore."""\n\n'
        "from dhruva.explore.command import load\n"
        "from dhruva.explore.replay import assert_mended\n\n"
        f"MODEL = {path!r}\n"
        f"BOUNDS = {dict(sets)!r}\n"
    ]
    parts += [_test(name, sentence, trace) for name, sentence, trace in found if trace is not None]
    return "\n\n".join(parts)


def _test(name: str, sentence: str, trace: Trace) -> str:
    word = re.sub(r"\W+", "_", name).strip("_").lower() or "property"
    moves: list[Any] = [(step.action, step.choice) for step in trace.steps]
    run = "\n".join(f"        {move!r}," for move in moves)
    return (
        f"def test_{word}() -> None:\n"
        f"    {json.dumps(sentence or name)}\n"
        f"    run = [\n{run}\n    ]\n"
        f"    assert_mended(load(MODEL, BOUNDS), {name!r}, run, loop={trace.loop})\n"
    )
