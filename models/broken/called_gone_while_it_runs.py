"""Not assumed: a process called gone is gone. Its slot is free while its body still runs (celery 5306)."""

from dhruva.explore import Model
from models import kernel as family
from models.world import unassumed

FAILS = "one body really runs (20)"
LENGTH = 4


def model() -> Model:
    with unassumed("a process called gone is gone"):
        return family.model(dispatch=0, attempts=2, spawns=3)
