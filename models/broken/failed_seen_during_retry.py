"""The retry does not come with the failure: failed is seen, and an optional dependent may start on it."""

from dhruva.explore import Model
from dhruva.machines.task import TaskEvent
from dhruva.step import kernel
from dhruva.wiring import WIRING, Fire
from models import task_lifecycle as family

FAILS = "an end is the outcome of its task"
LENGTH = 2


def model() -> Model:
    wiring = tuple(w for w in WIRING if not isinstance(w, Fire) or w.events != (TaskEvent.RETRY,))
    return family.model(step=kernel(wiring=wiring))
