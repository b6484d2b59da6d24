"""A row too many: an instance that has completed can still be cancelled."""

from dhruva.explore import Model
from dhruva.machines import MACHINES
from dhruva.machines.instance import InstanceEvent, InstanceState
from dhruva.step import kernel
from dhruva.table import Row
from models import instance_signals as family

FAILS = "an end is an end"
LENGTH = 2


def model() -> Model:
    table = MACHINES["instance"]
    row = Row(InstanceState.COMPLETED, InstanceEvent.CANCEL, InstanceState.CANCELLED, (), (), "WFL-21")
    tables = {**MACHINES, "instance": table.unchecked((*table.rows, row))}
    return family.model(children=0, step=kernel(tables, checked=False))
