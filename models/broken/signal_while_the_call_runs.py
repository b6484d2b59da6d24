"""An outcome signal is honoured while the call is on its way: the next carrier starts beside it."""

from dhruva.cells import Kind
from dhruva.explore import Model
from dhruva.inputs import Outcome
from dhruva.machines.carrier import CarrierState
from dhruva.rules import RULES
from dhruva.table import Refused
from dhruva.walk import Walk
from models import carrier_group as family
from models.broken import with_rule

FAILS = "no signal before the carrier is spent"
LENGTH = 2


def early(walk: Walk, given: Outcome) -> Refused | None:
    key = (Kind.GROUP, given.ref, given.spawn)
    if walk[key] is not None:
        walk[key] = walk[key]._replace(state=CarrierState.VOID)
    return RULES[Outcome](walk, given)


def model() -> Model:
    return family.model(step=with_rule(Outcome, early))
