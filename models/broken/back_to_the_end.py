"""Who finds no free slot when its turn comes goes to the end of its lane."""

from dhruva.explore import Model
from dhruva.inputs import Wake
from dhruva.rules import RULES, lanes
from dhruva.table import Refused
from dhruva.walk import Walk
from models import scope_gate as family
from models.broken import with_rule

FAILS = "first come first served"
LENGTH = 7


def requeue(walk: Walk, given: Wake) -> Refused | None:
    first = lanes.head(walk, given.scope)
    refused = RULES[Wake](walk, given)
    if refused is None and first is not None and lanes.leave(walk, first.owner):
        lanes.enter(walk, given.scope, first.owner, first.kind, first.priority)
    return refused


def model() -> Model:
    return family.model(requests=3, resources=0, step=with_rule(Wake, requeue))
