"""A commit schedules its body twice."""

from typing import Any

from dhruva.cells import Key
from dhruva.effects import StartBody
from dhruva.explore import Model
from dhruva.ids import ProcessId, Ref
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.table import Refused
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import task_lifecycle as family

FAILS = "a commit schedules the body"
LENGTH = 1


def twice(walk: Walk, key: Key, task: Any, given: Given) -> Refused | None:
    walk.effect(StartBody(Ref(key[1], task.run, task.number + 1), given.process or ProcessId(0)))
    return DEEDS[Does.COMMIT](walk, key, task, given)


def model() -> Model:
    return family.model(step=kernel(deeds={**DEEDS, Does.COMMIT: twice}))
