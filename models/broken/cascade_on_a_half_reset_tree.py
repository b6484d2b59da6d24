"""The first pass of a re-execution recalls nobody: a dependent starts on what is being thrown away."""

from dhruva.cells import Follow, FollowUp, Key
from dhruva.explore import Model
from dhruva.rules.follow_ups import HANDLERS
from dhruva.step import kernel
from dhruva.walk import Walk
from models import task_lifecycle as family

FAILS = "started on satisfied dependencies"
LENGTH = 7


def skipped(walk: Walk, key: Key, _here: Follow) -> None:
    walk.put(key, None)


def model() -> Model:
    return family.model(tasks=2, step=kernel(handlers={**HANDLERS, FollowUp.RECALL: skipped}))
