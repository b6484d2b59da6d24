"""How an attempt reaches its target, what releases its lock, when a claim is stale (REL-1, 2, 7, 10)."""

from enum import StrEnum
from typing import Final

from dhruva.ids import TargetId
from dhruva.machines.release import ReleasePolicy


class Wish(StrEnum):
    """What the caller wants of the target."""

    FIRE_AND_FORGET = "fire-and-forget"
    OWNED_OUTCOME = "owned-outcome"


class Liveness(StrEnum):
    """What a probe of the target said."""

    LIVE = "live"
    DORMANT = "dormant"
    INDETERMINATE = "indeterminate"
    NO_PROBE = "no-probe"


class Plan(StrEnum):
    """The transport, or a refusal with its reason (REL-10)."""

    CONTROL_SOCKET = "control-socket"
    BACKGROUND_SPAWN = "background-spawn"
    MAILBOX = "mailbox"
    REFUSED_DORMANT = "refused-dormant"
    REFUSED_LIVE = "refused-live"
    REFUSED_INDETERMINATE = "refused-indeterminate"
    REFUSED_UNDELIVERABLE = "refused-undeliverable"


TRANSPORTS: Final = frozenset({Plan.CONTROL_SOCKET, Plan.BACKGROUND_SPAWN, Plan.MAILBOX})


def plan(wish: Wish, liveness: Liveness, deliverable: bool) -> Plan:
    """The transport that fits the wish and what is known of the target (REL-10)."""
    if liveness == Liveness.INDETERMINATE:
        return Plan.REFUSED_INDETERMINATE
    if liveness == Liveness.NO_PROBE:
        return Plan.MAILBOX if deliverable else Plan.REFUSED_UNDELIVERABLE
    if wish == Wish.FIRE_AND_FORGET:
        return Plan.CONTROL_SOCKET if liveness == Liveness.LIVE else Plan.REFUSED_DORMANT
    return Plan.BACKGROUND_SPAWN if liveness == Liveness.DORMANT else Plan.REFUSED_LIVE


POLICY: Final = {
    Plan.MAILBOX: ReleasePolicy.NO_LOCK,
    Plan.CONTROL_SOCKET: ReleasePolicy.AFTER_SEND_FINAL,
    Plan.BACKGROUND_SPAWN: ReleasePolicy.AFTER_SPAWN_OBSERVATION,
}


class Violation(StrEnum):
    """A plan and a lock that do not belong together: a fault of the caller, never a condition (REL-2)."""

    NOT_A_TRANSPORT = "not-a-transport"
    MAILBOX_WITH_LOCK = "mailbox-with-lock"
    LOCK_MISSING = "lock-missing"
    LOCK_OF_ANOTHER_TARGET = "lock-of-another-target"


def policy(chosen: Plan, target: TargetId, locked: TargetId | None) -> ReleasePolicy | Violation:
    """The release policy, derived once from the plan and the lock that was handed over (REL-1, REL-2)."""
    if chosen not in TRANSPORTS:
        return Violation.NOT_A_TRANSPORT
    if chosen == Plan.MAILBOX:
        return POLICY[chosen] if locked is None else Violation.MAILBOX_WITH_LOCK
    if locked is None:
        return Violation.LOCK_MISSING
    if locked != target:
        return Violation.LOCK_OF_ANOTHER_TARGET
    return POLICY[chosen]


def stale(readable: bool, lock_granted: bool, recorded_alive: int) -> bool:
    """Whether a claim may be taken over: on evidence, never by age (REL-7).

    `lock_granted`: the operating system gave us the claim's advisory lock. `recorded_alive`: how many
    of the processes recorded in the claim are not proven gone.
    """
    return readable and lock_granted and recorded_alive == 0
