"""Not assumed: an early signal is for no wait that is open. The instance waits beside its signal."""

from dhruva.explore import Model
from models import instance_signals as family
from models.world import unassumed

FAILS = "no kept signal waits beside its wait"
LENGTH = 2


def model() -> Model:
    with unassumed("an early signal is for no wait that is open"):
        return family.model(versions=4, children=0)
