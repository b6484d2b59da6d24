"""A cancelled task goes from its lane and leaves the lane as it was: its neighbours wait for nobody."""

from typing import Any

from dhruva.cells import Key, Kind
from dhruva.explore import Model
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import task_lifecycle as family

FAILS = "everyone waits in one lane"
LENGTH = 1


def vanish(walk: Walk, key: Key, _task: Any, _given: Given) -> None:
    walk[Kind.WAITER, key[1]] = None


def model() -> Model:
    return family.model(tasks=2, runs=1, step=kernel(deeds={**DEEDS, Does.LEAVE_LANE: vanish}))
