"""A new run goes on with the tries of the old one: a task that used them up is not retried."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import task_lifecycle as family

FAILS = "a new run counts anew"
LENGTH = 7


def kept(walk: Walk, key: Key, task: Any, given: Given) -> None:
    DEEDS[Does.NEW_RUN](walk, key, task, given)
    walk[key] = walk[key]._replace(tries=task.tries)


def model() -> Model:
    return family.model(tasks=2, step=kernel(deeds={**DEEDS, Does.NEW_RUN: kept}))
