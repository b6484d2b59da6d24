"""A process starts a task whose executor it does not have."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.machines.task import TaskGuard
from dhruva.rules.guards import GUARDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from models import task_lifecycle as family

FAILS = "nothing starts without its executor"
LENGTH = 1


def anywhere(_walk: Walk, _key: Key, _task: Any, _given: Given) -> bool:
    return True


def model() -> Model:
    guards = {**GUARDS, ("task", TaskGuard.EXECUTOR): anywhere}
    return family.model(executors=1, runs=1, step=kernel(guards=guards))
