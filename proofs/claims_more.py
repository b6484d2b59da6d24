"""Claims about tasks (LIF), dispatch (DSP), effects (SHL), locks (REL) and instances (WFL)."""

from typing import Any, Final

import z3  # type: ignore[import-untyped]

from dhruva.cells import FollowUp, Kind
from dhruva.ids import TaskStatus
from dhruva.inputs import (
    ForceRelease,
    Handle,
    Signal,
    SliceCompleted,
    SliceError,
    SliceFailed,
    SliceWaits,
    Takeover,
    Wake,
)
from dhruva.machines.carrier import CarrierState
from dhruva.machines.effect import EffectState
from dhruva.machines.instance import InstanceState
from dhruva.machines.lock import LockState
from dhruva.machines.release import ReleasePolicy, ReleaseState
from proofs.claim import Claim, View, one, term
from proofs.claims_act import among

T: Final = TaskStatus
BY_TABLE: Final = {
    T.PENDING: (T.PENDING, T.IN_PROGRESS, T.CANCELLED),
    T.IN_PROGRESS: (T.IN_PROGRESS, T.COMPLETED, T.FAILED, T.CANCELLED, T.PENDING),
    T.FAILED: (T.FAILED,),
    T.COMPLETED: (T.COMPLETED,),
    T.CANCELLED: (T.CANCELLED,),
}
"""What one step may do to a status. in_progress to pending is failed and retried in one write (LIF-14)."""


def status(view: View) -> None:
    for write in view.writes(Kind.TASK):
        if write.before is None or write.after is None:
            continue
        old, new = write.before.status.member(), write.after.status
        if among(new, BY_TABLE[old]):
            view.must(term(write.after.run) == term(write.before.run), "a new run without a re-execution")
            continue
        reset = isinstance(view.given, Handle) and view.given.key[1] == FollowUp.RESET
        view.must(reset and among(new, (T.PENDING,)), f"a task left {old} without a re-execution")
        view.must(term(write.after.run) == term(write.before.run) + 1, "a re-execution without a new run")


def retried(view: View) -> None:
    """Seen from outside a retried failure was never failed, and a failure that stays had nothing left."""
    again = [edge.key for edge in view.edges("task") if edge.on == "retry"]
    for write in view.writes(Kind.TASK):
        if write.after is None or write.before is None or not among(write.before.status, (T.IN_PROGRESS,)):
            continue
        if write.key in again:
            view.must(among(write.after.status, (T.PENDING,)), "a failure that was retried is left failed")
            view.must(not bool(write.after.due), "a retry without a timer")
            spec = view.before((Kind.SPEC, write.key[1]))
            view.must(term(write.after.tries) < term(spec.max_attempts), "a retry with no try left")
        else:
            view.must(not among(write.after.status, (T.PENDING,)), "pending again without a retry")


def start(view: View) -> None:
    for write in view.writes(Kind.TASK):
        if write.before is None or write.after is None or among(write.before.status, (T.IN_PROGRESS,)):
            continue
        if not among(write.after.status, (T.IN_PROGRESS,)):
            continue
        view.must(isinstance(view.given, Wake) and bool(view.given.executor), "started without an executor")
        view.must(term(write.before.unmet) == 0, "started with a dependency unmet")
        view.must(bool(write.before.due), "started before it was due")
        spec = view.before((Kind.SPEC, write.key[1]))
        view.must(term(write.before.tries) < term(spec.max_attempts), "started with no try left")
        view.must(term(write.after.tries) == term(write.before.tries) + 1, "a try that was not counted")
        begun = [w for w in view.writes(Kind.ATTEMPT) if w.before is None and w.after is not None]
        view.must(len(begun) == 1 and begun[0].key[1].owner == write.key[1], "in progress without an attempt")


def unmet(view: View) -> None:
    """Local balance: a task's unmet falls by one for each link to it that becomes met, and the other
    way round.
    """
    links = list(view.writes(Kind.LINK))
    tasks = [w for w in view.writes(Kind.TASK) if w.before is not None and w.after is not None]
    ids = [w.key[1] for w in tasks]
    ids += [link.dependent for w in links for link in (w.before, w.after) if link is not None]
    for task in {term(id_).get_id(): id_ for id_ in ids}.values():
        met = [_met(w.after, task) - _met(w.before, task) for w in links]
        grown = [
            z3.If(term(w.key[1]) == term(task), term(w.after.unmet) - term(w.before.unmet), 0) for w in tasks
        ]
        balance = z3.Sum(*grown, z3.IntVal(0)) + z3.Sum(*met, z3.IntVal(0)) == 0
        view.must(balance, "unmet did not change with the links that are met")
    for write in links:
        if write.after is not None and bool(write.after.met) and not (write.before and write.before.met):
            _satisfied(view, write)


def _satisfied(view: View, write: Any) -> None:
    """Met by a dependency that has completed, an optional one by any that ended, with no attempt alive."""
    on = view.before((Kind.TASK, write.key[1]))
    enough = (T.COMPLETED,) if bool(write.after.required) else (T.COMPLETED, T.FAILED, T.CANCELLED)
    view.must(on is not None and among(on.status, enough), "met by a task that does not satisfy")
    view.must(not bool(on.alive), "met by a task with a living attempt")


def _met(link: Any, task: Any) -> Any:
    return one(False) if link is None or not bool(link.met) else one(term(link.dependent) == term(task))


def frozen(view: View) -> None:
    for write in view.writes(Kind.POLICY, Kind.SPEC):
        changed = write.before is not None and write.after is not None
        view.must(not changed, "what a scope or a task was created with has changed")


# Dispatch


def dispatch(view: View) -> None:
    for write in view.writes(Kind.DISPATCH):
        if write.after is None:
            continue
        spec = view.before((Kind.SPEC, write.key[1]))
        before = write.before
        same_run = before is not None and view.engine.decide(term(before.run) == term(write.after.run))
        spawned, depth = (term(before.spawned), term(before.depth)) if same_run else (z3.IntVal(0),) * 2
        more, deeper = term(write.after.spawned) - spawned, term(write.after.depth) - depth
        inside = term(write.after.spawned) <= term(spec.budget)
        view.must(
            z3.Or(more == 0, z3.And(more == 1, inside)), "a spawn past the budget, or one that went back"
        )
        within = term(write.after.depth) <= term(spec.max_depth)
        view.must(z3.Or(deeper == 0, z3.And(deeper == 1, within)), "a depth past its limit, or one that fell")
        if same_run and not z3.simplify(deeper).eq(z3.IntVal(0)):
            view.must(more == 1, "deeper without a dispatch")


def carriers(view: View) -> None:
    for write in view.writes(Kind.GROUP):
        if write.after is None:
            continue
        attempt = view.before((Kind.ATTEMPT, write.key[1]))
        if write.before is None:
            view.must(among(write.after.state, (CarrierState.IDLE,)), "a carrier begins otherwise than idle")
            _one_at_a_time(view, attempt, write.key)
        elif among(write.after.state, (CarrierState.COMMITTED,)) and not among(
            write.before.state, (CarrierState.COMMITTED,)
        ):
            view.must(among(write.before.state, (CarrierState.IDLE,)), "a spent carrier committed")
            view.must(term(write.before.idle) == 0, "committed with a cooperative left")
            view.must(
                attempt is not None and among(attempt.state, ("running",)),
                "a call for an attempt that must end",
            )
            view.must(term(attempt.spawn) == term(write.key[2]), "an old carrier committed")
    for write in view.writes(Kind.COOPERATIVE):
        idle = write.after is None or among(write.after.state, (CarrierState.IDLE,))
        view.must(idle, "a cooperative committed")


def _one_at_a_time(view: View, attempt: Any, key: Any) -> None:
    """The next primary only when there was none, or the one before is void and forgotten."""
    view.must(attempt is not None and among(attempt.state, ("running",)), "a carrier for no running attempt")
    if view.engine.decide(term(attempt.spawn) == 0):
        return
    old = (Kind.GROUP, key[1], attempt.spawn)
    group = view.before(old)
    view.must(group is not None and among(group.state, (CarrierState.VOID,)), "a second primary")


def effects(view: View) -> None:
    for write in view.writes(Kind.EFFECT):
        if write.before is None or write.after is None:
            continue
        if among(write.after.state, (EffectState.PENDING,)):
            view.must(among(write.before.state, (EffectState.TAKEN,)), "pending again from elsewhere")
            view.must(bool(write.before.idempotent), "performed again, and not idempotent by key")
        view.must(bool(write.after.idempotent) == bool(write.before.idempotent), "idempotence changed")


# Locks


def locks(view: View) -> None:
    for write in view.writes(Kind.LOCK):
        if write.before is None:
            view.must(term(write.after.nonce) == 1, "the first claim has another nonce")
            continue
        grown = z3.simplify(term(write.after.nonce) - term(write.before.nonce))
        view.must(z3.Or(grown == 0, grown == 1), "a nonce that is not the next one")
        if among(write.before.state, (LockState.FREE,)):
            view.must(grown == 1, "a claim under a nonce that was used before")
        elif among(write.after.state, (LockState.FREE,)):
            _freed(view, write)
        elif isinstance(view.given, Takeover):
            proven = bool(view.given.readable) and bool(view.given.granted)
            view.must(proven, "taken over without evidence")
            view.must(
                z3.And(term(view.given.recorded_alive) == 0, grown == 1), "taken over while one is alive"
            )
        else:
            view.must(grown == 0, "a holder was replaced without a takeover")


def _freed(view: View, write: Any) -> None:
    """By an operator who says so, by the claim that holds it, or by the delivery that the claim was
    handed to.
    """
    given = view.given
    if isinstance(given, ForceRelease):
        view.must(given.actor is not None and bool(given.reasoned), "forced by nobody, or for no reason")
        return
    nonce = given.nonce if hasattr(given, "nonce") else None
    if nonce is None:
        delivery = view.before((Kind.DELIVERY, given.ref, given.spawn))
        view.must(among(delivery.state, (ReleaseState.HOLDING,)), "released a second time")
        view.must(not among(delivery.policy, (ReleasePolicy.NO_LOCK,)), "released without a lock")
        view.must(delivery.target == write.key[1], "released another target")
        nonce = delivery.nonce
    view.must(nonce is not None and nonce == write.before.nonce, "released by another claim")


def released(view: View) -> None:
    for write in view.writes(Kind.DELIVERY):
        if write.before is not None and write.after is not None:
            spent = among(write.before.state, (ReleaseState.RELEASED,))
            view.must(not spent, "a delivery that has released its lock changed again")


# Instances


def waits(view: View) -> None:
    for write in view.writes(Kind.INSTANCE):
        view.must(write.after is not None, "an instance was forgotten")
        if write.before is None:
            continue
        token = z3.simplify(term(write.after.token) - term(write.before.token))
        view.must(z3.Or(token == 0, token == 1), "a token that is not the next one")
        fresh = any(e.on == "wait" and e.key == write.key for e in view.edges("instance"))
        view.must(token == (1 if fresh else 0), "a token that changed without a new wait, or did not for one")
        version = z3.simplify(term(write.after.version) - term(write.before.version))
        view.must(z3.Or(version == 0, version == 1), "a version that is not the next one")
        if write.before.state.member() != write.after.state:
            view.must(version == 1, "a commit that did not raise the version")


SLICES: Final = (SliceWaits, SliceCompleted, SliceFailed, SliceError)


def stale(view: View) -> None:
    if isinstance(view.given, SLICES):
        cell = view.before((Kind.INSTANCE, view.given.instance))
        if cell is None or not view.engine.decide(term(cell.version) == term(view.given.version)):
            view.must(view.change is None, "a slice of another version was committed")
    if isinstance(view.given, Signal):
        cell = view.before((Kind.INSTANCE, view.given.instance))
        over = (InstanceState.COMPLETED, InstanceState.FAILED, InstanceState.CANCELLED)
        if (
            cell is None
            or among(cell.state, over)
            or not view.engine.decide(term(cell.token) == term(view.given.token))
        ):
            view.must(view.change is None, "a stale signal changed something")
        elif cell.last_signal == view.given.signal:
            view.must(view.change is None, "a signal was heard twice")
        elif view.given.expected is not None and not among(cell.state, (InstanceState.RECOVERABLE_ERROR,)):
            same = view.engine.decide(term(cell.version) == term(view.given.expected))
            view.must(same or view.change is None, "a signal for another version was heard")


CLAIMS: Final = (
    Claim(
        "ended tasks stay",
        "a status changes as LIF-1 says; completed, failed and cancelled are left by re-execution, in a "
        "new run",
        cites="LIF-1b LIF-1c LIF-9a LIF-9d",
        check=status,
    ),
    Claim(
        "a retried failure is not seen",
        "a task that is retried goes from in_progress to pending in one write, with a timer and a try left",
        cites="LIF-14e LIF-14f",
        check=retried,
    ),
    Claim(
        "start",
        "a task starts only with all dependencies met, due, with an executor and a try left, and with "
        "its attempt",
        cites="LIF-3a LIF-3b LIF-3c LIF-3e LIF-15f ACT-2f",
        check=start,
    ),
    Claim(
        "unmet counts links",
        "a link is met when its dependency satisfies, and a task's unmet changes with the links that are met",
        cites="LIF-4a LIF-4b LIF-4d",
        check=unmet,
    ),
    Claim(
        "declared once",
        "what a scope or a task was created with never changes",
        cites="DSP-4a DSP-14b",
        check=frozen,
    ),
    Claim(
        "spawn budget and depth",
        "within a run, spawned grows by one and never past the budget, depth by one and never past its limit",
        cites="DSP-4b DSP-4c DSP-8a",
        check=dispatch,
    ),
    Claim(
        "one primary at a time",
        "a primary commits once, from idle, its cooperatives gone; the next begins when it is void; no "
        "other commits",
        cites="DSP-2b DSP-2d DSP-5b DSP-5c DSP-5d",
        check=carriers,
    ),
    Claim(
        "performed once",
        "an effect that was taken is pending again only if it is idempotent by key",
        cites="SHL-4f DSP-3e",
        check=effects,
    ),
    Claim(
        "one holder",
        "each claim has the next nonce; only its own nonce, evidence or an operator takes a lock from "
        "its holder",
        cites="REL-5 REL-7a REL-7e REL-7f",
        check=locks,
    ),
    Claim(
        "released once",
        "a delivery that has released its lock never changes again",
        cites="REL-4a REL-4d",
        check=released,
    ),
    Claim(
        "tokens and versions",
        "each wait has the next token, each commit the next version, and neither ever goes back",
        cites="WFL-12a WFL-13a",
        check=waits,
    ),
    Claim(
        "stale changes nothing",
        "a signal of another wait, of an ended instance or heard before, and a slice of another version "
        "are refused",
        cites="WFL-12c WFL-12e WFL-13b",
        check=stale,
    ),
)
