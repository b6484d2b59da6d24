"""A worker is started for an attempt that was asked to stop: nobody tells it to end."""

from dhruva.cells import Kind
from dhruva.explore import Model
from dhruva.inputs import AddWorker
from dhruva.machines.attempt import AttemptState
from dhruva.rules import RULES
from dhruva.table import Refused
from dhruva.walk import Walk
from models import scope_gate as family
from models.broken import with_rule

FAILS = "resources only while running"
LENGTH = 4


def blindly(walk: Walk, given: AddWorker) -> Refused | None:
    key = (Kind.ATTEMPT, given.ref)
    attempt = walk[key]
    if attempt is None:
        return RULES[AddWorker](walk, given)
    walk[key] = attempt._replace(state=AttemptState.RUNNING)
    refused = RULES[AddWorker](walk, given)
    walk[key] = walk[key]._replace(state=attempt.state)
    return refused


def model() -> Model:
    return family.model(queued=0, step=with_rule(AddWorker, blindly))
