"""Mutants of tables and wiring against the claims: a sample; `python -m proofs --deep` runs all."""

import pytest

from dhruva.explore import check
from dhruva.rules.guards import GUARDS
from dhruva.step import kernel
from dhruva.verify.mutants import Mutant
from models.lock_release import model
from proofs import deep
from proofs.prove import prove
from proofs.shapes import SHAPES
from proofs.symbolic import in_parts, stepping

SAMPLE_EVENTS = (
    ("attempt", "stopped"),
    ("lock", "takeover"),
    ("effect", "lost"),
    ("instance", "complete"),
    ("scope", "resume"),
)
SAMPLE = (
    ("attempt", "Stopped"),
    ("lock", "Takeover"),
    ("effect", "Lost (dispatch)"),
    ("instance", "SliceCompleted"),
    ("scope", "Resume"),
)


def _of(machine: str) -> Mutant:
    """The first mutant of a machine that redirects the row of the input beside it."""
    event = dict(SAMPLE_EVENTS)[machine]
    found = (m for m in deep.chosen_mutants() if m.of == machine and m.kind == "redirected")
    return next(m for m in found if f"-{event}->" in m.name)


@pytest.mark.cites("VER-5b")
@pytest.mark.parametrize(("machine", "name"), SAMPLE)
def test_a_redirected_row_is_noticed(machine: str, name: str) -> None:
    (shape,) = (s for s in SHAPES if s.name == name)
    step = stepping.stepping(in_parts(_of(machine).book()))
    assert [f.claim for f in prove(shape, step, first=True).found if f.broken]


def test_the_explorer_says_whether_a_counterexample_can_be_reached() -> None:
    """The guard of a takeover dropped: the proof refutes, and the model reaches such a takeover."""
    step = kernel(guards={**GUARDS, ("lock", "stale"): lambda *_: True})
    report = check(model(nonces=2, plans=1, force=0, step=step))
    violated = [one.name for one in report.properties if one.verdict == "violated"]
    assert violated == ["a claim is taken over on evidence"]
