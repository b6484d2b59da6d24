"""A shutdown uses up a try: work is lost because its process was restarted."""

from typing import Any

from dhruva.decide.outcome import Settlement, settle
from dhruva.explore import Model
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import task_lifecycle as family

FAILS = "a try counts from its start, but for a shutdown"
LENGTH = 3


def counting(*facts: Any) -> Settlement:
    return settle(*facts)._replace(counts_try=True)


def model() -> Model:
    return family.model(step=kernel(decisions=DECISIONS._replace(settle=counting)))
