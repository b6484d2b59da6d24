"""Claims about locks and deliveries (REL)."""

from typing import Any, Final

from dhruva.cells import Kind
from dhruva.inputs import ChildRecorded, Conflict, ForceRelease, Observe, Release, Takeover, Unobserved
from dhruva.inputs import Claim as Claim_
from dhruva.machines.lock import LockState
from dhruva.machines.release import ReleaseEvent, ReleasePolicy, ReleaseState
from proofs import facts_work as facts
from proofs.claim import Claim, Touched, View
from proofs.ghost_cells import Spawns
from proofs.invariants import flag, is_in, kept, num
from proofs.values import and_, equal, implies, inner, not_, or_, raw, there

FREE: Final = LockState.FREE
E: Final = ReleaseEvent
QUALIFY: Final = {
    ReleasePolicy.NO_LOCK: (),
    ReleasePolicy.AFTER_SEND_FINAL: (E.SEND_FINAL,),
    ReleasePolicy.AFTER_SPAWN_OBSERVATION: (E.SOCKET_ALIVE, E.CHILD_EXITED, E.SPAWN_START_FAILED),
}
"""What releases under which policy, as REL-3 says."""


def locks(view: View) -> None:
    for one in view.touched((Kind.LOCK,)):
        _, valid, before, after = one
        view.must(implies(and_(valid, before.there), after.there), "a lock was forgotten")
        first = num(raw(after.cell, "nonce")) == 1
        view.must(
            implies(and_(valid, not_(before.there), after.there), first), "the first claim has another nonce"
        )
        both = and_(valid, before.there, after.there)
        grown = num(raw(after.cell, "nonce")) - num(raw(before.cell, "nonce"))
        was, is_ = is_in(before.cell, "state", FREE), is_in(after.cell, "state", FREE)
        view.must(implies(both, or_(grown == 0, grown == 1)), "a nonce that is not the next one")
        view.must(
            implies(and_(both, was, not_(is_)), grown == 1), "a claim under a nonce that was used before"
        )
        view.must(implies(and_(both, not_(was), is_), grown == 0), "freed under another nonce")
        _holder_kept(view, one, and_(both, not_(was), not_(is_)), grown)
        if view.engine.decide(and_(both, not_(was), is_)):
            _freed(view, one)


def _holder_kept(view: View, one: Touched, held: Any, grown: Any) -> None:
    """A holder is replaced on evidence alone: the file was read, its lock granted, all recorded are gone."""
    given = view.given
    proven: Any = False
    if isinstance(given, Takeover):
        proven = and_(flag(given, "readable"), flag(given, "granted"), num(given.recorded_alive) == 0)
    view.must(implies(and_(held, not_(grown == 0)), proven), "a holder was replaced without evidence")
    if isinstance(given, Unobserved):
        retained = is_in(one.after.cell, "state", LockState.RETAINED)
        view.must(implies(one.valid, retained), "time released a lock")


def _freed(view: View, one: Touched) -> None:
    """By an operator who says so, by the claim that holds it, or by the delivery that it was handed to."""
    given = view.given
    if isinstance(given, ForceRelease):
        view.must(
            and_(there(raw(given, "actor")), flag(given, "reasoned")), "forced by nobody, or for no reason"
        )
        view.must(flag(one.after.cell, "forced"), "an override that does not say so in its cell")
        return
    nonce = raw(given, "nonce") if "nonce" in given._fields else None
    if isinstance(given, Observe):
        delivery = view.before((Kind.DELIVERY, given.ref, given.spawn))
        view.must(delivery is not None, "released by no delivery")
        if delivery is None:
            return
        view.must(is_in(delivery, "state", ReleaseState.HOLDING), "released a second time")
        view.must(equal(raw(delivery, "target"), one.key[1]), "released another target")
        nonce = inner(raw(delivery, "nonce"))
        view.must(there(raw(delivery, "nonce")), "released without a claim")
    view.must(nonce is not None and equal(nonce, raw(one.before.cell, "nonce")), "released by another claim")


S: Final = LockState
LEAVES: Final[dict[type, tuple[LockState, int]]] = {
    Claim_: (S.HELD, 1),
    Takeover: (S.HELD, 1),
    ChildRecorded: (S.HELD, 0),
    Unobserved: (S.RETAINED, 0),
    Conflict: (S.FREE, 0),
    Release: (S.FREE, 0),
    ForceRelease: (S.FREE, 0),
}
"""How each input leaves its lock, and by how much the nonce has grown: who holds it next is a new claim."""


def left(view: View) -> None:
    wanted = LEAVES.get(type(view.given))
    if wanted is None or view.change is None:
        return
    lock, was = view.stands((Kind.LOCK, view.given.target)), view.before((Kind.LOCK, view.given.target))
    nonce = num(raw(lock.cell, "nonce")) - (0 if was is None else num(was.nonce))
    unused = implies(nonce == 1, not_(flag(lock.cell, "handed")))
    so = and_(lock.there, is_in(lock.cell, "state", wanted[0]), nonce == wanted[1], unused)
    view.must(so, "a lock is left otherwise than the input says")


def released(view: View) -> None:
    """A delivery releases once, exactly on an event that its policy waits for, and then never changes."""
    given = view.given
    for key, valid, before, after in view.touched((Kind.DELIVERY,)):
        spent = and_(valid, before.there, is_in(before.cell, "state", ReleaseState.RELEASED))
        same = or_(not_(after.there), equal(before.cell, after.cell))
        view.must(implies(spent, same), "a delivery that has released its lock changed again")
        releases = and_(
            *(valid, before.there, after.there),
            is_in(before.cell, "state", ReleaseState.HOLDING),
            is_in(after.cell, "state", ReleaseState.RELEASED),
        )
        own = isinstance(given, Observe) and equal((given.ref, given.spawn), key[1:])
        view.must(implies(releases, own), "released by what is no observation of it")
    if isinstance(given, Observe) and view.change is not None:
        _qualifies(view, given)


def _qualifies(view: View, given: Observe) -> None:
    key = (Kind.DELIVERY, given.ref, given.spawn)
    before, after = view.before(key), view.stands(key)
    if before is None or not view.engine.decide(is_in(before, "state", ReleaseState.HOLDING)):
        return
    for policy, events in QUALIFY.items():
        here = and_(is_in(before, "policy", policy), after.there)
        waited = is_in(given, "event", *events) if events else False
        left = is_in(after.cell, "state", ReleaseState.RELEASED)
        view.must(implies(and_(here, waited), left), f"{policy} holds on an event that releases")
        view.must(implies(and_(here, not_(waited)), not_(left)), f"{policy} releases on an event that holds")
    lock, left = view.stands((Kind.LOCK, before.target)), is_in(after.cell, "state", ReleaseState.RELEASED)
    mine = and_(
        lock.there, there(raw(before, "nonce")), equal(raw(lock.cell, "nonce"), inner(raw(before, "nonce")))
    )
    freed = implies(and_(after.there, left, mine), is_in(lock.cell, "state", FREE))
    view.must(freed, "a delivery that has released holds its lock")


def alone(view: View) -> None:
    """When a child is started no other runs on the target, but where an operator forced the lock from under
    one of the two.
    """
    if not isinstance(view.given, Spawns) or view.change is None:
        return
    view.stands((Kind.LOCK, view.given.target))
    view.stands((*facts.ANSWERS, view.given.target))
    own = view.before((*facts.HANDED, view.given.target, view.given.nonce))
    view.must(own is not None, "a child without a claim")
    if own is None:
        return
    for one in [*view.untouched(facts.HANDED), view.any(facts.HANDED)]:
        here = and_(one.valid, one.there, equal(one.key[2], view.given.target))
        forced = or_(flag(own, "forced"), flag(one.cell, "forced"))
        view.must(implies(here, or_(forced, not_(flag(one.cell, "runs")))), "a second child on one target")


CLAIMS: Final[tuple[Claim, ...]] = (
    Claim(
        "one holder",
        "each claim has the next nonce; only its own nonce, evidence or an operator takes a lock from "
        "its holder",
        cites="REL-5 REL-7a REL-7e REL-7f REL-8b REL-8c SHL-6b",
        checks=(locks, left),
    ),
    Claim(
        "released once",
        "a delivery releases its lock, which is free then unless another claim holds it, on exactly the "
        "events of "
        "its policy, once, and never changes again",
        cites="REL-3c REL-3d REL-3e REL-3f REL-4a REL-4b REL-4c REL-4d",
        checks=(released, *kept(facts.LOCKS)),
    ),
    Claim(
        "no double spawn",
        "no child is started on a target while another runs there, whatever crashes when; but for a claim "
        "from "
        "under which an operator, by name and for a reason, forced the lock",
        cites="REL-6a REL-6b REL-10e",
        checks=(alone, *kept(facts.SPAWNING)),
    ),
)
