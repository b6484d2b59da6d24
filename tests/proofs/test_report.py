"""What the proofs print, and the page that is generated from the claims."""

import json
from pathlib import Path

import pytest

from proofs import __main__ as command
from proofs import report
from proofs.prove import CLAIMS, Answer, Found
from proofs.second import Opinion

ROOT = Path(__file__).resolve().parents[2]


def _answer(shape: str, broken: str | None = None, checked: int = 1, accepted: int = 1) -> Answer:
    found = tuple(Found(claim.name, checked, 1, 0.0, broken) for claim in CLAIMS)
    return Answer(shape, 3, accepted, 5, 0.1, found, Opinion(2, 2, 1, ("total",), ()))


def test_the_page_is_as_the_claims_say() -> None:
    stale = "proofs/README.md is stale: python -m proofs --write"
    assert (ROOT / "proofs" / "README.md").read_text(encoding="utf-8") == report.readme(), stale


def test_a_claim_is_proved_where_no_input_breaks_it() -> None:
    found = report.claims([_answer("Ask"), _answer("Wake")], everything=True)
    assert {line.verdict for line in found} == {"proved"}
    assert {(line.paths, line.checks) for line in found} == {(2, 2)}


def test_one_input_refutes() -> None:
    found = report.claims([_answer("Ask"), _answer("Wake", "Refuted: no")], everything=True)
    assert {line.verdict for line in found} == {"refuted"}
    assert "Wake: Refuted: no" in report.of_claims(found)


def test_what_was_put_to_no_path_is_not_proved() -> None:
    found = report.claims([_answer("Ask", checked=0)], everything=True)
    assert {line.verdict for line in found} == {"not proved"}


def test_an_input_that_no_world_accepts_is_named() -> None:
    answers = [_answer("Ask", accepted=0), _answer("Handle (no key)", accepted=0)]
    assert report.never_accepted(answers) == ["Ask"]
    found = report.claims(answers, everything=True)
    assert "NEVER ACCEPTED: Ask" in report.summary(answers, found, 1.0)


def test_an_input_that_was_not_walked_to_its_end_leaves_every_claim_unproved() -> None:
    stopped = Answer("Wake", 0, 0, 0, 0.0, (), None, "Unsupported: text of an id")
    found = report.claims([_answer("Ask"), stopped], everything=True)
    assert {line.verdict for line in found} == {"not proved"}
    assert report.faults([stopped]) == ["NOT WALKED TO THE END: Wake: Unsupported: text of an id"]


def test_a_claim_without_a_control_is_named() -> None:
    none, some = Opinion(2, 2, 1, (), ("total",)), Opinion(2, 2, 1, ("total",), ())
    assert report.uncontrolled([_answer("Ask")._replace(opinion=none)]) == ["total"]
    assert report.uncontrolled([_answer("Ask")._replace(opinion=one) for one in (none, some)]) == []


def test_the_object_for_programs() -> None:
    answers = [_answer("Ask")]
    made = report.as_json(answers, report.claims(answers, everything=True), ["no"], 1.25)
    assert json.loads(json.dumps(made)) == made
    assert set(made) == {"claims", "inputs", "faults", "second", "solvers", "assumed", "seconds"}
    assert made["faults"] == ["no"]
    assert made["second"] == {"confirmed": 2, "cores": 2, "controls": 1}
    total, slots = made["claims"][:2]
    assert (total["verdict"], total["rung"], total["scope"]) == ("proved", "any world", "")
    assert (slots["verdict"], slots["rung"]) == ("proved", "inductive")


def test_an_unknown_input_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["Asks"]) == 2
    assert "no input is called 'Asks'" in capsys.readouterr().err
