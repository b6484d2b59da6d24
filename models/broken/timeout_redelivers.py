"""A timeout ends the attempt at once: the task is tried again while its body runs (celery 5306, 3270)."""

from dhruva.explore import Model
from dhruva.machines.attempt import END, AttemptEvent, AttemptState
from dhruva.step import kernel
from models import kernel as family
from models.broken import tables_with

FAILS = "a body that runs holds a slot"
LENGTH = 2


def model() -> Model:
    tables = tables_with(
        "attempt", AttemptState.RUNNING, AttemptEvent.ABORT, target=AttemptState.ABORTED, then=END
    )
    return family.model(dispatch=0, attempts=2, spawns=3, step=kernel(tables, checked=False))
