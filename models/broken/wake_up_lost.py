"""Resuming a scope wakes nobody who waits in its lanes."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import kernel as family

FAILS = "no wake-up is lost"
LENGTH = 3


def silent(_walk: Walk, _key: Key, _cell: Any, _given: Given) -> None:
    return None


def model() -> Model:
    return family.model(dispatch=0, step=kernel(deeds={**DEEDS, Does.WAKE: silent}))
