"""The end of a task tells nobody: its dependents wait for ever (dagster 13155, airflow 13542)."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import task_lifecycle as family

FAILS = "no telling is lost"
LENGTH = 1


def silent(_walk: Walk, _key: Key, _cell: Any, _given: Given) -> None:
    return None


def model() -> Model:
    return family.model(step=kernel(deeds={**DEEDS, Does.TELL_IF_ENDED: silent}))
