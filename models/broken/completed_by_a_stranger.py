"""Anyone completes a human task."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.machines.human_task import HumanTaskGuard
from dhruva.rules.guards import GUARDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from models import instance_signals as family

FAILS = "the assignee completes"
LENGTH = 3


def anyone(_walk: Walk, _key: Key, _human: Any, _given: Given) -> bool:
    return True


def model() -> Model:
    guards = {**GUARDS, ("human-task", HumanTaskGuard.BY_ASSIGNEE): anyone}
    return family.model(step=kernel(guards=guards))
