"""Who withdraws is looked for among the requests of its lane: a longer queue takes more cells."""

from dhruva.explore import Model
from dhruva.inputs import Withdraw
from dhruva.rules import RULES, keys, lanes
from dhruva.table import Refused
from dhruva.walk import Walk
from models import scope_gate as family
from models.broken import with_rule

FAILS = "a step touches few cells"
LENGTH = 5


def from_the_head(walk: Walk, given: Withdraw) -> Refused | None:
    first = lanes.head(walk, family.SCOPE)
    at = None if first is None else first.owner
    while at is not None and walk[keys.REQUEST, at] is not None and at != given.request:
        waiter = walk[keys.WAITER, at]
        at = None if waiter is None else waiter.behind
    return RULES[Withdraw](walk, given)


def model() -> Model:
    return family.model(requests=3, resources=0, step=with_rule(Withdraw, from_the_head))
