"""Claims about tasks: their status, their attempts, what they wait for and where (LIF)."""

from typing import Any, Final

from dhruva.cells import FollowUp, Kind
from dhruva.ids import TaskStatus
from dhruva.inputs import Handle, Wake
from dhruva.machines.scope import ScopeState
from proofs import facts, facts_lanes
from proofs.claim import Claim, View
from proofs.claims_act import begun
from proofs.invariants import flag, is_in, kept, num
from proofs.values import and_, equal, implies, not_, or_, raw, there

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
    for key, valid, before, after in view.touched((Kind.TASK,)):
        both = and_(valid, before.there, after.there)
        runs = num(raw(after.cell, "run")) - num(raw(before.cell, "run"))
        same_run = runs == 0
        again = and_(
            reset and equal(key[1], view.given.key[2]),
            is_in(before.cell, "status", T.COMPLETED, T.FAILED, T.CANCELLED),
            is_in(after.cell, "status", T.PENDING),
            runs == 1,
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


def frozen(view: View) -> None:
    for kind in (Kind.POLICY, Kind.SPEC):
        for _, valid, before, after in view.touched((kind,)):
            same = equal(before.cell, after.cell)
            both = and_(valid, before.there, after.there)
            view.must(implies(both, same), "what a scope or a task was created with has changed")


def last_in_lane(view: View) -> None:
    """Who comes into a lane stands at its end, and nobody else changes place: links only close gaps."""
    for _, valid, before, after in view.touched((Kind.WAITER,)):
        comes = and_(valid, after.there, not_(and_(before.there, _same_line(before.cell, after.cell))))
        view.must(implies(comes, not_(there(raw(after.cell, "behind")))), "a newcomer is not the last")
        stays = and_(valid, before.there, after.there, _same_line(before.cell, after.cell))
        ahead = implies(not_(there(raw(before.cell, "before"))), not_(there(raw(after.cell, "before"))))
        view.must(implies(stays, ahead), "someone was put before the first")


def _same_line(one: Any, other: Any) -> Any:
    return and_(*(equal(raw(one, f), raw(other, f)) for f in ("scope", "priority", "executor")))


def first_goes(view: View) -> None:
    """Of those who wait in a lane, a step lets the first go: whoever it starts was first in a lane of its
    scope, and no lane above it had anybody.
    """
    if not isinstance(view.given, Wake) or not begun(view):
        return
    lanes = view.before((Kind.LANES, view.given.scope))
    (one,) = begun(view)
    view.must(lanes is not None, "somebody started who did not wait")
    if lanes is not None:
        above: Any = True
        chances = []
        for lane in facts_lanes.LANE.values():
            first = raw(lanes, f"first_{lane}")
            chances.append(and_(above, equal(first, one.key[1].owner)))
            above = and_(above, not_(there(first)))
        view.must(or_(*chances), "somebody started who was not first")


def ready_waits(view: View) -> None:
    """A task of this step that is ready waits somewhere, in a scope that is alive."""
    for key, valid, _, after in view.touched((Kind.TASK,)):
        ready = and_(
            *(valid, after.there),
            is_in(after.cell, "status", T.PENDING),
            num(raw(after.cell, "unmet")) == 0,
            flag(after.cell, "due"),
        )
        if ready is False or not view.engine.decide(ready):
            continue
        spec = view.after((Kind.SPEC, key[1]))
        scope = None if spec is None else view.after((Kind.SCOPE, raw(spec, "scope")))
        alive = scope is not None and not_(is_in(scope, "state", ScopeState.DISPOSING, ScopeState.DISPOSED))
        waiter = view.stands((Kind.WAITER, key[1]))
        was = view.before((Kind.WAITER, key[1])) is not None
        view.must(
            implies(alive, or_(waiter.there, _was_not_ready(view, key, was))), "a ready task waits nowhere"
        )


def _was_not_ready(view: View, key: Any, was: bool) -> Any:
    """Induction: a task that was ready before and did not wait is somebody else's step."""
    task = view.before((Kind.TASK, key[1]))
    if task is None or was:
        return False
    return and_(is_in(task, "status", T.PENDING), num(raw(task, "unmet")) == 0, flag(task, "due"))


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
        "a link is met by completed, an optional one by any ended status, with no attempt alive",
        cites="LIF-4a LIF-4b LIF-4d LIF-19c",
        checks=(satisfied,),
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
        "each queued request and each waiting task stands in exactly one lane or line, linked both ways, "
        "and a ready task waits",
        cites="LIF-6e LIF-6f LIF-3g",
        checks=(*kept((*facts_lanes.WAITERS, *facts_lanes.WHO_WAITS)), ready_waits),
    ),
    Claim(
        "waiting counts who waits",
        "`waiting` is the number of those who stand in the lanes of a scope",
        cites="LIF-6f",
        checks=kept(facts.WAITING),
    ),
    Claim(
        "first come first served",
        "who comes into a lane stands behind all, and a step starts the first of the most urgent lane",
        cites="LIF-6a LIF-6b ACT-13e",
        checks=(last_in_lane, first_goes),
    ),
)
