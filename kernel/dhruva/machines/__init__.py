"""All machines, by name, in the order in which a reader meets them.

One file owns one machine, or a few that only make sense together, and no file imports another.
"""

from types import MappingProxyType
from typing import Any, Final

from dhruva.machines.attempt import ATTEMPT
from dhruva.machines.carrier import CARRIER_COOPERATIVE, CARRIER_PRIMARY
from dhruva.machines.effect import EFFECT
from dhruva.machines.human_task import HUMAN_TASK
from dhruva.machines.instance import INSTANCE
from dhruva.machines.lock import LOCK
from dhruva.machines.parked import PARKED
from dhruva.machines.reexecution import REEXECUTION
from dhruva.machines.release import RELEASE_AFTER_SEND_FINAL, RELEASE_AFTER_SPAWN_OBSERVATION, RELEASE_NO_LOCK
from dhruva.machines.request import REQUEST
from dhruva.machines.resources import HANDLER, STREAM, WORKER
from dhruva.machines.schedule import SCHEDULE
from dhruva.machines.scope import SCOPE
from dhruva.machines.task import TASK
from dhruva.table import Machine

_ALL: Final[tuple[Machine[Any, Any], ...]] = (
    SCOPE,
    REQUEST,
    ATTEMPT,
    TASK,
    REEXECUTION,
    CARRIER_PRIMARY,
    CARRIER_COOPERATIVE,
    RELEASE_NO_LOCK,
    RELEASE_AFTER_SEND_FINAL,
    RELEASE_AFTER_SPAWN_OBSERVATION,
    LOCK,
    EFFECT,
    INSTANCE,
    HUMAN_TASK,
    WORKER,
    HANDLER,
    STREAM,
    SCHEDULE,
    PARKED,
)

MACHINES: Final = MappingProxyType({machine.name: machine for machine in _ALL})
