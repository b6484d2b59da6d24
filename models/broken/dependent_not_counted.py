"""A dependent is linked and not counted: what it depends on can be deleted under it."""

from dhruva.explore import Model
from dhruva.inputs import Depend
from dhruva.rules import RULES, keys
from dhruva.table import Refused
from dhruva.walk import Walk
from models import task_lifecycle as family
from models.broken import with_rule

FAILS = "dependents are counted"
LENGTH = 2


def uncounted(walk: Walk, given: Depend) -> Refused | None:
    refused = RULES[Depend](walk, given)
    on = walk[keys.TASK, given.on]
    if refused is None:
        walk[keys.TASK, given.on] = on._replace(dependents=on.dependents - 1)
    return refused


def model() -> Model:
    return family.model(tasks=2, attempts=1, runs=1, late=1, step=with_rule(Depend, uncounted))
