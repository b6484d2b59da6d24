"""Not assumed: an id is handed out once. A request comes back under the id of one that has ended."""

from dhruva.explore import Model
from models import scope_gate as family
from models.world import unassumed

FAILS = "a ref lives once"
LENGTH = 4


def model() -> Model:
    with unassumed("an id is handed out once"):
        return family.model(resources=0)
