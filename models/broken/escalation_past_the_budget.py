"""Re-admission does not look at the budget."""

from dhruva.decide.admission import OutcomeSignal, Readmission, readmit
from dhruva.explore import Model
from dhruva.limits import UNBOUNDED
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import carrier_group as family

FAILS = "within the budget"
LENGTH = 6


def lavish(signal: OutcomeSignal, spawned: int, _budget: int, *facts: int) -> Readmission:
    depth, max_depth, total, urgency = facts
    return readmit(signal, spawned, UNBOUNDED, depth, max_depth, total, urgency)


def model() -> Model:
    return family.model(budget=1, step=kernel(decisions=DECISIONS._replace(readmit=lavish)))
