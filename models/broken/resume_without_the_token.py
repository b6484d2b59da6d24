"""A signal resumes whatever waits, without a look at its token."""

from dhruva.decide.signal import Freshness
from dhruva.explore import Model
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import instance_signals as family

FAILS = "a token resumes once"
LENGTH = 2


def model() -> Model:
    decisions = DECISIONS._replace(freshness=lambda *facts: Freshness.FRESH)
    return family.model(step=kernel(decisions=decisions))
