"""Not assumed: a claim is handed to who claimed it. A child runs whose claim another process holds up."""

from dhruva.explore import Model
from models import lock_release as family
from models.world import unassumed

FAILS = "an unobserved child keeps its lock"
LENGTH = 5


def model() -> Model:
    with unassumed("a claim is handed to who claimed it"):
        return family.model(contenders=3, nonces=2)
