"""An attempt that was dispatched is admitted again: two carriers work for it."""

from dhruva.cells import Kind
from dhruva.explore import Model
from dhruva.inputs import Admit
from dhruva.rules import RULES
from dhruva.table import Refused
from dhruva.walk import Walk
from models import carrier_group as family
from models.broken import with_rule

FAILS = "one carrier at work per attempt"
LENGTH = 2


def again(walk: Walk, given: Admit) -> Refused | None:
    key = (Kind.ATTEMPT, given.ref)
    if walk[key] is not None:
        walk[key] = walk[key]._replace(spawn=0)
    return RULES[Admit](walk, given)


def model() -> Model:
    return family.model(step=with_rule(Admit, again))
