"""A retry begins a new run, so that spawn budget, depth and tries never run out."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import task_lifecycle as family

FAILS = "a new run is opened by a reset alone"
LENGTH = 2


def anew(walk: Walk, key: Key, task: Any, given: Given) -> None:
    DEEDS[Does.TIMER](walk, key, task, given)
    walk[key] = walk[key]._replace(run=task.run + 1)


def model() -> Model:
    return family.model(tasks=2, step=kernel(deeds={**DEEDS, Does.TIMER: anew}))
