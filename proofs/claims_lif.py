"""Claims about tasks: their status, their attempts, what they wait for and where (LIF)."""

from typing import Any, Final

from dhruva.assume import GHOST
from dhruva.cells import FollowUp, Kind
from dhruva.ids import Priority, TaskStatus
from dhruva.inputs import Handle, Wake
from proofs import facts, facts_lanes, facts_order
from proofs.claim import Claim, View
from proofs.claims_act import begun
from proofs.ghosts import same_line
from proofs.invariants import flag, is_in, kept, num
from proofs.shapes import settings
from proofs.values import and_, equal, implies, inner, not_, or_, raw, there
from proofs.world import Known

T: Final = TaskStatus
ALL: Final = tuple(T)
BY_TABLE: Final = {
    T.PENDING: (T.PENDING, T.IN_PROGRESS, T.CANCELLED),
    T.IN_PROGRESS: (T.IN_PROGRESS, T.COMPLETED, T.FAILED, T.CANCELLED, T.PENDING),
    T.FAILED: (T.FAILED,),
    T.COMPLETED: (T.COMPLETED,),
    T.CANCELLED: (T.CANCELLED,),
}
"""What one step may do to a status. in_progress to pending is failed and retried in one write (LIF-14)."""


def status(view: View) -> None:
    reset = isinstance(view.given, Handle) and view.given.key[1:2] == (FollowUp.RESET,)
    chosen = settings()
    for key, valid, before, after in view.touched((Kind.TASK,)):
        both = and_(valid, before.there, after.there)
        runs = num(raw(after.cell, "run")) - num(raw(before.cell, "run"))
        same_run = runs == 0
        again = and_(
            reset and equal(key[1], view.given.key[2]),
            is_in(before.cell, "status", T.COMPLETED, T.FAILED, T.CANCELLED),
            is_in(after.cell, "status", T.PENDING),
            runs == 1,
            implies(is_in(before.cell, "status", T.COMPLETED), flag(chosen, "reexecute_completed")),
            implies(is_in(before.cell, "status", T.CANCELLED), flag(chosen, "reexecute_cancelled")),
        )
        for old, allowed in BY_TABLE.items():
            goes = and_(is_in(after.cell, "status", *allowed), same_run)
            here = and_(both, is_in(before.cell, "status", old))
            view.must(implies(here, or_(goes, again)), f"a task left {old} without a re-execution")
        begins = is_in(after.cell, "status", T.PENDING)
        view.must(implies(and_(valid, not_(before.there), after.there), begins), "a task begins otherwise")


def retried(view: View) -> None:
    """Seen from outside a retried failure was never failed, and it waits for its timer with a try left."""
    for key, valid, before, after in view.touched((Kind.TASK,)):
        again = and_(
            *(valid, before.there, after.there),
            is_in(before.cell, "status", T.IN_PROGRESS),
            is_in(after.cell, "status", T.PENDING),
        )
        if again is not False and view.engine.decide(again):
            spec = view.before((Kind.SPEC, key[1]))
            view.must(not_(flag(after.cell, "due")), "a retry without a timer")
            left = num(raw(after.cell, "tries")) < num(raw(spec, "max_attempts"))
            view.must(left, "a retry with no try left")
            for edge in (("in_progress", "fail", "failed"), ("failed", "retry", "pending")):
                taken = or_(*(when for when, e in view.edges("task") if (e.source, e.on, e.target) == edge))
                view.must(taken, "a retry that is no listed edge")


def start(view: View) -> None:
    for key, valid, before, after in view.touched((Kind.TASK,)):
        starts = and_(
            *(valid, before.there, after.there),
            is_in(before.cell, "status", T.PENDING),
            is_in(after.cell, "status", T.IN_PROGRESS),
        )
        if starts is False or not view.engine.decide(starts):
            continue
        view.must(
            isinstance(view.given, Wake) and flag(view.given, "executor"), "started without an executor"
        )
        view.must(num(raw(before.cell, "unmet")) == 0, "started with a dependency unmet")
        view.must(flag(before.cell, "due"), "started before it was due")
        spec = view.before((Kind.SPEC, key[1]))
        left = num(raw(before.cell, "tries")) < num(raw(spec, "max_attempts"))
        view.must(left, "started with no try left")
        counted = num(raw(after.cell, "tries")) == num(raw(before.cell, "tries")) + 1
        view.must(counted, "a try that was not counted")
        attempts = begun(view)
        own = len(attempts) == 1 and equal(attempts[0].key[1].owner, key[1])
        view.must(own, "in progress without an attempt")


def satisfied(view: View) -> None:
    """A link becomes met by a dependency that has completed, an optional one by any that ended; and no
    attempt of it is alive.
    """
    for key, valid, before, after in view.touched((Kind.LINK,)):
        new = and_(
            valid, after.there, flag(after.cell, "met"), not_(and_(before.there, flag(before.cell, "met")))
        )
        if new is False or not view.engine.decide(new):
            continue
        on = view.before((Kind.TASK, key[1]))
        view.must(on is not None, "met by a task that is not there")
        if on is not None:
            ended = is_in(on, "status", T.COMPLETED, T.FAILED, T.CANCELLED)
            done = is_in(on, "status", T.COMPLETED)
            enough = and_(ended, or_(done, not_(flag(after.cell, "required"))))
            view.must(enough, "met by a task that does not satisfy")
            view.must(not_(flag(on, "alive")), "met by a task with a living attempt")


def told(view: View) -> None:
    """The walk that tells dependents tells each whom the task satisfies; the walk that recalls them, all."""
    given = view.given
    if not isinstance(given, Handle) or given.key[1:2] not in ((FollowUp.TELL,), (FollowUp.RECALL,)):
        return
    here, task = view.before(given.key), view.before((Kind.TASK, given.key[2]))
    if view.change is None or here is None or task is None:
        return
    link = view.before((Kind.LINK, given.key[2], here.cursor))
    if link is None:
        return
    left = view.stands((Kind.LINK, given.key[2], here.cursor))
    met = and_(left.there, flag(left.cell, "met"))
    if given.key[1] == FollowUp.RECALL:
        view.must(not_(met), "a dependent still counts what is to be done again")
        return
    ended = is_in(task, "status", T.COMPLETED, T.FAILED, T.CANCELLED)
    enough = or_(is_in(task, "status", T.COMPLETED), not_(flag(link, "required")))
    told_of = and_(num(here.cursor) >= 1, ended, enough, not_(flag(task, "alive")))
    view.must(implies(told_of, met), "a dependent was not told")


def frozen(view: View) -> None:
    for kind in (Kind.POLICY, Kind.SPEC):
        for _, valid, before, after in view.touched((kind,)):
            same = equal(before.cell, after.cell)
            both = and_(valid, before.there, after.there)
            view.must(implies(both, same), "what a scope or a task was created with has changed")


def last_in_lane(view: View) -> None:
    """Who comes into a lane stands at its end, and nobody else changes place: links only close gaps."""
    last, first = [], []
    for _, valid, before, after in view.touched((Kind.WAITER,)):
        same = same_line(before.cell, after.cell)
        comes = and_(valid, after.there, not_(and_(before.there, same)))
        last.append(implies(comes, not_(there(raw(after.cell, "behind")))))
        stays = and_(valid, before.there, after.there, same)
        ahead = implies(not_(there(raw(before.cell, "before"))), not_(there(raw(after.cell, "before"))))
        first.append(implies(stays, ahead))
    if last:
        view.must(and_(*last), "a newcomer is not the last")
        view.must(and_(*first), "someone was put before the first")


def no_overtaking(view: View) -> None:
    """Who starts without having waited overtakes nobody who waits in a lane as urgent as its own, or more."""
    if isinstance(view.given, Wake):
        return
    for one in begun(view):
        scope, waits = raw(one.after.cell, "scope"), view.before((Kind.WAITER, one.key[1].owner))
        view.must(waits is None, "somebody started from a lane who was not woken")
        lanes = view.before((Kind.LANES, scope))
        for lane, word in facts_lanes.LANE.items() if lanes is not None else ():
            first = raw(lanes, f"first_{word}")
            for _ in view.named((Kind.WAITER, inner(first))):
                pass  # what is known of who waits there
            urgent = is_in(one.after.cell, "priority", *(p for p in Priority if p >= lane))
            view.must(not_(and_(urgent, there(first))), "somebody who did not wait overtook somebody who did")


def first_goes(view: View) -> None:
    """Whoever a wake starts came before all others of its lane, and no lane above it had anybody."""
    if not isinstance(view.given, Wake):
        return
    for one in begun(view):
        lanes, owner = view.before((Kind.LANES, view.given.scope)), one.key[1].owner
        waiter, place = view.before((Kind.WAITER, owner)), view.before((*facts_order.PLACE, owner))
        view.must(None not in (lanes, waiter, place), "somebody started who did not wait")
        if lanes is None or waiter is None or place is None:
            continue
        view.must(equal(waiter.scope, view.given.scope), "somebody started who waited elsewhere")
        above: Any = True
        chances = []
        for lane, word in facts_lanes.LANE.items():
            chances.append(and_(above, is_in(waiter, "priority", lane)))
            above = and_(above, not_(there(raw(lanes, f"first_{word}"))))
        view.must(or_(*chances), "somebody started while a more urgent lane had somebody")
        for other in (*_places(view), view.any(facts_order.PLACE)):
            waits = and_(other.valid, other.there, not_(equal(other.key[2], owner)))
            later = num(raw(other.cell, "at")) > num(raw(place, "at"))
            here = and_(waits, same_line(place, other.cell))
            view.must(implies(here, later), "somebody started who did not come first")


def _places(view: View) -> list[Known]:
    return [one for _, one in view.world.of(GHOST) if one.key[1] == facts_order.PLACE[1]]


CLAIMS: Final[tuple[Claim, ...]] = (
    Claim(
        "one attempt per task",
        "a task is alive iff one attempt of it lives, its newest; while it lives no other begins",
        cites="LIF-15b ACT-8a",
        checks=kept(facts.ALIVE),
    ),
    Claim(
        "ended tasks stay",
        "a status changes as LIF-1 says; completed, failed and cancelled are left by re-execution, in a "
        "new run",
        cites="LIF-1b LIF-1c LIF-8g LIF-9a LIF-9d",
        checks=(status,),
    ),
    Claim(
        "a retried failure is not seen",
        "a task that is retried goes from in_progress to pending in one write, by two listed edges, with a "
        "timer and a try left",
        cites="LIF-14e LIF-14f",
        checks=(retried,),
    ),
    Claim(
        "start",
        "a task starts only with all dependencies met, due, with an executor and a try left, and with "
        "its attempt",
        cites="LIF-3a LIF-3b LIF-3c LIF-3e LIF-6d LIF-15f ACT-2f",
        checks=(start,),
    ),
    Claim(
        "unmet counts links",
        "`unmet` is the number of dependencies not yet declared, not satisfied or not yet told",
        cites="LIF-3a LIF-4c",
        checks=kept(facts.UNMET),
    ),
    Claim(
        "met by what satisfies",
        "a link is met by completed, an optional one by any ended status, with no attempt alive; the walks "
        "over "
        "dependents meet each that is satisfied, and recall each",
        cites="LIF-4a LIF-4b LIF-4d LIF-19c",
        checks=(satisfied, told),
    ),
    Claim(
        "links have both ends",
        "a link's two tasks are there: a task with dependents or dependencies is not deleted",
        cites="LIF-20a",
        checks=kept(facts.LINKED),
    ),
    Claim(
        "declared once",
        "what a scope or a task was created with never changes",
        cites="DSP-4a DSP-14b",
        checks=(frozen,),
    ),
    Claim(
        "everyone waits in one line",
        "each queued request, and each task that is ready in a living scope, stands in exactly one lane, "
        "or, if "
        "its executor is not there, in the line for it; nobody else stands in any",
        cites="LIF-6e LIF-6f LIF-3g",
        checks=kept((*facts_lanes.WAITERS, *facts_lanes.WHO_WAITS, *facts_lanes.READY)),
    ),
    Claim(
        "waiting counts who waits",
        "`waiting` is the number of those who stand in the lanes of a scope",
        cites="LIF-6f",
        checks=kept(facts.WAITING),
    ),
    Claim(
        "first come first served",
        "a lane is the list of all that wait in it, in the order in which they came, and is no ring; who "
        "starts "
        "came before all others of the most urgent lane in which somebody waits, or overtakes nobody as "
        "urgent",
        cites="LIF-6a LIF-6b ACT-13e",
        checks=(last_in_lane, first_goes, no_overtaking, *kept(facts_order.ORDER)),
    ),
)
