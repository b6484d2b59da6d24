"""A worker needs a slot of its own: under a full scope an attempt waits for itself."""

from dhruva.cells import Kind
from dhruva.explore import Model
from dhruva.inputs import AddWorker
from dhruva.rules import RULES
from dhruva.table import Refused
from dhruva.walk import Walk
from models import scope_gate as family
from models.broken import with_rule

FAILS = "a running attempt can hold something"
LENGTH = 3


def counted(walk: Walk, given: AddWorker) -> Refused | None:
    scope, policy = walk[Kind.SCOPE, family.SCOPE], walk[Kind.POLICY, family.SCOPE]
    if scope.active >= policy.max_concurrent:
        return Refused("worker", None, "add", "ACT-2", "concurrency_limit")
    return RULES[AddWorker](walk, given)


def model() -> Model:
    return family.model(queued=0, step=with_rule(AddWorker, counted))
