"""The claims of this folder can fail: for each planted fault, some fixed walk breaks one of them (VER-5).

A fault is one deed that is not done, one guard that always holds, or one decision that always says yes.
"""

from random import Random
from typing import Any

import pytest

from dhruva.cells import Change
from dhruva.decide.admission import Admission, Readmission
from dhruva.decide.authority import Verdict
from dhruva.machines.carrier import CarrierGuard
from dhruva.machines.task import TaskGuard
from dhruva.rules.deeds import DEEDS
from dhruva.rules.guards import GUARDS
from dhruva.step import Step, kernel, step
from dhruva.walk import DECISIONS
from dhruva.wiring import Does
from tests.stateful.invariants import wrong
from tests.stateful.menu import THEMES
from tests.stateful.samples import SETUP
from tests.stateful.strategies import Walk, seen_on


def idle(does: Does) -> Step:
    """The kernel in which this is not done."""
    return kernel(deeds=DEEDS | {does: lambda *_: None})


def lax(machine: str, guard: Any) -> Step:
    """The kernel in which this guard always holds."""
    return kernel(guards=GUARDS | {(machine, guard): lambda *_: True})


def decided(**otherwise: Any) -> Step:
    """The kernel in which this is decided otherwise."""
    return kernel(decisions=DECISIONS._replace(**otherwise))


DISPATCH = Admission.DISPATCH
PLANTED: dict[str, Step] = {
    "a slot is never freed": idle(Does.FREE_SLOT),
    "a resource's end is not counted": idle(Does.RESOURCE_ENDED),
    "a cancelled task stays in its lane": idle(Does.LEAVE_LANE),
    "a request that left is still counted": idle(Does.LEAVE_QUEUE),
    "a task does not hear that its body ended": idle(Does.BODY_ENDED),
    "resources outlive their attempt": idle(Does.END_RESOURCES),
    "dispose forgets attempts": idle(Does.ABORT_EACH),
    "nobody is woken by a resume": idle(Does.WAKE),
    "a cooperative that left is still idle": idle(Does.COOPERATIVE_LEFT),
    "a new run keeps its tries": idle(Does.NEW_RUN),
    "commit beside cooperatives": lax("carrier-primary", CarrierGuard.COOPERATIVES),
    "start without authorization": lax("task", TaskGuard.AUTHORIZED),
    "retry without end": lax("task", TaskGuard.TRIES_LEFT),
    "every request is authorized": decided(authorize=lambda *_: Verdict.AUTHORIZED),
    "every signal is honoured": decided(readmit=lambda *facts: Readmission(DISPATCH, facts[3] + 1, facts[6])),
}


def broken_by(faulty: Step, walks: int) -> list[str]:
    """The first claims that fixed walks break."""
    for seed in range(walks):
        random = Random(seed)
        theme = tuple(THEMES)[seed % len(THEMES)]
        walk = Walk(SETUP, theme, [random.getrandbits(24) for _ in range(100)])
        for seen in seen_on(walk, faulty, honest=True):
            if isinstance(seen.answer, Change) and (found := wrong(seen)):
                return found
    return []


@pytest.mark.cites("VER-5a", "VER-5b")
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_breaks_a_claim(name: str) -> None:
    assert broken_by(PLANTED[name], 80)


@pytest.mark.cites("VER-5b")
def test_the_kernel_that_we_ship_breaks_none() -> None:
    assert broken_by(step, 20) == []
