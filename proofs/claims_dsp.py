"""Claims about dispatch and effects (DSP, SHL)."""

from typing import Any, Final

import z3  # type: ignore[import-untyped]

from dhruva.assume import GHOST
from dhruva.cells import EffectKind, FollowUp, Kind
from dhruva.inputs import Ack, Admit, EffectFailed, Handle, Lost, Outcome, Resolve, Take, Wake, Withdraw
from dhruva.machines.attempt import AttemptState
from dhruva.machines.carrier import CarrierState
from dhruva.machines.effect import EffectState
from proofs import facts, facts_work
from proofs.claim import Claim, Touched, View
from proofs.invariants import flag, is_in, kept, num
from proofs.values import and_, equal, formula, iff, implies, not_, or_, raw

C: Final = CarrierState
RUNNING: Final = AttemptState.RUNNING


def dispatch(view: View) -> None:
    """Within a run both counters grow by one at most, and by one only up to their limits."""
    for one in view.touched((Kind.DISPATCH,)):
        key, valid, _, after = one
        if after.there is False or not view.engine.decide(and_(valid, after.there)):
            continue
        spec = view.before((Kind.SPEC, key[1]))
        more, deeper = _grown(one, "spawned"), _grown(one, "depth")
        inside = num(raw(after.cell, "spawned")) <= num(raw(spec, "budget"))
        within = num(raw(after.cell, "depth")) <= num(raw(spec, "max_depth"))
        view.must(or_(more == 0, and_(more == 1, inside)), "a spawn past the budget, or one that went back")
        view.must(or_(deeper == 0, and_(deeper == 1, within)), "a depth past its limit, or one that fell")
        view.must(implies(deeper == 1, more == 1), "deeper without a dispatch")


def _grown(one: Touched, field: str) -> Any:
    """By how much a counter of this run has grown; that of a new run was 0."""
    same = and_(one.before.there, equal(raw(one.before.cell, "run"), raw(one.after.cell, "run")))
    old = z3.If(formula(same), num(raw(one.before.cell, field)), 0)
    return num(raw(one.after.cell, field)) - old


def ranking(view: View) -> None:
    """Every dispatch of a run takes one from `budget - spawned`, which is never negative; every answer to an
    attempt that asks for one is a dispatch or the attempt's end: there are no more in a run than its budget.
    """
    if isinstance(view.given, Admit | Outcome) and view.change is not None:
        attempt = view.stands((Kind.ATTEMPT, view.given.ref))
        groups = view.touched((Kind.GROUP,))
        new = (and_(one.valid, not_(one.before.there), one.after.there) for one in groups)
        view.must(or_(not_(attempt.there), *new), "an answer that neither dispatches nor ends the attempt")
    for key, valid, before, after in view.touched((Kind.GROUP,)):
        new = and_(valid, not_(before.there), after.there)
        if new is False or not view.engine.decide(new):
            continue
        spec = view.before((Kind.SPEC, key[1].owner))
        counters = view.after((Kind.DISPATCH, key[1].owner))
        old = view.before((Kind.DISPATCH, key[1].owner))
        view.must(spec is not None and counters is not None, "a carrier that nothing counts")
        if spec is None or counters is None:
            continue
        begun = 0 if old is None else z3.If(formula(equal(old.run, key[1].run)), num(old.spawned), 0)
        left, then = num(spec.budget) - begun, num(spec.budget) - num(counters.spawned)
        view.must(and_(equal(counters.run, key[1].run), then < left, then >= 0), "a dispatch without an end")


def carriers(view: View) -> None:
    for key, valid, before, after in view.touched((Kind.GROUP,)):
        new = and_(valid, not_(before.there), after.there)
        if new is not False and view.engine.decide(new):
            view.must(is_in(after.cell, "state", C.IDLE), "a carrier begins otherwise than idle")
            _one_at_a_time(view, view.before((Kind.ATTEMPT, key[1])), key)
        both = and_(valid, before.there, after.there)
        commits = and_(
            both, is_in(after.cell, "state", C.COMMITTED), not_(is_in(before.cell, "state", C.COMMITTED))
        )
        if commits is not False and view.engine.decide(commits):
            attempt = view.before((Kind.ATTEMPT, key[1]))
            view.must(is_in(before.cell, "state", C.IDLE), "a spent carrier committed")
            view.must(num(raw(before.cell, "idle")) == 0, "committed with a cooperative left")
            view.must(
                attempt is not None and is_in(attempt, "state", RUNNING),
                "a call for an attempt that must end",
            )
            view.must(attempt is not None and equal(attempt.spawn, key[2]), "an old carrier committed")
        issued = and_(both, is_in(before.cell, "state", C.COMMITTED))
        view.must(
            implies(issued, is_in(after.cell, "state", C.COMMITTED, C.VOID)), "a committed carrier went back"
        )
        spent = and_(both, is_in(before.cell, "state", C.VOID, C.WITHDRAWN))
        view.must(
            implies(spent, equal(raw(after.cell, "state"), raw(before.cell, "state"))),
            "a spent carrier moved",
        )
    for _, valid, _, after in view.touched((Kind.COOPERATIVE,)):
        view.must(
            implies(and_(valid, after.there), is_in(after.cell, "state", C.IDLE)), "a cooperative committed"
        )


def _one_at_a_time(view: View, attempt: Any, key: Any) -> None:
    """The next primary only when there was none, or the one before is void and forgotten."""
    view.must(attempt is not None and is_in(attempt, "state", RUNNING), "a carrier for no running attempt")
    if attempt is None or view.engine.decide(equal(attempt.spawn, 0)):
        return
    group = view.before((Kind.GROUP, key[1], attempt.spawn))
    view.must(group is not None and is_in(group, "state", C.VOID), "a second primary")


def performed(view: View) -> None:
    """Against the ghost of every effect that was ever taken."""
    for key, valid, before, after in view.touched((Kind.EFFECT,)):
        taken = and_(
            *(valid, before.there, after.there),
            is_in(before.cell, "state", EffectState.PENDING),
            is_in(after.cell, "state", EffectState.TAKEN),
        )
        view.must(implies(taken, isinstance(view.given, Take)), "taken by nobody")
        if taken is not False and view.engine.decide(taken):
            done = view.before((GHOST, "performed", *key[1:]))
            view.must(
                or_(done is None, flag(before.cell, "idempotent")), "performed again, and not idempotent"
            )
        same = equal(raw(before.cell, "idempotent"), raw(after.cell, "idempotent"))
        view.must(implies(and_(valid, before.there, after.there), same), "idempotence changed")


E: Final = EffectState


def concluded(view: View) -> None:
    """What was taken is pending again only if it may be done twice; what was lost is lost, and no more."""
    given = view.given
    if not isinstance(given, Take | Lost | Ack | EffectFailed | Resolve) or view.change is None:
        return
    left, was = view.stands(given.key), view.before(given.key)
    if isinstance(given, Take):
        so = or_(not_(left.there), is_in(left.cell, "state", E.TAKEN))
    elif isinstance(given, Lost):
        again = was is not None and flag(was, "idempotent")
        so = and_(left.there, is_in(left.cell, "state", E.INDETERMINATE, E.PENDING))
        so = and_(so, iff(is_in(left.cell, "state", E.PENDING), again))
    else:
        so = not_(left.there)
    view.must(so, "an effect is left otherwise than what was observed of it says")


def one_call(view: View) -> None:
    """A call is written by the commit of its carrier, in one step, and by nothing else."""
    commits = [(when, e.key) for when, e in view.edges("carrier-primary") if e.on == "commit"]
    for key, valid, before, after in view.touched(facts.CALL):
        new = and_(valid, not_(before.there), after.there)
        own = or_(*(and_(when, equal(at[1:], key[2:])) for when, at in commits))
        view.must(implies(new, own), "a call without a carrier commit")


def withdrawn(view: View) -> None:
    """A call whose ref died before it was taken is never taken."""
    if isinstance(view.given, Take) and view.given.key[1:2] == (EffectKind.DISPATCH,):
        attempt = view.before((Kind.ATTEMPT, view.given.key[2]))
        if attempt is None or view.engine.decide(not_(is_in(attempt, "state", RUNNING))):
            for _, valid, before, after in view.touched(facts.CALL):
                view.must(implies(and_(valid, before.there), not_(after.there)), "taken for a dead ref")


def follow_ups(view: View) -> None:
    """A follow-up is over by its own handling, or its request was withdrawn, and by nothing else."""
    handled = view.given.key if isinstance(view.given, Handle) else None
    if isinstance(view.given, Wake):
        handled = (Kind.FOLLOW, FollowUp.WAKE, view.given.scope)
    if isinstance(view.given, Withdraw):
        handled = (Kind.FOLLOW, FollowUp.ASK_AGAIN, view.given.request)
    for key, valid, before, after in view.touched((Kind.FOLLOW,)):
        over = and_(valid, before.there, not_(after.there))
        own = handled is not None and len(handled) == len(key) and equal(handled, key)
        view.must(implies(over, own), "a follow-up is lost")
        if isinstance(view.given, Handle) and hasattr(after.cell, "cursor") and key[1:2] != (FollowUp.WAKE,):
            _advances(view, key, (valid, own), before, after)


WALKS: Final = (FollowUp.TELL, FollowUp.RECALL, FollowUp.END_RESOURCES)


def _advances(view: View, key: Any, mine: tuple[Any, Any], before: Any, after: Any) -> None:
    """A walk goes on by one, and is over when it was at its last."""
    if key[1] not in WALKS:
        return
    here = and_(*mine, before.there)
    if here is False:
        return
    onward = num(raw(after.cell, "cursor")) == num(raw(before.cell, "cursor")) + 1
    view.must(implies(and_(here, after.there), onward), "a walk that does not go on by one")
    if view.engine.decide(and_(here, not_(after.there))):
        if key[1] == FollowUp.END_RESOURCES:
            last = num(raw(before.cell, "last"))
        else:
            task = view.before((Kind.TASK, key[2]))
            last = None if task is None else num(raw(task, "links"))
        view.must(last is None or num(raw(before.cell, "cursor")) >= last, "a walk that stopped early")


CLAIMS: Final[tuple[Claim, ...]] = (
    Claim(
        "spawn budget and depth",
        "within a run, spawned grows by one and never past the budget, depth by one and never past its limit",
        cites="DSP-4b DSP-4c DSP-8a DSP-8d",
        checks=(dispatch,),
    ),
    Claim(
        "every dispatching ends",
        "each dispatch of a run takes one from what is left of its budget, which is never negative, and an "
        "attempt "
        "that asks for one gets it or ends",
        cites="DSP-4b DSP-12a",
        checks=(ranking,),
    ),
    Claim(
        "one primary at a time",
        "an attempt has one primary at most, which goes from idle to committed, its cooperatives gone, to "
        "void; "
        "the next begins when it is void; a cooperative is withdrawn and nothing else",
        cites="DSP-2b DSP-2d DSP-2e DSP-5b DSP-5c DSP-5d",
        checks=(carriers, *kept(facts_work.PRIMARIES)),
    ),
    Claim(
        "carriers and their calls",
        "a call waits or is under way exactly while its carrier is committed, whose commit writes it",
        cites="DSP-3a DSP-3d",
        checks=(*kept(facts_work.CALLS), one_call),
    ),
    Claim(
        "performed once",
        "an effect is taken once, unless it is idempotent by key; one that was lost is indeterminate until "
        "evidence",
        cites="SHL-4e SHL-4f DSP-3e",
        checks=(performed, concluded, *kept(facts_work.PERFORMED)),
    ),
    Claim(
        "no call for a dead ref",
        "a call whose ref died before it was taken is withdrawn",
        cites="SHL-4d",
        checks=(withdrawn,),
    ),
    Claim(
        "no follow-up is lost",
        "a follow-up is removed by its own handling alone, and a walk goes on one by one to its last",
        cites="SHL-3c SHL-3d LIF-6c",
        checks=(follow_ups,),
    ),
)
