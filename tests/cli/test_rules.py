"""`dhruva tables` and `dhruva check`: what they print, and their exit codes."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dhruva import __version__, cli
from dhruva.machines import MACHINES

run = CliRunner()
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", MACHINES)
def test_a_table_as_json(name: str) -> None:
    answer = run.invoke(cli.app, ["tables", name, "--json"])
    assert answer.exit_code == 0
    table = json.loads(answer.stdout)
    assert list(table) == ["machine", "digest", "initial", "final", "entries", "states", "events", "rows"]
    assert table["machine"] == name
    for row in table["rows"]:
        assert list(row) == ["from", "on", "to", "when", "then", "cites"]
        assert row["cites"]
        assert all(isinstance(row[cell], list) for cell in ("when", "then", "cites"))


def test_initial_is_null_where_there_is_none() -> None:
    assert json.loads(run.invoke(cli.app, ["tables", "reexecution", "--json"]).stdout)["initial"] is None


def test_a_table_for_people() -> None:
    answer = run.invoke(cli.app, ["tables", "scope"])
    assert answer.stdout == str(MACHINES["scope"]) + "\n"


def test_tables_alone_lists_them_all() -> None:
    lines = run.invoke(cli.app, ["tables"]).stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(MACHINES)
    listed = json.loads(run.invoke(cli.app, ["tables", "--json"]).stdout)
    assert [table["machine"] for table in listed] == list(MACHINES)


def test_an_unknown_table_is_a_usage_error_that_names_it() -> None:
    answer = run.invoke(cli.app, ["tables", "scoop"])
    assert answer.exit_code == 2
    assert "no machine is named 'scoop'" in answer.stderr
    assert "Did you mean 'scope'?" in answer.stderr


def test_version_and_help() -> None:
    assert run.invoke(cli.app, ["--version"]).stdout == f"dhruva {__version__}\n"
    assert "tables" in run.invoke(cli.app, ["--help"]).stdout


CLASSIC = str(ROOT / "models" / "classics" / "two_phase_commit.py")


@pytest.mark.cites("VER-2")
def test_check_prints_counts_and_verdict_as_json() -> None:
    answer = run.invoke(cli.app, ["check", CLASSIC, "--set", "managers=3", "--json"])
    assert answer.exit_code == 0
    report = json.loads(answer.stdout)
    assert (report["distinct"], report["transitions"], report["depth"]) == (288, 1145, 10)
    assert report["verdict"] == "holds"


def test_a_search_cut_short_has_its_own_code() -> None:
    answer = run.invoke(cli.app, ["check", CLASSIC, "--max-states", "10"])
    assert answer.exit_code == 3
    assert "cut short" in answer.stdout


@pytest.mark.parametrize("wrong", ["managers", "=3", "nobody=3", "managers=many"])
def test_a_bound_that_cannot_be_set_is_a_usage_error(wrong: str) -> None:
    assert run.invoke(cli.app, ["check", CLASSIC, "--set", wrong]).exit_code == 2
