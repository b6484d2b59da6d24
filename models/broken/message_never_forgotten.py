"""A message of an attempt that has ended stays when its call is over: memory without bound."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import effects as family

FAILS = "a message goes with its attempt"
LENGTH = 10


def group_alone(walk: Walk, key: Key, _group: Any, _given: Given) -> None:
    walk[key] = None


def model() -> Model:
    return family.model(takes=2, step=kernel(deeds={**DEEDS, Does.FORGET_GROUP: group_alone}))
