"""Not assumed: a claim is given back only before it is handed over. The target is free, a child runs."""

from dhruva.explore import Model
from models import lock_release as family
from models.world import unassumed

FAILS = "one child at a time"
LENGTH = 7


def model() -> Model:
    with unassumed("a claim is given back only before it is handed over"):
        return family.model(nonces=2)
