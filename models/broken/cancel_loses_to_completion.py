"""Cancel only asks: the task stays in progress, and what its body reports decides (dbos 703, 767)."""

from dhruva.explore import Model
from dhruva.ids import TaskStatus
from dhruva.machines.task import TaskEvent
from dhruva.step import kernel
from models import kernel as family
from models.broken import tables_with

FAILS = "cancelled at once"
LENGTH = 2


def model() -> Model:
    tables = tables_with("task", TaskStatus.IN_PROGRESS, TaskEvent.CANCEL, target=TaskStatus.IN_PROGRESS)
    return family.model(dispatch=0, step=kernel(tables))
