"""A release does not compare the nonce: a late event of the old claim frees the new holder's lock."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.machines.lock import LockGuard
from dhruva.rules.guards import GUARDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from models import lock_release as family

FAILS = "only the claim releases"
LENGTH = 2


def anyone(_walk: Walk, _key: Key, _lock: Any, _given: Given) -> bool:
    return True


def model() -> Model:
    return family.model(step=kernel(guards={**GUARDS, ("lock", LockGuard.NONCE): anyone}))
