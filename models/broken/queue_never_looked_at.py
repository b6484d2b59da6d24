"""Who is first in a lane is looked at, and never started: the queue stands for ever."""

from dhruva.explore import Model
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import scope_gate as family

FAILS = "who is queued is served (11)"
LENGTH = 5


def model() -> Model:
    decisions = DECISIONS._replace(first_lane=lambda waits: None)
    return family.model(resources=0, retry=0, live=1, step=kernel(decisions=decisions))
