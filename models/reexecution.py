"""Re-execution by the opposite of the shipped settings: cancelled tasks may be opened again, completed not.

The tasks, the inputs and the claims are those of models/task_lifecycle.py.

Left out: what that model leaves out, and the optional dependent, which no setting touches.
"""

from dhruva.explore import Model
from dhruva.step import Step, kernel
from dhruva.walk import Settings
from models import task_lifecycle as family

SETTINGS = Settings(reexecute_completed=False, reexecute_cancelled=True)
opposite = kernel(settings=SETTINGS)


def model(spawns: int = 2, runs: int = 2, attempts: int = 1, step: Step = opposite) -> Model:
    m = family.model(
        tasks=2, attempts=attempts, spawns=spawns, runs=runs, completed=0, cancelled=1, step=step
    )
    m.name = "re-execution"
    return m
