"""A timeout is retried although nobody configured it (celery 5306)."""

from typing import Any

from dhruva.decide.outcome import Settlement, settle
from dhruva.explore import Model
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import task_lifecycle as family

FAILS = "an end is the outcome of its task"
LENGTH = 3


def eager(status: Any, end: Any, reason: Any, dropped: bool, _on_timeout: bool, *rest: Any) -> Settlement:
    return settle(status, end, reason, dropped, True, *rest)


def model() -> Model:
    return family.model(step=kernel(decisions=DECISIONS._replace(settle=eager)))
