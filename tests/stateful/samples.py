"""One world for walks that are fixed, not drawn."""

from typing import Any, Final

from dhruva import inputs as i
from dhruva.ids import Priority
from tests.stateful.menu import EXECUTORS, INSTANCES, SCOPES, TASKS

SETUP: Final[tuple[Any, ...]] = (
    i.SetCap(2),
    i.CreateScope(SCOPES[0], max_concurrent=2, retry=1, queues=True, max_queued=2, capped=True),
    i.CreateScope(SCOPES[1], max_concurrent=1, retry_on_timeout=True, capped=True),
    i.CreateScope(SCOPES[2], mount=False),
    i.CreateTask(TASKS[0], SCOPES[0], EXECUTORS[0], max_attempts=2, budget=1, max_depth=1),
    i.CreateTask(TASKS[1], SCOPES[1], EXECUTORS[1], Priority.HIGH, dependencies=1, budget=2, max_depth=1),
    i.Depend(TASKS[1], TASKS[0], required=False),
    i.CreateTask(TASKS[2], SCOPES[0], EXECUTORS[0], budget=1),
    *(i.StartInstance(instance) for instance in INSTANCES[:2]),
)
