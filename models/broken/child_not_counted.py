"""A task is deleted, and its parent goes on counting it: it can never be deleted itself."""

from dhruva.explore import Model
from dhruva.inputs import Delete
from dhruva.rules import RULES, keys
from dhruva.table import Refused
from dhruva.walk import Walk
from models import task_lifecycle as family
from models.broken import with_rule

FAILS = "children are counted"
LENGTH = 2


def uncounted(walk: Walk, given: Delete) -> Refused | None:
    parent = walk[keys.TASK, family.FIRST]
    refused = RULES[Delete](walk, given)
    if given.task != family.FIRST:
        walk[keys.TASK, family.FIRST] = parent
    return refused


def model() -> Model:
    return family.model(tasks=2, attempts=1, runs=1, late=1, step=with_rule(Delete, uncounted))
