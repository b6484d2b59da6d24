"""Not assumed: a lock that is granted is held by nobody. A claim is taken over while its child runs."""

from dhruva.explore import Model
from models import lock_release as family
from models.world import unassumed

FAILS = "one child at a time"
LENGTH = 6


def model() -> Model:
    with unassumed("a lock that is granted is held by nobody"):
        return family.model(nonces=2)
