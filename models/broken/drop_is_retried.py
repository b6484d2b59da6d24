"""A drop is an error like any other, and the task is tried again."""

from typing import Any

from dhruva.decide.outcome import Settlement, settle
from dhruva.explore import Model
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import carrier_group as family

FAILS = "a drop is final"
LENGTH = 1


def forgetful(status: Any, end: Any, reason: Any, _dropped: bool, *rest: Any) -> Settlement:
    return settle(status, end, reason, False, *rest)


def model() -> Model:
    return family.model(step=kernel(decisions=DECISIONS._replace(settle=forgetful)))
