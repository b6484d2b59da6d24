"""Re-admission does not look at the depth: a dispatch is retried deeper than its task declares."""

from dhruva.decide.admission import OutcomeSignal, Readmission, readmit
from dhruva.explore import Model
from dhruva.limits import UNBOUNDED
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import carrier_group as family

FAILS = "within the depth"
LENGTH = 5


def deep(signal: OutcomeSignal, spawned: int, budget: int, depth: int, _most: int, *rest: int) -> Readmission:
    total, urgency = rest
    return readmit(signal, spawned, budget, depth, UNBOUNDED, total, urgency)


def model() -> Model:
    return family.model(depth=0, cost=0, step=kernel(decisions=DECISIONS._replace(readmit=deep)))
