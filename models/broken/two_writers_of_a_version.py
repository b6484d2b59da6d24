"""A commit leaves the version as it is, so that another slice of the same version can commit too."""

from typing import Any

from dhruva.cells import Key
from dhruva.explore import Model
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import instance_signals as family

FAILS = "one version per commit"
LENGTH = 1


def same(_walk: Walk, _key: Key, _instance: Any, _given: Given) -> None:
    return None


def model() -> Model:
    return family.model(step=kernel(deeds={**DEEDS, Does.RAISE_VERSION: same}))
