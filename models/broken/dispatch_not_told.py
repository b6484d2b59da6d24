"""What happens to a dispatch is told to nobody."""

from dhruva.effects import Announce
from dhruva.explore import Model
from models import carrier_group as family
from models.broken import unsaid

FAILS = "what happens to a dispatch is told"
LENGTH = 1


def model() -> Model:
    return family.model(step=unsaid(Announce))
