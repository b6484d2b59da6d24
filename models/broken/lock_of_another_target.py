"""A delivery is not asked whose lock it brings, only whether it has one."""

from dhruva.decide.plan import Plan, Violation, policy
from dhruva.explore import Model
from dhruva.ids import TargetId
from dhruva.machines.release import ReleasePolicy
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import lock_release as family

FAILS = "plan and lock belong together"
LENGTH = 2


def trusting(chosen: Plan, target: TargetId, locked: TargetId | None) -> ReleasePolicy | Violation:
    return policy(chosen, target, None if locked is None else target)


def model() -> Model:
    return family.model(nonces=2, step=kernel(decisions=DECISIONS._replace(policy=trusting)))
