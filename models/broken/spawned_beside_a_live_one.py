"""Not assumed: a target that answers is not spawned. After a release a second child is started beside it."""

from dhruva.explore import Model
from models import lock_release as family
from models.world import unassumed

FAILS = "one child at a time"
LENGTH = 7


def model() -> Model:
    with unassumed("a target that answers is not spawned"):
        return family.model(nonces=2)
