"""A call is taken without a look at its attempt, which was asked to stop meanwhile."""

from dhruva.explore import Model
from dhruva.inputs import Take
from dhruva.machines.effect import EffectEvent
from dhruva.table import Refused
from dhruva.walk import NOTHING, Walk
from models import kernel as family
from models.broken import with_rule

FAILS = "no call for who must stop"
LENGTH = 5


def blindly(walk: Walk, given: Take) -> Refused | None:
    return walk.fire("effect", given.key, EffectEvent.TAKE, NOTHING)


def model() -> Model:
    return family.model(step=with_rule(Take, blindly))
