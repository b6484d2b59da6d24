"""The models of the kernel at quick bounds: each holds with the counts of the manifest, and together they
take every row.

A changed count is a changed meaning: look at what became possible, or impossible, before you pin it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from dhruva.explore import Report, check
from dhruva.explore.command import load
from dhruva.explore.model import LeadsTo, Sometimes
from dhruva.machines import MACHINES
from dhruva.verify.manifest import FULL, QUICK, Run, read

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "models"
MANIFEST = read(FOLDER / "manifest.toml")
RUNS = MANIFEST.runs(QUICK)
KERNEL_FULL = 10**7


@cache
def explored(run: Run) -> Report:
    return check(load(FOLDER / f"{run.model}.py", run.sets), "vector")


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_holds_with_these_counts(run: Run) -> None:
    report = explored(run)
    assert [p.name for p in report.properties if p.verdict != "holds" or p.is_vacuous] == [], str(report)
    assert run.pin is not None
    assert (report.distinct, report.transitions, report.depth) == run.pin[1:]


def test_every_row_is_taken_in_some_model() -> None:
    edges = [count.what for run in RUNS for count in explored(run).coverage.edges]
    taken = {(edge.machine, edge.source, edge.on) for edge in edges}  # type: ignore[attr-defined]
    rows = {(m.name, row.source, row.on) for m in MACHINES.values() for row in m.rows if m.name != "schedule"}
    assert rows - taken == set()


@pytest.mark.parametrize("model", MANIFEST.models)
def test_claims_are_sentences_that_cite_the_specification(model: str) -> None:
    known = {found for page in (ROOT / "docs" / "spec").glob("*.md") for found in _ids(page)}
    for claim in load(FOLDER / f"{model}.py").properties:
        if not isinstance(claim, Sometimes):
            assert claim.sentence, f"{claim.name}: say in a sentence what it claims"
            assert claim.cites, f"{claim.name}: cite the requirement it is evidence for"
            unknown = set(claim.cites) - known
            assert unknown == set(), f"{claim.name} cites {unknown}: not in docs/spec"


@pytest.mark.parametrize("model", MANIFEST.models)
def test_a_model_shows_that_its_claims_are_not_empty(model: str) -> None:
    assert any(isinstance(claim, Sometimes) for claim in load(FOLDER / f"{model}.py").properties)


@pytest.mark.parametrize("model", MANIFEST.models)
def test_a_model_opens_with_what_it_leaves_out(model: str) -> None:
    about = (FOLDER / f"{model}.py").read_text().split('"""')[1]
    assert "\nLeft out" in about, f"{model}: say what it leaves out, and why that is safe"
    assert MANIFEST.leaves_out[model]
    assert all(run.because for run in MANIFEST.every), "bounds are argued"


def test_the_composition_at_full_bounds_is_large_and_safety_only() -> None:
    """That it is explored whole, and comes to its pin, `make verify` shows."""
    full = [run for run in MANIFEST.runs(FULL) if run.model == "kernel"]
    assert max(run.pin.distinct for run in full if run.pin is not None) >= KERNEL_FULL
    for run in full:
        claims = load(FOLDER / "kernel.py", run.sets).properties
        assert not any(isinstance(claim, LeadsTo) for claim in claims)


def test_liveness_is_claimed_of_every_family_at_quick_bounds() -> None:
    """Re-execution and kept signals are claimed in the models whose claims they share; of misuse nothing must
    come."""
    live = {run.model for run in RUNS if any(isinstance(claim, LeadsTo) for claim in _claims(run))}
    assert live == set(MANIFEST.models) - {"reexecution", "kept_signals", "misuse"}


def _claims(run: Run) -> list[object]:
    return list(load(FOLDER / f"{run.model}.py", run.sets).properties)


def _ids(page: Path) -> list[str]:
    return re.findall(r"^\| ([A-Z]{3}-\d+[a-z]?) \|", page.read_text(), re.MULTILINE)
