"""The lock is released as soon as a spawn was started, before anything of it was observed."""

from dhruva.explore import Model
from dhruva.machines.release import FREE, ReleaseEvent, ReleaseState
from dhruva.step import kernel
from models import lock_release as family
from models.broken import tables_with

FAILS = "a start releases nothing"
LENGTH = 4


def model() -> Model:
    tables = tables_with(
        "release-after-spawn-observation",
        ReleaseState.HOLDING,
        ReleaseEvent.SPAWN_STARTED,
        target=ReleaseState.RELEASED,
        then=FREE,
    )
    return family.model(step=kernel(tables))
