"""Tries are not compared when a failure is retried: the task waits for a start that is never allowed."""

from dhruva.explore import Model
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import task_lifecycle as family

FAILS = "an accepted task ends or is blocked (20)"
LENGTH = 3


def model() -> Model:
    decisions = DECISIONS._replace(tries_left=lambda *facts: True)
    return family.model(tasks=2, attempts=1, spawns=3, runs=1, live=1, step=kernel(decisions=decisions))
