"""The pressure of a dispatch leaves out how many wait: a drop that was signalled shows a wrong number."""

from dhruva.decide.admission import pressure
from dhruva.explore import Model
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import carrier_group as family

FAILS = "a drop is on record"
LENGTH = 6


def half(memory: int, _queue_depth: int, saturation: int) -> int:
    return pressure(memory, 0, saturation)


def model() -> Model:
    return family.model(step=kernel(decisions=DECISIONS._replace(pressure=half)))
