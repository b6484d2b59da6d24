"""A failure that must not be repeated is retried like any other."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.machines.task import TaskGuard
from dhruva.rules.guards import GUARDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from models import task_lifecycle as family

FAILS = "an end is the outcome of its task"
LENGTH = 2


def reckless(_walk: Walk, _key: Key, _task: Any, _given: Given) -> bool:
    return True


def model() -> Model:
    return family.model(step=kernel(guards={**GUARDS, ("task", TaskGuard.RETRIABLE): reckless}))
