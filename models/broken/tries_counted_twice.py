"""Each start counts two tries: more than the policy has."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.table import Refused
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import task_lifecycle as family

FAILS = "tries within the policy"
LENGTH = 1


def twice(walk: Walk, key: Key, task: Any, given: Given) -> Refused | None:
    counted = task._replace(tries=task.tries + 1)
    walk.put(key, counted)
    return DEEDS[Does.COMMIT](walk, key, counted, given)


def model() -> Model:
    return family.model(attempts=1, step=kernel(deeds={**DEEDS, Does.COMMIT: twice}))
