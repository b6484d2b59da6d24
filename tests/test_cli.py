"""The command: what it prints, and its exit codes."""

import json

import pytest
from typer.testing import CliRunner

from dhruva import __version__, cli
from dhruva.machines import MACHINES

run = CliRunner()


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


@pytest.mark.cites("VER-3")
def test_verify_prints_every_table_and_holds() -> None:
    answer = run.invoke(cli.app, ["verify"])
    assert answer.exit_code == 0
    assert all(name in answer.stdout for name in MACHINES)
    assert "Not checked here" in answer.stdout
