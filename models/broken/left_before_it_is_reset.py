"""A workflow ends while its task is re-executed: the run that is over is cancelled, and not the next."""

from typing import Any

from dhruva.cells import Follow, FollowUp, Key
from dhruva.explore import Model
from dhruva.rules import keys
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import instance_signals as family

FAILS = "an end leaves nothing open"
LENGTH = 7


def of_this_run(walk: Walk, _key: Key, instance: Any, given: Given) -> None:
    if instance.task is not None and instance.task != given.task:
        run = walk[keys.TASK, instance.task].run
        walk[keys.follow(FollowUp.CANCEL_TASK, instance.task)] = Follow(run, None, None)


def model() -> Model:
    broken = kernel(deeds={**DEEDS, Does.CANCEL_TASK: of_this_run})
    return family.model(humans=0, children=0, tasks=2, step=broken)
