"""A report of an effect that has ended is taken as if it were news (hatchet 4900)."""

from dhruva.explore import Model
from dhruva.inputs import Ack
from dhruva.rules import RULES
from dhruva.walk import Walk
from models import effects as family
from models.broken import with_rule

FAILS = "a key names what it is of"
LENGTH = 1


def taken(walk: Walk, given: Ack) -> None:
    RULES[Ack](walk, given)


def model() -> Model:
    return family.model(takes=2, step=with_rule(Ack, taken))
