"""An operator releases a lock by force, and the lock does not show it."""

from dhruva.explore import Model
from dhruva.inputs import ForceRelease
from dhruva.machines.lock import LockEvent
from dhruva.rules import keys
from dhruva.table import Refused
from dhruva.walk import Given, Walk
from models import lock_release as family
from models.broken import with_rule

FAILS = "a forced release says so"
LENGTH = 2


def quietly(walk: Walk, given: ForceRelease) -> Refused | None:
    by = Given(actor=given.actor, reasoned=given.reasoned)
    return walk.fire("lock", (keys.LOCK, given.target), LockEvent.FORCE_RELEASE, by)


def model() -> Model:
    return family.model(nonces=2, step=with_rule(ForceRelease, quietly))
