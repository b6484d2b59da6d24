"""A follow-up is handled again and again, and never advances: a livelock."""

from dhruva.cells import Follow, FollowUp, Key
from dhruva.explore import Model
from dhruva.rules.follow_ups import HANDLERS
from dhruva.step import kernel
from dhruva.walk import Walk
from models import task_lifecycle as family

FAILS = "it is over in the end: handle tell 20"
LENGTH = 1


def stuck(_walk: Walk, _key: Key, _here: Follow) -> None:
    return None


def model() -> Model:
    handlers = {**HANDLERS, FollowUp.TELL: stuck}
    return family.model(tasks=2, runs=1, live=1, step=kernel(handlers=handlers))
