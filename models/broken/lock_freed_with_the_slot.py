"""The end of an attempt frees the lock of its target with its slot, while what it spawned may run."""

from typing import Any

from dhruva.cells import Key, Kind
from dhruva.explore import Model
from dhruva.machines.lock import LockState
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import kernel as family

FAILS = "a lock waits for an observation"
LENGTH = 6


def frees_both(walk: Walk, key: Key, attempt: Any, given: Given) -> None:
    DEEDS[Does.FREE_SLOT](walk, key, attempt, given)
    lock = (Kind.LOCK, family.TARGET)
    if walk[lock] is not None:
        walk[lock] = walk[lock]._replace(state=LockState.FREE)


def model() -> Model:
    return family.model(step=kernel(deeds={**DEEDS, Does.FREE_SLOT: frees_both}))
