"""The least urgent lane goes first (apflow 0.24: priority 0 runs last)."""

from collections.abc import Callable

from dhruva.decide.readiness import first_lane
from dhruva.explore import Model
from dhruva.ids import Priority
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import task_lifecycle as family

FAILS = "nobody is overtaken"
LENGTH = 6


def upside_down(waits: Callable[[Priority], bool]) -> Priority | None:
    lane = first_lane(lambda lane: waits(Priority(Priority.LOW - lane)))
    return None if lane is None else Priority(Priority.LOW - lane)


def model() -> Model:
    return family.model(step=kernel(decisions=DECISIONS._replace(first_lane=upside_down)))
