"""Inputs of transports and locks (REL)."""

from typing import NamedTuple

from dhruva.decide.plan import Plan
from dhruva.ids import Nonce, Ref, TargetId, UserId
from dhruva.machines.release import ReleaseEvent


class Claim(NamedTuple):
    target: TargetId


class Conflict(NamedTuple):
    """Publishing the claim met another holder."""

    target: TargetId
    nonce: Nonce


class ChildRecorded(NamedTuple):
    target: TargetId
    nonce: Nonce


class Release(NamedTuple):
    target: TargetId
    nonce: Nonce


class Unobserved(NamedTuple):
    """No observation came in time, and the grace is over (REL-8)."""

    target: TargetId
    nonce: Nonce


class Takeover(NamedTuple):
    """Someone wants a held lock and brings the evidence (REL-7)."""

    target: TargetId
    readable: bool
    granted: bool
    recorded_alive: int


class ForceRelease(NamedTuple):
    target: TargetId
    actor: UserId | None
    reasoned: bool


class Deliver(NamedTuple):
    """A committed dispatch has a plan, and the lock that was claimed for it (REL-1, REL-2)."""

    ref: Ref
    spawn: int
    plan: Plan
    target: TargetId
    locked: TargetId | None
    nonce: Nonce | None


class Observe(NamedTuple):
    """The transport saw something (REL-3)."""

    ref: Ref
    spawn: int
    event: ReleaseEvent
