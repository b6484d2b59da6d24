"""An instance is resumed and no slice is run: it is running for ever (airflow 51569)."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import instance_signals as family

FAILS = "who runs has a slice to run"
LENGTH = 2


def silent(_walk: Walk, _key: Key, _instance: Any, _given: Given) -> None:
    return None


def model() -> Model:
    return family.model(step=kernel(deeds={**DEEDS, Does.RUN_SLICE: silent}))
