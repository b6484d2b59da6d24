"""The slot is freed when the attempt is asked to stop, not when its body has ended (prefect 17482)."""

from dhruva.explore import Model
from dhruva.machines.attempt import SIGNAL, AttemptEffect, AttemptEvent, AttemptState
from dhruva.step import kernel
from models import kernel as family
from models.broken import tables_with

FAILS = "slots are attempts"
LENGTH = 2


def model() -> Model:
    then = (*SIGNAL, AttemptEffect.FREE_SLOT)
    tables = tables_with("attempt", AttemptState.RUNNING, AttemptEvent.ABORT, then=then)
    return family.model(dispatch=0, step=kernel(tables))
