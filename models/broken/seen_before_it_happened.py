"""Not assumed: what a transport saw has happened. A lock is released for an exit that never was."""

from dhruva.explore import Model
from models import lock_release as family
from models.world import unassumed

FAILS = "one child at a time"
LENGTH = 7


def model() -> Model:
    with unassumed("what a transport saw has happened"):
        return family.model(nonces=2)
