"""Claims of a target: who is heard, what a claim is afterwards, which policy a plan has (REL)."""

from typing import Any

from dhruva.cells import Kind
from dhruva.decide.plan import Plan
from dhruva.effects import Publish, Retained
from dhruva.explore import Read, for_each
from dhruva.ids import Ref, TargetId
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
from models.claims.cast import effects, written
from models.world import Scene


def of_answers(scene: Scene, target: TargetId, refs: tuple[Ref, ...]) -> None:
    """What the kernel hears, and what a claim is after it was heard. Needs a ghost ("plan", ref)."""
    m, key = scene.m, (Kind.LOCK, target)

    def holds(read: Read, given: Any) -> bool:
        lock = read(key)
        return lock is not None and lock.state != "free" and bool(lock.nonce == given.nonce)

    def is_taken(read: Read) -> bool:
        return read(key) is not None and read(key).state != "free"

    scene.takes(
        "what is seen of a delivery is heard",
        (Observe,),
        lambda read, given: read((Kind.DELIVERY, given.ref, given.spawn)) is not None,
        "each event is an entry of each policy, before and after the release: none is refused",
        cites="REL-3a REL-3b REL-4d ACT-8c",
    )
    scene.takes(
        "a free target can be claimed",
        (Claim,),
        lambda read, given: not is_taken(read),
        "a target whose lock nobody holds can be claimed",
        cites="REL-7a",
    )
    scene.takes(
        "a stale claim can be taken over",
        (Takeover,),
        lambda read, given: is_taken(read) and _is_stale(given),
        "a claim whose advisory lock is granted and whose processes are gone can be taken over",
        cites="REL-7e",
    )
    scene.takes(
        "the holder of a claim is heard",
        (Release, Conflict, ChildRecorded, Unobserved),
        lambda r, given: holds(r, given) and (isinstance(given, Release) or r(key).state == "held"),
        "who holds a claim can give it back, and say what it saw of it",
        cites="ACT-8c REL-5 REL-8b",
    )
    scene.takes(
        "an operator can force a release",
        (ForceRelease,),
        lambda read, given: is_taken(read) and given.actor is not None and given.reasoned,
        "a lock that is held or retained can be released by someone who says why",
        cites="SHL-6a",
    )
    scene.always_step(
        "who claims holds",
        lambda before, after, given, change: (
            not isinstance(given, Claim) or _holds_anew(before(key), after(key))
        ),
        "a claim that was taken holds the lock, under a nonce of its own",
        cites="REL-7a REL-7d",
    )
    scene.always_step(
        "a claim is taken over on evidence",
        lambda before, after, given, change: (
            not isinstance(given, Takeover)
            or (_is_stale(given) and after(key).state == "held" and after(key).nonce == before(key).nonce + 1)
        ),
        "whoever takes over has the evidence, and holds a claim of its own from then on",
        cites="REL-7e REL-7f REL-7g",
    )
    scene.always_step(
        "what is given back is free",
        lambda before, after, given, change: (
            not isinstance(given, Release | Conflict | ForceRelease) or after(key).state == "free"
        ),
        "a claim that was given back, met another holder, or was released by force holds nothing",
        cites="REL-7d REL-7h SHL-6a",
    )
    scene.always_step(
        "a forced release says so",
        lambda before, after, given, change: (
            after(key) is None
            or after(key).state != "free"
            or after(key).forced == _is_forced(before(key), given)
        ),
        "a lock that an operator released shows it, and no other does",
        cites="SHL-6b SHL-6c",
    )
    scene.always_step(
        "a child that is recorded moves no lock",
        lambda before, after, given, change: (
            not isinstance(given, ChildRecorded) or after(key) == before(key)._replace(child=True)
        ),
        "to record a child changes nothing else of the claim",
        cites="REL-6a REL-7b",
    )
    m.always_step(
        "a retained lock is reported",
        lambda before, after, action, change: (
            [
                Retained(target, cell.nonce)
                for _, cell in written(change, Kind.LOCK)
                if cell.state == "retained"
            ]
            == effects(change, Retained)
        ),
        "a lock becomes retained and is reported in one step",
        cites="REL-8b",
    )
    m.always_step(
        "a claim is published",
        lambda before, after, action, change: (
            ([Publish(target, after(key).nonce)] if _new_claim(before(key), after(key)) else [])
            == effects(change, Publish)
        ),
        "each claim, and each takeover, has a nonce of its own and is published under it",
        cites="REL-7a REL-7c",
    )
    m.always(
        "a release frees the claim",
        for_each(refs, lambda read, ref: not _has_released(read, ref) or not _still_held(read, key, ref)),
        "once a delivery has released, its claim holds the lock no more",
        cites="REL-4b REL-5",
    )
    m.always(
        "the policy follows the plan",
        for_each(refs, lambda read, ref: _policy_fits(read((Kind.DELIVERY, ref, 1)), read(("plan", ref)))),
        "a mailbox has no lock, a socket is released by the final send, a spawn by an observation",
        cites="REL-1a REL-1b REL-1c REL-1d REL-2a REL-2b",
    )
    scene.takes(
        "a claim can be handed over",
        (Deliver,),
        lambda read, given: read((Kind.DELIVERY, given.ref, 1)) is None and _belongs(read, given),
        "a plan is carried out with the lock that belongs to it",
        cites="REL-1a REL-2a REL-2b",
    )
    scene.refuses(
        "a violation is named",
        (Deliver,),
        lambda read, given, refused: refused.rule != "REL-2" or refused.because == _violation(given),
        "no transport, or a lock that is missing, of another target, or too much is refused with that reason",
        cites="REL-2c",
    )
    scene.always_step(
        "plan and lock belong together",
        lambda before, after, given, change: not isinstance(given, Deliver) or _belongs(before, given),
        "no transport, a mailbox with a lock, a spawn or socket without that of its target: each is refused",
        cites="REL-2a REL-2b REL-2c REL-5",
    )


PLANNED = {
    None: None,
    Plan.MAILBOX: "no-lock",
    Plan.CONTROL_SOCKET: "release-after-send-final",
    Plan.BACKGROUND_SPAWN: "release-after-spawn-observation",
}


def _policy_fits(delivery: Any, plan: Plan | None) -> bool:
    policy = None if delivery is None else delivery.policy
    return bool(policy == PLANNED[plan])


def _belongs(read: Read, given: Deliver) -> bool:
    if given.plan not in PLANNED:
        return False
    lock = read((Kind.LOCK, given.target))
    if given.plan == Plan.MAILBOX:
        return given.locked is None
    return (
        given.locked == given.target
        and lock is not None
        and lock.state == "held"
        and lock.nonce == given.nonce
    )


def _violation(given: Deliver) -> str | None:
    if given.plan not in PLANNED:
        return "not-a-transport"
    if given.plan == Plan.MAILBOX:
        return "mailbox-with-lock"
    return "lock-missing" if given.locked is None else "lock-of-another-target"


def _is_stale(given: Takeover) -> bool:
    return given.readable and given.granted and given.recorded_alive == 0


def _new_claim(before: Any, after: Any) -> bool:
    return after is not None and (before is None or bool(after.nonce != before.nonce))


def _holds_anew(before: Any, after: Any) -> bool:
    was = 0 if before is None else before.nonce
    return after is not None and bool(after.state == "held" and after.nonce == was + 1)


def _still_held(read: Read, key: Any, ref: Ref) -> bool:
    lock, delivery = read(key), read((Kind.DELIVERY, ref, 1))
    return lock.state != "free" and delivery.nonce is not None and bool(lock.nonce == delivery.nonce)


def _is_forced(lock: Any, given: Any) -> bool:
    return isinstance(given, ForceRelease) or (lock is not None and bool(lock.forced))


def _has_released(read: Read, ref: Ref) -> bool:
    delivery = read((Kind.DELIVERY, ref, 1))
    return delivery is not None and delivery.state == "released"
