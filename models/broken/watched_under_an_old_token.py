"""A wait gets its token after what it is for is opened: its task is watched under the token before."""

from dhruva.explore import Model
from dhruva.machines.instance import InstanceEffect, InstanceEvent, InstanceState
from dhruva.step import kernel
from models import instance_signals as family
from models.broken import tables_with

FAILS = "a watch is waited for"
LENGTH = 1


def model() -> Model:
    then = (InstanceEffect.TIMERS, InstanceEffect.TOKEN)
    tables = tables_with("instance", InstanceState.RUNNING, InstanceEvent.WAIT, then=then)
    return family.model(humans=0, children=0, tasks=1, step=kernel(tables))
