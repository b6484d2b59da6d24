"""A fresh signal is taken and the instance goes on waiting (dagster 13155)."""

from dhruva.explore import Model
from dhruva.machines.instance import InstanceEvent, InstanceState
from dhruva.step import kernel
from models import instance_signals as family
from models.broken import tables_with

FAILS = "a wait ends"
LENGTH = 1


def model() -> Model:
    tables = tables_with(
        "instance", InstanceState.WAITING, InstanceEvent.SIGNAL, target=InstanceState.WAITING, then=()
    )
    return family.model(versions=3, humans=0, children=0, live=1, step=kernel(tables, checked=False))
