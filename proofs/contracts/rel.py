"""Plan, release policy and staleness of a claim (REL-1, 2, 7, 10)."""

from dhruva.decide.plan import TRANSPORTS, Liveness, Plan, Violation, Wish, plan, policy, stale
from dhruva.ids import TargetId
from dhruva.machines.release import ReleasePolicy
from proofs.contracts.registry import contract

LOCKED = (Plan.CONTROL_SOCKET, Plan.BACKGROUND_SPAWN)


@contract(cites="REL-10")
def a_plan_fits_the_wish_and_what_is_known(wish: Wish, liveness: Liveness, deliverable: bool) -> Plan:
    """
    post: (_ == Plan.CONTROL_SOCKET) == (wish == Wish.FIRE_AND_FORGET and liveness == Liveness.LIVE)
    post: (_ == Plan.BACKGROUND_SPAWN) == (wish == Wish.OWNED_OUTCOME and liveness == Liveness.DORMANT)
    post: (_ == Plan.MAILBOX) == (liveness == Liveness.NO_PROBE and deliverable)
    post: (_ == Plan.REFUSED_INDETERMINATE) == (liveness == Liveness.INDETERMINATE)
    post: (_ == Plan.REFUSED_UNDELIVERABLE) == (liveness == Liveness.NO_PROBE and not deliverable)
    """
    return plan(wish, liveness, deliverable)


def _policy(chosen: Plan, target: int, locked: int | None) -> ReleasePolicy | Violation:
    return policy(chosen, TargetId(target), None if locked is None else TargetId(locked))


@contract(cites="REL-1")
def a_policy_follows_from_the_transport(
    chosen: Plan, target: int, locked: int | None
) -> ReleasePolicy | Violation:
    """
    post: _ != ReleasePolicy.NO_LOCK or chosen == Plan.MAILBOX
    post: _ != ReleasePolicy.AFTER_SEND_FINAL or chosen == Plan.CONTROL_SOCKET
    post: _ != ReleasePolicy.AFTER_SPAWN_OBSERVATION or chosen == Plan.BACKGROUND_SPAWN
    """
    return _policy(chosen, target, locked)


@contract(cites="REL-2")
def a_lock_that_does_not_belong_is_a_violation(
    chosen: Plan, target: int, locked: int | None
) -> ReleasePolicy | Violation:
    """
    post: (_ == Violation.NOT_A_TRANSPORT) == (chosen not in TRANSPORTS)
    post: (_ == Violation.MAILBOX_WITH_LOCK) == (chosen == Plan.MAILBOX and locked is not None)
    post: (_ == Violation.LOCK_MISSING) == (chosen in LOCKED and locked is None)
    post: (_ == Violation.LOCK_OF_ANOTHER_TARGET) == (chosen in LOCKED and locked not in (None, target))
    """
    return _policy(chosen, target, locked)


@contract(cites="REL-7")
def a_claim_is_stale_on_evidence_alone(readable: bool, granted: bool, alive: int) -> bool:
    """
    pre: alive >= 0
    post: not _ or (readable and granted and alive == 0)
    post: _ or not readable or not granted or alive > 0
    """
    return stale(readable, granted, alive)
