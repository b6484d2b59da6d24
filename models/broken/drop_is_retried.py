"""A drop is an error like any other, and the task is tried again."""

from dhruva.decide.outcome import Settlement, settle
from dhruva.explore import Model
from dhruva.ids import TaskStatus
from dhruva.machines.attempt import AbortReason, AttemptEvent
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import carrier_group as family

FAILS = "a drop is final"
LENGTH = 1


def forgetful(
    status: TaskStatus, end: AttemptEvent, reason: AbortReason | None, _dropped: bool, retry_on_timeout: bool
) -> Settlement:
    return settle(status, end, reason, False, retry_on_timeout)


def model() -> Model:
    return family.model(step=kernel(decisions=DECISIONS._replace(settle=forgetful)))
