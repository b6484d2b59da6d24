"""The matrix has no hole, and would say so if it had."""

from pathlib import Path

import pytest

from dhruva.verify.trace import Kind, matrix
from tests.spec.pages import ROOT

FAMILIES = {"ACT": 18, "DSP": 14, "LIF": 20, "REL": 10, "WFL": 22, "SHL": 10, "VER": 8}


@pytest.mark.cites("VER-4")
def test_every_id_in_the_project_is_one_of_the_spec() -> None:
    assert matrix(ROOT).unknown == (), "an id that docs/spec lacks: correct it, or write the rule down first"


@pytest.mark.cites("VER-4")
def test_everything_implemented_is_shown() -> None:
    missing = [requirement.id for requirement in matrix(ROOT).unproven]
    assert missing == [], "implemented, and nothing cites it: mark the test that shows it with cites(...)"


def test_the_spec_has_every_requirement_with_consecutive_parts() -> None:
    found = matrix(ROOT).requirements
    assert [r.id for r in found] == [
        f"{family}-{n + 1}" for family, most in FAMILIES.items() for n in range(most)
    ]
    for requirement in found:
        letters = [part.removeprefix(requirement.id) for part in requirement.parts]
        assert letters in ([""], [chr(ord("a") + i) for i in range(len(letters))]), requirement.id


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A project of one requirement, which one test shows."""
    for folder in ("docs/spec", "kernel/dhruva", "tests", "models", "proofs"):
        (tmp_path / folder).mkdir(parents=True)
    for family in FAMILIES:
        (tmp_path / "docs/spec" / f"{family.lower()}.md").write_text("")
    (tmp_path / "docs/spec/act.md").write_text("### ACT-1 Request\n\n| ACT-1a | One. |\n| ACT-1b | Two. |\n")
    (tmp_path / "kernel/dhruva/gate.py").write_text('def gate():\n    """Opens (ACT-1)."""\n')
    (tmp_path / "tests/test_gate.py").write_text('@pytest.mark.cites("ACT-1b")\ndef test_gate(): ...\n')
    return tmp_path


def test_places_evidence_and_parts_are_found(small: Path) -> None:
    (found,) = matrix(small).requirements
    assert (found.id, found.title, found.parts) == ("ACT-1", "Request", ("ACT-1a", "ACT-1b"))
    assert found.places == ("gate.py:gate",)
    assert (found.strongest, found.parts_shown) == (Kind.TEST, 1)


def test_the_kind_of_evidence_is_read_from_the_code(small: Path) -> None:
    path = small / "tests/test_gate.py"
    path.write_text("@given(st.booleans())\n" + path.read_text())
    assert matrix(small).requirements[0].strongest == Kind.PROPERTY
    (small / "models/gate.py").write_text('m.always("x", f, "...", cites="ACT-1")\n')
    assert matrix(small).requirements[0].strongest == Kind.MODEL


def test_an_unknown_id_and_a_missing_proof_are_seen(small: Path) -> None:
    (small / "kernel/dhruva/gate.py").write_text("# ACT-1, ACT-9 and ACT-1c\n")
    (small / "tests/test_gate.py").write_text("")
    found = matrix(small)
    assert [cite.part for cite in found.unknown] == ["ACT-9", "ACT-1c"]
    assert [requirement.id for requirement in found.unproven] == ["ACT-1"]


def test_computed_ids_are_refused(small: Path) -> None:
    (small / "tests/test_gate.py").write_text("@pytest.mark.cites(name)\ndef test_gate(): ...\n")
    with pytest.raises(ValueError, match="cites takes literal ids"):
        matrix(small)
