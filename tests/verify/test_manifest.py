"""The manifest is read as it is written, and what it cannot mean is refused by name."""

from pathlib import Path

import pytest

from dhruva.explore import check
from dhruva.explore.command import load
from dhruva.verify.manifest import FULL, QUICK, Manifest, ManifestError, Pin, Run, pin, read, text, write

MODELS = Path(__file__).parents[2] / "models"
RUN = Run(
    "gate", QUICK, (("limit", 2), ("fair", True), ("who", 'a "b"')), "two suffice", Pin("holds", 7, 9, 3)
)
WHOLE = Manifest((RUN, Run("gate", FULL), Run("other", QUICK)), {"gate": "tasks"})


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "manifest.toml"
    write(WHOLE, path)
    assert read(path) == WHOLE
    assert text(read(path)) == path.read_text()


def test_the_manifest_of_the_models_is_as_it_would_be_written() -> None:
    path = MODELS / "manifest.toml"
    assert text(read(path)) == path.read_text(), "write it with `dhruva verify --pin`"


def test_runs_are_named_by_model_and_bounds() -> None:
    assert RUN.name == 'gate limit=2 fair=True who=a "b"'
    assert RUN.sets == {"limit": "2", "fair": "True", "who": 'a "b"'}
    assert WHOLE.runs(FULL) == [Run("gate", FULL)]
    assert WHOLE.models == ["gate", "other"]


def test_pinning_writes_what_was_counted_and_keeps_the_rest() -> None:
    counted = Pin("holds", 8, 9, 3)
    assert WHOLE.pinned({RUN: counted}).every == (RUN._replace(pin=counted), *WHOLE.every[1:])


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("[gate]\nqick = []", "no field 'qick'"),
        ("gate = 1", "gate must be a table, not 1"),
        ("[[gate.quick]]\nbound = {}", "no field 'bound'"),
        ("[[gate.quick]]\nbounds = { limit = 1.5 }", "bound limit must be"),
        ("[[gate.quick]]\nbounds = 3", "bounds of the run must be of type dict, not 3"),
        ("[[gate.quick]]\ndepth = 3", "verdict, distinct, transitions missing"),
        ('[[gate.quick]]\nverdict = "violated"\ndistinct = 1\ntransitions = 1\ndepth = 1', "'violated'"),
        ('[[gate.quick]]\nverdict = "holds"\ndistinct = true\ntransitions = 1\ndepth = 1', "distinct of"),
        ("[[gate.quick]]\nbounds = { a = 1 }\n[[gate.quick]]\nbounds = { a = 1 }", "two runs at"),
        ("[gate", "Expected ']'"),
    ],
)
def test_what_it_cannot_mean_is_refused(tmp_path: Path, said: str, wrong: str) -> None:
    path = tmp_path / "manifest.toml"
    path.write_text(said)
    with pytest.raises(ManifestError) as refused:
        read(path)
    assert wrong in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_missing_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="there is no manifest"):
        read(tmp_path / "manifest.toml")


def test_a_pin_is_what_a_report_counts() -> None:
    run = next(run for run in read(MODELS / "manifest.toml").runs(QUICK) if run.model == "scope_gate")
    report = check(load(MODELS / f"{run.model}.py", run.sets))
    assert pin(report) == Pin(report.verdict, report.distinct, report.transitions, report.depth)
