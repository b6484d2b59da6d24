"""No task can be created below one that has started: a body cannot hand out work of its own."""

from dhruva.explore import Model
from dhruva.ids import TaskStatus
from dhruva.inputs import CreateTask
from dhruva.rules import RULES, keys
from dhruva.table import Refused
from dhruva.walk import Walk
from models import task_lifecycle as family
from models.broken import with_rule

FAILS = "a new task can be created"
LENGTH = 2


def before_it_starts(walk: Walk, given: CreateTask) -> Refused | None:
    parent = None if given.parent is None else walk[keys.TASK, given.parent]
    if parent is not None and parent.status != TaskStatus.PENDING:
        return Refused("task", parent.status, "create", "LIF-17", "parent")
    return RULES[CreateTask](walk, given)


def model() -> Model:
    return family.model(tasks=2, attempts=1, runs=1, late=1, step=with_rule(CreateTask, before_it_starts))
