"""Mutants of tables and wiring against the claims: a sample; `python -m proofs --deep` runs all."""

from pathlib import Path

import pytest

from dhruva.explore import check
from dhruva.rules.guards import GUARDS
from dhruva.step import kernel
from dhruva.verify import hunt
from models.lock_release import model
from proofs import deep

SAMPLE = (
    ("attempt: row aborting -stopped-> aborted to succeeded", "Stopped"),
    ("attempt: row aborting -stopped-> aborted without {settle}", "Stopped"),
    ("lock: row retained -takeover-> held without [stale]", "Takeover"),
    ("lock: row held -takeover-> held without {new_nonce}", "Takeover"),
    ("effect: row taken -lost-> indeterminate to withdrawn", "Lost (dispatch)"),
    ("instance: row running -complete-> completed to failed", "SliceCompleted"),
    ("instance: row running -complete-> completed without {tell_parent}", "SliceCompleted"),
    ("scope: row SUSPENDED -resume-> RUNNING without {wake_lanes}", "Resume"),
)
"""Mutants and an input on which some claim refutes each."""
LIVE = "lock: row held -takeover-> held dropped"
"""A mutant that does less than it may: no claim about what a step does can refute it."""


def _place(name: str) -> int:
    return next(at for at, one in enumerate(deep.chosen_mutants()) if one.name == name)


@pytest.mark.cites("VER-5b")
@pytest.mark.parametrize(("name", "shape"), SAMPLE, ids=str)
def test_a_mutant_is_noticed_by_a_claim(name: str, shape: str) -> None:
    fate = deep.by_proof((_place(name), (shape,)))
    assert fate is not None
    assert (fate.noticed, fate.where, fate.due) == (deep.PROOF, shape, True)


def test_what_no_claim_refutes_is_put_to_the_models() -> None:
    assert deep.by_proof((_place(LIVE), ("Takeover",))) is None
    fate = deep.by_model(_place(LIVE), frozenset({"lock_release"}))
    assert fate.noticed == deep.MODEL
    assert fate.by


def test_a_mutant_is_put_to_the_inputs_that_consult_it_the_cheapest_first() -> None:
    inputs = [deep.walked(name) for name in ("Takeover", "Claim", "Suspend")]
    mutant = deep.chosen_mutants()[_place(LIVE)]
    assert deep.asked(mutant, inputs) == ("Takeover",)


def _fate(mutant: str, noticed: str, cites: str = "ACT-8", by: str = "a ref is new") -> deep.Fate:
    return deep.Fate(mutant, "redirected", (cites,), noticed, by, "Wake")


def test_what_is_known_is_kept_and_gone_on_from(tmp_path: Path) -> None:
    file, fate = tmp_path / "build" / "deep.jsonl", _fate("one", deep.PROOF)
    kept = deep.Kept(file)
    kept.add("one", fate)
    kept.add("two", None)
    again = deep.Kept(file)
    assert (again.fates, again.unproved) == ({"one": fate}, {"two"})
    again.add("two", _fate("two", deep.MODEL))
    assert set(deep.Kept(file).fates) == {"one", "two"}


def test_what_is_known_of_other_sources_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "deep.jsonl"
    deep.Kept(file).add("one", _fate("one", deep.PROOF))
    monkeypatch.setattr(deep, "sources", lambda: "other")
    assert deep.Kept(file).fates == {}


def test_mutants_that_no_claim_refutes_are_listed_with_the_property_that_kills_them() -> None:
    fates = [
        _fate("one", deep.PROOF),
        _fate("two", deep.MODEL, by="every attempt ends at last"),
        _fate("three", hunt.SURVIVED, by=""),
        _fate("four", hunt.SURVIVED, cites="VER-1", by=""),
    ]
    said = deep.summary(fates)
    assert "4 mutants: 1 fell to a proof alone, 1 to a model, 2 to none" in said
    assert "3 of them of what a proved claim cites: 1 fell to a proof alone, 1 to a model, 1 to none" in said
    assert "every attempt ends at last (Wake)" in said
    assert [one.mutant for one in deep.missed(fates)] == ["three"]


def test_the_explorer_says_whether_a_counterexample_can_be_reached() -> None:
    """The guard of a takeover dropped: the proof refutes, and the model reaches such a takeover."""
    step = kernel(guards={**GUARDS, ("lock", "stale"): lambda *_: True})
    report = check(model(nonces=2, plans=1, force=0, step=step))
    violated = [one.name for one in report.properties if one.verdict == "violated"]
    assert violated == ["a claim is taken over on evidence"]
