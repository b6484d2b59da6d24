"""A claim is taken over when its recorded processes are gone, though an unrecorded child holds its lock."""

from dhruva.explore import Model
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import lock_release as family

FAILS = "an unobserved child keeps its lock"
LENGTH = 4


def by_record(readable: bool, _granted: bool, recorded_alive: int) -> bool:
    return readable and recorded_alive == 0


def model() -> Model:
    return family.model(step=kernel(decisions=DECISIONS._replace(stale=by_record)))
