"""A control socket gets the policy of a spawn: its lock is never released by the final send."""

from dhruva.decide.plan import Plan, Violation, policy
from dhruva.explore import Model
from dhruva.ids import TargetId
from dhruva.machines.release import ReleasePolicy
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import lock_release as family

FAILS = "the policy follows the plan"
LENGTH = 2


def as_spawn(chosen: Plan, target: TargetId, locked: TargetId | None) -> ReleasePolicy | Violation:
    return policy(Plan.BACKGROUND_SPAWN if chosen == Plan.CONTROL_SOCKET else chosen, target, locked)


def model() -> Model:
    return family.model(nonces=2, step=kernel(decisions=DECISIONS._replace(policy=as_spawn)))
