"""Transports and locks: their inputs and their deeds (REL)."""

from typing import Any, Final

from dhruva.cells import Delivery, Key, Lock
from dhruva.decide.plan import Violation
from dhruva.effects import Publish, Retained
from dhruva.ids import Nonce
from dhruva.inputs import (
    ChildRecorded,
    Claim,
    Conflict,
    Deliver,
    ForceRelease,
    Observe,
    Release,
    Takeover,
    Unobserved,
)
from dhruva.machines.carrier import CarrierState
from dhruva.machines.lock import LockEvent, LockState
from dhruva.machines.release import ReleasePolicy, ReleaseState
from dhruva.rules import authority, keys
from dhruva.table import Refused
from dhruva.walk import ABSENT, NOTHING, Given, Rule, Walk, Wired
from dhruva.wiring import Does

UNCLAIMED: Final = Lock(LockState.FREE, Nonce(0), False, False, False)


def deliver(walk: Walk, given: Deliver) -> Refused | None:
    """The release policy is derived once, from the plan and the lock that was handed over (REL-1, REL-2)."""
    group, key = walk[keys.GROUP, given.ref, given.spawn], (keys.DELIVERY, given.ref, given.spawn)
    if group is None or group.state != CarrierState.COMMITTED or walk[key] is not None:
        return Refused("carrier-primary", group and group.state, "deliver", "REL-1", "not_committed")
    policy = walk.book.decide.policy(given.plan, given.target, given.locked)
    if policy in VIOLATIONS:
        return Refused("lock", None, "deliver", "REL-2", policy)
    refused = None if given.locked is None else _hand_over(walk, given)
    if refused is not None:
        return refused
    nonce = None if given.locked is None else given.nonce
    walk.create(MACHINE[policy], key, Delivery(ReleaseState.HOLDING, policy, given.target, nonce))
    return None


VIOLATIONS: Final = frozenset(Violation)
MACHINE: Final = {
    ReleasePolicy.NO_LOCK: "release-no-lock",
    ReleasePolicy.AFTER_SEND_FINAL: "release-after-send-final",
    ReleasePolicy.AFTER_SPAWN_OBSERVATION: "release-after-spawn-observation",
}


def _hand_over(walk: Walk, given: Deliver) -> Refused | None:
    """A claim that holds the lock, once: two deliveries under one claim could both spawn (REL-5, REL-6)."""
    key = (keys.LOCK, given.target)
    lock = walk[key]
    if lock is None or lock.state != LockState.HELD or lock.nonce != given.nonce:
        return Refused("lock", lock and lock.state, "deliver", "REL-5", "nonce")
    if lock.handed:
        return Refused("lock", lock.state, "deliver", "REL-5", "handed")
    walk[key] = lock._replace(handed=True)
    return None


def observe(walk: Walk, given: Observe) -> Refused | None:
    """An event that no policy knows holds the lock, and the refusal reports it (REL-3).

    Once the lock is released and the attempt no longer runs, the delivery is forgotten.
    """
    key = (keys.DELIVERY, given.ref, given.spawn)
    delivery = walk[key]
    if delivery is None:
        return Refused("release", None, given.event, "REL-3", ABSENT)
    refused = walk.fire(MACHINE[delivery.policy], key, given.event, NOTHING)
    over = refused is None and walk[key].state == ReleaseState.RELEASED
    if over and not authority.runs(walk, given.ref):
        walk[key] = None
    return refused


def claim(walk: Walk, given: Claim) -> Refused | None:
    key = (keys.LOCK, given.target)
    if walk[key] is None:
        walk[key] = UNCLAIMED
    return walk.fire("lock", key, LockEvent.CLAIM, NOTHING)


def _seen(walk: Walk, given: Any, event: LockEvent) -> Refused | None:
    """What is seen of a claim that no longer holds the lock is not heard (REL-5)."""
    key = (keys.LOCK, given.target)
    lock = walk[key]
    if lock is not None and lock.state != LockState.FREE and lock.nonce != given.nonce:
        return Refused("lock", lock.state, event, "REL-5", "nonce")
    return walk.fire("lock", key, event, NOTHING)


def conflict(walk: Walk, given: Conflict) -> Refused | None:
    return walk.fire("lock", (keys.LOCK, given.target), LockEvent.CONFLICT, Given(nonce=given.nonce))


def child_recorded(walk: Walk, given: ChildRecorded) -> Refused | None:
    refused = _seen(walk, given, LockEvent.CHILD_RECORDED)
    if refused is None:
        lock = walk[keys.LOCK, given.target]
        walk[keys.LOCK, given.target] = lock._replace(child=True)
    return refused


def release(walk: Walk, given: Release) -> Refused | None:
    return walk.fire("lock", (keys.LOCK, given.target), LockEvent.RELEASE, Given(nonce=given.nonce))


def unobserved(walk: Walk, given: Unobserved) -> Refused | None:
    return _seen(walk, given, LockEvent.UNOBSERVED)


def takeover(walk: Walk, given: Takeover) -> Refused | None:
    passed = Given(readable=given.readable, granted=given.granted, recorded_alive=given.recorded_alive)
    return walk.fire("lock", (keys.LOCK, given.target), LockEvent.TAKEOVER, passed)


def force_release(walk: Walk, given: ForceRelease) -> Refused | None:
    """The override says so in the cell (SHL-6)."""
    key = (keys.LOCK, given.target)
    passed = Given(actor=given.actor, reasoned=given.reasoned)
    refused = walk.fire("lock", key, LockEvent.FORCE_RELEASE, passed)
    if refused is None:
        walk[key] = walk[key]._replace(forced=True)
    return refused


RULES: Final[dict[type, Rule]] = {
    Deliver: deliver,
    Observe: observe,
    Claim: claim,
    Conflict: conflict,
    ChildRecorded: child_recorded,
    Release: release,
    Unobserved: unobserved,
    Takeover: takeover,
    ForceRelease: force_release,
}


def new_claim(walk: Walk, key: Key, lock: Any, _given: Given) -> None:
    nonce = Nonce(lock.nonce + 1)
    walk[key] = Lock(lock.state, nonce, False, False, False)
    walk.effect(Publish(key[1], nonce))


def report(walk: Walk, key: Key, lock: Any, _given: Given) -> None:
    walk.effect(Retained(key[1], lock.nonce))


DEEDS: Final[dict[Does, Wired]] = {
    Does.NEW_CLAIM: new_claim,
    Does.REPORT: report,
}
