"""An attempt ends, and its workers, handlers and streams are left to themselves."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import scope_gate as family

FAILS = "what outlives its attempt is told to end"
LENGTH = 4


def silent(_walk: Walk, _key: Key, _attempt: Any, _given: Given) -> None:
    return None


def model() -> Model:
    return family.model(queued=0, step=kernel(deeds={**DEEDS, Does.END_RESOURCES: silent}))
