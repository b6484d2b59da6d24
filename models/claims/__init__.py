"""Claims that several models make, each stated once, over the cells of a cast; one file per family.

A claim says what a requirement says, in terms of cells and of what a step said; it looks nothing up in a
table or a decision. Each family is one function, so that a model takes the families whose cells it has:
`of_...(m, cast)` looks at cells alone, `of_...(scene, cast)` also at inputs and at what the model remembers.
"""

from models.claims.cast import ALIVE, CAN_EXECUTE, ENDED, Cast, begun, each, edges, effects, some, written
from models.claims.commands import Reexecute, Remove, of_delete, of_reexecution, of_starts
from models.claims.creation import of_creation, of_registry
from models.claims.dependencies import of_dependencies
from models.claims.ends import of_ends, of_outcomes, of_retries
from models.claims.order import of_lanes, waiters
from models.claims.progress import of_accepted, of_cancelled, of_disposal, of_follow_ups, of_queued
from models.claims.requests import of_requests
from models.claims.resources import buried, of_resources
from models.claims.scopes import of_dispose, of_gate, of_scopes, opens
from models.claims.tasks import of_cancel, of_records, of_tasks, records

__all__ = [
    "ALIVE",
    "CAN_EXECUTE",
    "ENDED",
    "Cast",
    "Reexecute",
    "Remove",
    "begun",
    "buried",
    "each",
    "edges",
    "effects",
    "of_accepted",
    "of_cancel",
    "of_cancelled",
    "of_creation",
    "of_delete",
    "of_dependencies",
    "of_disposal",
    "of_dispose",
    "of_ends",
    "of_follow_ups",
    "of_gate",
    "of_lanes",
    "of_outcomes",
    "of_queued",
    "of_records",
    "of_reexecution",
    "of_registry",
    "of_requests",
    "of_resources",
    "of_retries",
    "of_scopes",
    "of_starts",
    "of_tasks",
    "opens",
    "records",
    "some",
    "waiters",
    "written",
]
