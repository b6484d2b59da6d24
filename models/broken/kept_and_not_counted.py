"""A kept signal is not counted: they are kept without end."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.table import Refused
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import instance_signals as family

FAILS = "kept signals are counted"
LENGTH = 1


def uncounted(walk: Walk, key: Key, instance: Any, given: Given) -> Refused | None:
    refused = DEEDS[Does.KEEP_SIGNAL](walk, key, instance, given)
    walk[key] = walk[key]._replace(kept=instance.kept)
    return refused


def model() -> Model:
    return family.model(children=0, step=kernel(deeds={**DEEDS, Does.KEEP_SIGNAL: uncounted}))
