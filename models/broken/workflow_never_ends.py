"""A slice that completes is taken, and the instance goes on running."""

from dhruva.explore import Model
from dhruva.machines.instance import InstanceEvent, InstanceState
from dhruva.step import kernel
from models import instance_signals as family
from models.broken import tables_with

FAILS = "a workflow whose signals come ends"
LENGTH = 0


def model() -> Model:
    tables = tables_with(
        "instance", InstanceState.RUNNING, InstanceEvent.COMPLETE, target=InstanceState.RUNNING
    )
    return family.model(versions=3, humans=0, children=0, live=1, step=kernel(tables, checked=False))
