"""A retry hands the number back: the next attempt has the ref of the one that failed (hatchet 4900)."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import task_lifecycle as family

FAILS = "a ref lives once"
LENGTH = 4


def keeps_number(walk: Walk, key: Key, task: Any, given: Given) -> None:
    DEEDS[Does.TIMER](walk, key, task, given)
    retried = walk.get(key)
    walk.put(key, retried._replace(number=retried.number - 1))


def model() -> Model:
    return family.model(step=kernel(deeds={**DEEDS, Does.TIMER: keeps_number}))
