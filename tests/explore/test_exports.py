"""What other tools get: graphs, tests, Promela, progress."""

import io
import json
import subprocess
import sys
from pathlib import Path

import networkx as nx  # type: ignore[import-untyped]
import pytest

from dhruva.explore import Model, UsageError, exports
from dhruva.explore.command import run
from dhruva.explore.progress import Progress
from dhruva.explore.promela import promela
from tests.explore.test_command import GATE, outcome, write


def ring() -> Model:
    m = Model('say "hi"', top=3)
    m.var(("n", 1), 0)
    m.action("up", lambda read: {("n", 1): (read(("n", 1)) + 1) % 3})
    m.action("stay", lambda _read: [{}, {}])
    return m


def test_the_graph_has_every_state_and_transition() -> None:
    graph = exports.state_graph(ring())
    assert [about["cells"] for _, about in graph.nodes(data=True)] == [{"n(1)": str(n)} for n in range(3)]
    assert sorted((a, b, about["action"]) for a, b, about in graph.edges(data=True)) == [
        (0, 0, "stay"),
        (0, 1, "up"),
        (1, 1, "stay"),
        (1, 2, "up"),
        (2, 0, "up"),
        (2, 2, "stay"),
    ]
    again = nx.node_link_graph(json.loads(exports.graph_json(ring())), edges="edges")
    assert nx.is_isomorphic(graph, again)
    dot = exports.graph_dot(ring())
    assert dot.startswith('digraph "say \\"hi\\"" {')
    assert '0 [label="n(1) = 0" style=bold];' in dot
    assert '  0 -> 1 [label="up"];' in dot
    with pytest.raises(UsageError, match="too many for a graph"):
        exports.state_graph(ring(), max_states=1)


def test_a_counterexample_becomes_a_test_that_fails_until_it_is_mended(tmp_path: Path) -> None:
    file, tests = write(tmp_path, GATE), tmp_path / "test_found.py"
    assert outcome(file, sets={"strict": "no"}, tests=tests)[0] == 1

    def pytest_says() -> str:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
        return subprocess.run([*command, str(tests)], capture_output=True, text=True, check=False).stdout

    said = pytest_says()
    assert "1 failed" in said
    assert "within the limit: slots stay within the limit" in said
    assert "slots: 2 -> 3" in said
    file.write_text(GATE.replace("limit + 1", "limit"))
    assert "1 passed" in pytest_says()


def test_exports_are_written_on_request(tmp_path: Path) -> None:
    file = write(tmp_path, GATE)
    files = {name: tmp_path / f"out.{name}" for name in ("dot", "graph", "promela")}
    assert outcome(file, **files)[0] == 0
    assert "digraph" in files["dot"].read_text()
    assert len(json.loads(files["graph"].read_text())["nodes"]) == 3
    assert "d_step { c0 == 0 -> c0 = 1 }" in files["promela"].read_text()
    code, _, err = outcome(file, dot=tmp_path / "no" / "such" / "folder")
    assert code == 2
    assert "cannot write" in err


def test_promela_needs_the_whole_space() -> None:
    with pytest.raises(UsageError, match="cut short"):
        promela(ring(), max_states=1)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_rewrites_a_line_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dhruva.explore.progress._ON_TERMINAL", 0.0)
    monkeypatch.setattr("dhruva.explore.progress._ELSEWHERE", 0.0)
    for stream, mark in ((Terminal(), "\r"), (io.StringIO(), "\n")):
        progress = Progress(stream)
        progress(1_000, 200, 3)
        progress.close()
        assert mark in stream.getvalue()
        assert "1,000 states, " in stream.getvalue()
        assert "depth 3, 200 in this level" in stream.getvalue()


def test_a_search_reports_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dhruva.explore.progress._ELSEWHERE", 0.0)
    for engine in ("reference", "vector"):
        err = io.StringIO()
        assert run(write(tmp_path, GATE), engine=engine, progress=True, out=io.StringIO(), err=err) == 0
        assert "states, " in err.getvalue()
