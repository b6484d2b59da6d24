"""The models of the kernel at small bounds: each holds, with these counts, and together they take every row.

A changed count is a changed meaning: look at what became possible, or impossible, before you change it here.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from dhruva.explore import Report, check
from dhruva.explore.command import load
from dhruva.explore.model import Always, AlwaysStep, Sometimes
from dhruva.machines import MACHINES

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "models"


class Pinned(NamedTuple):
    """A model, its bounds where they are not its own, and what exploring it counts."""

    file: str
    sets: tuple[tuple[str, int], ...]
    counts: tuple[int, int, int]  # distinct, transitions, depth

    @property
    def name(self) -> str:
        return " ".join([self.file, *(f"{name}={value}" for name, value in self.sets)])


PINNED = [
    Pinned("scope_gate", (("queued", 0), ("resources", 0)), (129, 755, 7)),
    Pinned("scope_gate", (("queued", 0), ("spawns", 1), ("retry", 0)), (232, 1_730, 8)),
    Pinned("scope_gate", (("resources", 0),), (515, 3_432, 11)),
    Pinned("scope_gate", (("cap", 1), ("resources", 0), ("retry", 0), ("spawns", 1)), (2_209, 17_400, 12)),
    Pinned("carrier_group", (), (8_140, 47_352, 19)),
    Pinned("carrier_group", (("budget", 1), ("depth", 0), ("cost", 0), ("spawns", 2)), (2_824, 14_553, 15)),
    Pinned("task_lifecycle", (("tasks", 2),), (4_951, 18_852, 21)),
    Pinned("task_lifecycle", (("runs", 1), ("executors", 1)), (2_713, 12_172, 17)),
    Pinned("task_lifecycle", (("tasks", 2), ("runs", 1), ("timeout_retries", 1)), (572, 2_203, 13)),
    Pinned("lock_release", (("nonces", 2),), (5_880, 56_682, 14)),
    Pinned("instance_signals", (("versions", 3), ("children", 0)), (624, 1_412, 10)),
    Pinned(
        "instance_signals", (("versions", 3), ("signals", 0), ("children", 0), ("tasks", 1)), (607, 1_480, 11)
    ),
    Pinned("instance_signals", (("versions", 3), ("signals", 0)), (416, 699, 10)),
    Pinned("effects", (("takes", 2),), (3_885, 22_605, 17)),
    Pinned("kernel", (("dispatch", 0), ("attempts", 2), ("spawns", 3)), (6_198, 34_577, 19)),
]
MODELS = sorted({one.file for one in PINNED})


@cache
def explored(one: Pinned) -> Report:
    sets = {name: str(value) for name, value in one.sets}
    return check(load(FOLDER / f"{one.file}.py", sets), "reference")


@pytest.mark.parametrize("one", PINNED, ids=lambda one: one.name)
def test_holds_with_these_counts(one: Pinned) -> None:
    report = explored(one)
    assert [p.name for p in report.properties if p.verdict != "holds" or p.is_vacuous] == [], str(report)
    assert (report.distinct, report.transitions, report.depth) == one.counts


def test_every_row_is_taken_in_some_model() -> None:
    edges = [count.what for one in PINNED for count in explored(one).coverage.edges]
    taken = {(edge.machine, edge.source, edge.on) for edge in edges}  # type: ignore[attr-defined]
    rows = {(m.name, row.source, row.on) for m in MACHINES.values() for row in m.rows if m.name != "schedule"}
    assert rows - taken == set()


@pytest.mark.parametrize("file", MODELS)
def test_claims_are_sentences_that_cite_the_specification(file: str) -> None:
    known = {found for page in (ROOT / "docs" / "spec").glob("*.md") for found in _ids(page)}
    for claim in load(FOLDER / f"{file}.py").properties:
        if isinstance(claim, Always | AlwaysStep):
            assert claim.sentence, f"{claim.name}: say in a sentence what it claims"
            assert claim.cites, f"{claim.name}: cite the requirement it is evidence for"
            assert set(claim.cites) <= known, (
                f"{claim.name} cites {set(claim.cites) - known}: not in docs/spec"
            )


@pytest.mark.parametrize("file", MODELS)
def test_a_model_shows_that_its_claims_are_not_empty(file: str) -> None:
    assert any(isinstance(claim, Sometimes) for claim in load(FOLDER / f"{file}.py").properties)


def _ids(page: Path) -> list[str]:
    return re.findall(r"^\| ([A-Z]{3}-\d+[a-z]?) \|", page.read_text(), re.MULTILINE)
