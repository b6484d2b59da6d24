"""An optional dependency satisfies before it has ended (apflow 0.24 ignores optional dependencies)."""

from dhruva.explore import Model
from dhruva.ids import TaskStatus
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import task_lifecycle as family

FAILS = "met means satisfied"
LENGTH = 0


def careless(status: TaskStatus | None, required: bool, attempt_alive: bool) -> bool:
    return not required or (status == TaskStatus.COMPLETED and not attempt_alive)


def model() -> Model:
    return family.model(step=kernel(decisions=DECISIONS._replace(satisfied=careless)))
