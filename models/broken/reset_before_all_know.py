"""The second pass of a re-execution does not wait for the first: dependents count a task that is reset."""

from dhruva.cells import Follow, FollowUp, Key
from dhruva.explore import Model
from dhruva.rules.follow_ups import HANDLERS
from dhruva.step import kernel
from dhruva.table import Refused
from dhruva.walk import Walk
from models import task_lifecycle as family

FAILS = "all know before a task is reset"
LENGTH = 6


def at_once(walk: Walk, key: Key, here: Follow) -> Refused | None:
    return HANDLERS[FollowUp.RESET](walk, key, here._replace(after=None))


def model() -> Model:
    return family.model(tasks=2, step=kernel(handlers={**HANDLERS, FollowUp.RESET: at_once}))
