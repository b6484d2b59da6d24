"""A claim is stale whatever the evidence says, as it would be by age alone."""

from dhruva.explore import Model
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import lock_release as family

FAILS = "an unobserved child keeps its lock"
LENGTH = 4


def model() -> Model:
    return family.model(step=kernel(decisions=DECISIONS._replace(stale=lambda *facts: True)))
