"""Cancel is said, and the body is not asked to stop: work goes on (hatchet 1147, dagster 21476)."""

from dhruva.explore import Model
from dhruva.ids import TaskStatus
from dhruva.machines.task import TaskEffect, TaskEvent
from dhruva.step import kernel
from dhruva.wiring import WIRING
from models import kernel as family
from models.broken import tables_with

FAILS = "a body of an ended task is asked to stop"
LENGTH = 2


def model() -> Model:
    tables = tables_with("task", TaskStatus.IN_PROGRESS, TaskEvent.CANCEL, then=())
    wiring = tuple(wire for wire in WIRING if wire.on != TaskEffect.ABORT_ATTEMPT or wire.machine != "task")
    return family.model(dispatch=0, step=kernel(tables, wiring=wiring))
