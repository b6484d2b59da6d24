"""A slice that completes commits against whatever version there is: the loser of a race wins."""

from dhruva.cells import Kind
from dhruva.explore import Model
from dhruva.inputs import SliceCompleted
from dhruva.machines.instance import InstanceEvent
from dhruva.table import Refused
from dhruva.walk import NOTHING, Walk
from models import instance_signals as family
from models.broken import with_rule

FAILS = "a version has one writer"
LENGTH = 1


def whatever(walk: Walk, given: SliceCompleted) -> Refused | None:
    return walk.fire("instance", (Kind.INSTANCE, given.instance), InstanceEvent.COMPLETE, NOTHING)


def model() -> Model:
    return family.model(children=0, step=with_rule(SliceCompleted, whatever))
