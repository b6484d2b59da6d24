"""More cooperatives share a dispatch than the configuration allows."""

from dhruva.explore import Model
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import carrier_group as family

FAILS = "carriers are bounded"
LENGTH = 1


def model() -> Model:
    return family.model(step=kernel(decisions=DECISIONS._replace(cooperative_count=lambda *facts: 4)))
