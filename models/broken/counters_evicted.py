"""The counters of a dispatch are forgotten once its call is over, while its attempt lives."""

from typing import Any

from dhruva.cells import Key, Kind
from dhruva.explore import Model
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import carrier_group as family

FAILS = "counters only grow"
LENGTH = 5


def forgetful(walk: Walk, key: Key, group: Any, given: Given) -> None:
    DEEDS[Does.FORGET_GROUP](walk, key, group, given)
    walk.put((Kind.DISPATCH, key[1].owner), None)


def model() -> Model:
    return family.model(step=kernel(deeds={**DEEDS, Does.FORGET_GROUP: forgetful}))
