"""`dhruva verify`: what it prints and writes, and its exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dhruva import cli
from dhruva.machines import MACHINES
from dhruva.verify.manifest import Pin, read

run = CliRunner()

MODEL = '''"""Counts to three."""
from dhruva.explore import Model
{constants}

def model(most: int = 3) -> Model:
    m = Model("counter", most=most)
    m.var("n", 0)
    m.action("up", lambda read: {{"n": read("n") + 1}} if read("n") < most else None)
    m.always("small", lambda read: read("n") < {limit}, "n stays small", cites="ACT-2")
    m.sometimes("there", lambda read: read("n") == most)
    m.final(lambda read: read("n") == most)
    return m
'''
MANIFEST = """
[[counter.quick]]
bounds = {{ most = 2 }}
verdict = "holds"
distinct = {distinct}
transitions = 2
depth = 2

[[counter.full]]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    models = tmp_path / "models"
    (models / "broken").mkdir(parents=True)
    (models / "counter.py").write_text(MODEL.format(constants="", limit=9))
    (models / "manifest.toml").write_text(MANIFEST.format(distinct=3))
    says = 'FAILS = "small"\nLENGTH = 2'
    (models / "broken" / "two.py").write_text(MODEL.format(constants=says, limit=2))
    return models


def verify(folder: Path, *options: str) -> Result:
    out = str(folder.parent / "build")
    return run.invoke(cli.app, ["verify", "--quick", "--models", str(folder), "--out", out, *options])


@pytest.mark.cites("VER-3", "VER-7")
def test_all_that_holds_is_told_and_written(folder: Path) -> None:
    answer = verify(folder)
    assert answer.exit_code == 0, answer.stderr
    assert "HOLDS: everything that was asked for holds (quick bounds" in answer.stdout
    assert "assumed of the outside" in answer.stdout
    assert "Not claimed" in answer.stdout
    assert max(map(len, answer.stdout.splitlines()[:-1])) <= 100
    said = json.loads((folder.parent / "build" / "record.json").read_text())
    assert said["verdict"] == "holds"
    assert [table["machine"] for table in said["tables"]] == list(MACHINES)
    assert [(one["model"], one["distinct"]) for one in said["runs"]] == [("counter", 3)]
    assert said["broken"][0]["trace"]["steps"][1]["action"] == "up"
    assert "Holds" in (folder.parent / "build" / "report.html").read_text()


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("counter.py", MODEL.format(constants="", limit=2), "small: violated after 2 steps"),
        (
            "counter.py",
            MODEL.format(constants="", limit="(1 if read('n') == 2 else 9)"),
            "small: violated after 2",
        ),
        ("manifest.toml", MANIFEST.format(distinct=4), "counted verdict holds, distinct 3"),
        (
            "broken/two.py",
            MODEL.format(constants='FAILS = "small"\nLENGTH = 1', limit=2),
            "fails after 2 steps",
        ),
        ("broken/two.py", MODEL.format(constants='FAILS = "small"\nLENGTH = 2', limit=9), "does not fail"),
        ("broken/two.py", MODEL.format(constants='FAILS = "big"\nLENGTH = 2', limit=2), "no property 'big'"),
        ("extra.py", MODEL.format(constants="", limit=9), "models/extra.py has no run in manifest.toml"),
        ("counter.py", MODEL.format(constants="", limit="nobody"), "raised NameError"),
    ],
)
@pytest.mark.cites("VER-3")
def test_whatever_speaks_against_us_fails_the_whole(folder: Path, file: str, text: str, told: str) -> None:
    (folder / file).write_text(text)
    answer = verify(folder)
    assert answer.exit_code == 1
    assert told in answer.stderr
    assert "VIOLATED" in answer.stdout


def test_without_pins_counts_and_lengths_are_not_compared(folder: Path) -> None:
    (folder / "manifest.toml").write_text(MANIFEST.format(distinct=4))
    (folder / "broken" / "two.py").write_text(MODEL.format(constants='FAILS = "small"\nLENGTH = 1', limit=2))
    assert verify(folder).exit_code == 1
    assert verify(folder, "--no-pins").exit_code == 0


def test_pinning_writes_the_counts(folder: Path) -> None:
    (folder / "manifest.toml").write_text(MANIFEST.format(distinct=4))
    assert verify(folder, "--pin").exit_code == 0
    assert read(folder / "manifest.toml").runs("quick")[0].pin == Pin("holds", 3, 2, 2)
    assert verify(folder).exit_code == 0


def test_what_changed_since_a_record_is_told(folder: Path) -> None:
    verify(folder)
    old = folder.parent / "old.json"
    (folder.parent / "build" / "record.json").rename(old)
    assert verify(folder, "--against", str(old)).stdout.endswith("nothing changed\n")
    (folder / "manifest.toml").write_text(MANIFEST.format(distinct=4).replace("most = 2", "most = 4"))
    assert "run counter most=4 is new" in verify(folder, "--no-pins", "--against", str(old)).stdout


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--against", "nowhere.json"), "nowhere.json"),
        (("--models", "nowhere"), "there is no manifest nowhere"),
    ],
)
def test_usage_errors(folder: Path, options: tuple[str, ...], told: str) -> None:
    answer = verify(folder, *options)
    assert answer.exit_code == 2
    assert told in answer.stderr


def test_a_record_of_another_form_is_refused(folder: Path) -> None:
    old = folder.parent / "old.json"
    old.write_text('{"form": 0}')
    answer = verify(folder, "--against", str(old))
    assert answer.exit_code == 2
    assert "a record of form 0" in answer.stderr


@pytest.mark.cites("VER-3")
def test_the_record_is_the_same_under_any_hash_seed(folder: Path) -> None:
    said = []
    for seed in ("1", "2"):
        out = folder.parent / seed
        command = ["-m", "dhruva", "verify", "--quick", "--models", str(folder), "--out", str(out)]
        subprocess.run(
            [sys.executable, *command],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )
        record = json.loads((out / "record.json").read_text())
        record["timing"] = None
        said.append(json.dumps(record))
    assert said[0] == said[1]
