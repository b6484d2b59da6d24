"""An attempt is abandoned without a name and a reason."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.machines.attempt import AttemptGuard
from dhruva.rules.guards import GUARDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from models import task_lifecycle as family

FAILS = "nobody abandons without a name and a reason"
LENGTH = 2


def anyone(_walk: Walk, _key: Key, _attempt: Any, _given: Given) -> bool:
    return True


def model() -> Model:
    return family.model(step=kernel(guards={**GUARDS, ("attempt", AttemptGuard.OVERRIDE): anyone}))
