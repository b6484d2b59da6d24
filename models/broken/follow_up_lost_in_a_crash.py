"""A crash loses the walk that tells dependents: gone, and nothing of it done (dbos 804, airflow 13542)."""

from dhruva.cells import Follow, FollowUp, Key
from dhruva.explore import Model
from dhruva.rules.follow_ups import HANDLERS
from dhruva.step import kernel
from dhruva.walk import Walk
from models import task_lifecycle as family

FAILS = "an accepted task ends or is blocked (21)"
LENGTH = 4


def lost(walk: Walk, key: Key, _here: Follow) -> None:
    walk.put(key, None)


def model() -> Model:
    handlers = {**HANDLERS, FollowUp.TELL: lost}
    return family.model(tasks=2, runs=1, live=1, step=kernel(handlers=handlers))
