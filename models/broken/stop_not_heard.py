"""A body that was asked to stop has stopped, and its slot is held for ever (airflow 7927, prefect 16746)."""

from dhruva.explore import Model
from dhruva.machines.attempt import AttemptEvent, AttemptState
from dhruva.step import kernel
from models import kernel as family
from models.broken import tables_with

FAILS = "cancel frees the slot (20)"
LENGTH = 3


def model() -> Model:
    tables = tables_with(
        "attempt", AttemptState.ABORTING, AttemptEvent.STOPPED, target=AttemptState.ABORTING, then=()
    )
    return family.model(dispatch=0, live=1, step=kernel(tables))
