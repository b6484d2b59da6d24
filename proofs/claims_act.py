"""Claims about scopes, attempts and what they hold (ACT)."""

from typing import Final

import z3  # type: ignore[import-untyped]

from dhruva.assume import GHOST
from dhruva.cells import FollowUp, Kind
from dhruva.effects import StartBody
from dhruva.inputs import (
    Abandon,
    Abort,
    AddHandler,
    AddStream,
    AddWorker,
    Admit,
    CommitCarrier,
    Dispose,
    Fail,
    Mount,
    Outcome,
    OwnerGone,
    Resume,
    Stopped,
    Succeed,
    Suspend,
)
from dhruva.machines.attempt import AttemptState
from dhruva.machines.scope import ScopeState
from proofs import facts
from proofs.claim import Claim, Touched, View
from proofs.invariants import is_in, kept, num
from proofs.values import and_, equal, iff, implies, not_, or_, raw

S: Final = ScopeState
OPEN: Final = (S.ATTACHED, S.RUNNING)


def begun(view: View) -> list[Touched]:
    """Attempts that begin with this step: each is looked at, and is one or is none."""
    return [
        one
        for one in view.touched((Kind.ATTEMPT,))
        if view.engine.decide(and_(one.valid, not_(one.before.there), one.after.there))
    ]


def total(view: View) -> None:
    """No exception on any path; what was refused wrote nothing, for a Refused has no writes."""
    view.must(view.path.raised is None, f"step raised {type(view.path.raised).__name__}")


def spawns(view: View) -> None:
    attempts = begun(view)
    for key, valid, before, after in view.touched((Kind.SCOPE,)):
        here = or_(*(equal(raw(a.after.cell, "scope"), key[1]) for a in attempts))
        grown = num(raw(after.cell, "spawned")) - num(raw(before.cell, "spawned"))
        counted = z3.If(z3.BoolVal(here) if isinstance(here, bool) else here, grown == 1, grown == 0)
        old = and_(valid, before.there)
        view.must(implies(old, counted), "spawned does not count the attempts")
        if here is not False and view.engine.decide(and_(old, here)):
            policy = view.before((Kind.POLICY, key[1]))
            most = num(raw(policy, "max_spawns"))
            view.must(num(raw(after.cell, "spawned")) <= most, "more attempts than the scope may ever have")


def cap(view: View) -> None:
    for _, valid, before, after in view.touched((Kind.CAP,)):
        same = num(raw(after.cell, "limit")) == num(raw(before.cell, "limit"))
        view.must(
            implies(and_(valid, before.there), and_(after.there, same)), "the cap was changed or forgotten"
        )


def gate(view: View) -> None:
    created, started = begun(view), list(view.effects(StartBody))
    view.must(len(created) == len(started) <= 1, "bodies started and attempts committed differ")
    for one in created:
        key = (Kind.SCOPE, raw(one.after.cell, "scope"))
        scope, left = view.before(key), view.after(key)
        view.must(scope is not None and is_in(scope, "state", *OPEN), "began in a scope that is not open")
        view.must(left is not None and is_in(left, "state", S.RUNNING), "the scope is not RUNNING then")
        view.must(equal(started[0].ref, one.key[1]), "the body that starts is not the attempt's")
        view.must(is_in(one.after.cell, "state", AttemptState.RUNNING), "an attempt begins otherwise")


def fresh_ref(view: View) -> None:
    """Against the ghost that remembers the greatest number ever given out to an owner."""
    for one in begun(view):
        used = view.before((GHOST, "used", one.key[1].owner))
        new = True if used is None else num(one.key[1].number) > num(used.last)
        view.must(new, "the ref of a new attempt is not new")
        view.must(implies(used is None, num(one.key[1].number) >= 1), "the first number is not above 0")
    for _, valid, before, after in view.touched((Kind.TASK,)):
        grows = and_(
            num(raw(after.cell, "number")) >= num(raw(before.cell, "number")),
            num(raw(after.cell, "run")) >= num(raw(before.cell, "run")),
        )
        view.must(implies(and_(valid, before.there, after.there), grows), "a number or a run went back")


OF_ATTEMPT: Final = (
    *(Succeed, Fail, Abort, Stopped, OwnerGone, Abandon),
    *(AddWorker, AddHandler, AddStream, Admit, Outcome, CommitCarrier),
)
ENDS: Final = (Succeed, Fail, Stopped, OwnerGone, Abandon, Admit, Outcome)


def dead_ref(view: View) -> None:
    if isinstance(view.given, OF_ATTEMPT) and view.before((Kind.ATTEMPT, view.given.ref)) is None:
        view.must(view.change is None, "an event under a dead ref changed something")


def ends(view: View) -> None:
    """Only the end of its own body, the proof that its owner is gone, or an operator ends an attempt."""
    for key, valid, before, after in view.touched((Kind.ATTEMPT,)):
        ended = and_(valid, before.there, not_(after.there))
        own = isinstance(view.given, ENDS) and equal(key[1], view.given.ref)
        view.must(implies(ended, own), "an attempt ended by what is no end of its body")
        aborting = is_in(before.cell, "state", AttemptState.ABORTING)
        stays = is_in(after.cell, "state", AttemptState.ABORTING)
        lives = and_(valid, before.there, after.there)
        view.must(implies(and_(lives, aborting), stays), "an attempt that was asked to end runs again")
        same = and_(*(equal(raw(before.cell, f), raw(after.cell, f)) for f in ("kind", "scope", "process")))
        view.must(implies(lives, same), "an attempt changed what it is")


R: Final = AttemptState.RUNNING
A: Final = AttemptState.ABORTING
WAYS: Final[dict[str, dict[AttemptState, AttemptState]]] = {
    "succeed": {R: AttemptState.SUCCEEDED, A: AttemptState.ABORTED},
    "error": {R: AttemptState.FAILED, A: AttemptState.ABORTED},
    "stopped": {A: AttemptState.ABORTED},
    "abort": {R: A, A: A},
    "owner_gone": {R: AttemptState.ABORTED, A: AttemptState.ABORTED},
    "abandon": {R: AttemptState.ABANDONED, A: AttemptState.ABANDONED},
}
"""How an attempt goes on from a state on an event, as ACT-16 says: its task is settled by it."""


def ways(view: View) -> None:
    for when, edge in view.edges("attempt"):
        if edge.source is not None:
            ways_ = WAYS[edge.on].items()
            so = or_(*(and_(equal(edge.source, old), equal(edge.target, new)) for old, new in ways_))
            view.must(implies(when, so), "an attempt ended otherwise than what was observed of it says")


MOVES: Final[dict[ScopeState, tuple[ScopeState, ...]]] = {
    S.INIT: (S.INIT, S.ATTACHED, S.DISPOSING, S.DISPOSED),
    S.ATTACHED: (S.ATTACHED, S.RUNNING, S.SUSPENDED, S.DISPOSING, S.DISPOSED),
    S.RUNNING: (S.RUNNING, S.SUSPENDED, S.DISPOSING, S.DISPOSED),
    S.SUSPENDED: (S.SUSPENDED, S.RUNNING, S.DISPOSING, S.DISPOSED),
    S.DISPOSING: (S.DISPOSING, S.DISPOSED),
    S.DISPOSED: (S.DISPOSED,),
}
"""What one step may do to a scope: dispose and drained may come in one (ACT-5)."""


def scope_moves(view: View) -> None:
    for _, valid, before, after in view.touched((Kind.SCOPE,)):
        view.must(implies(and_(valid, before.there), after.there), "a scope was forgotten")
        begins = is_in(after.cell, "state", S.INIT, S.ATTACHED)
        view.must(implies(and_(valid, not_(before.there), after.there), begins), "a scope begins otherwise")
        for old, allowed in MOVES.items():
            goes = is_in(after.cell, "state", *allowed)
            here = and_(valid, before.there, is_in(before.cell, "state", old))
            view.must(implies(here, goes), f"a scope left {old} for a state that ACT-5 does not name")
        straight = is_in(before.cell, "state", S.INIT, *OPEN, S.SUSPENDED)
        ended = is_in(after.cell, "state", S.DISPOSED, S.DISPOSING)
        asked = isinstance(view.given, Dispose)
        view.must(implies(and_(valid, before.there, straight, ended), asked), "disposed without a dispose")


LEFT: Final[dict[type, tuple[ScopeState, ...]]] = {
    Mount: (S.ATTACHED,),
    Suspend: (S.SUSPENDED,),
    Resume: (S.RUNNING,),
    Dispose: (S.DISPOSING, S.DISPOSED),
}


def scope_left(view: View) -> None:
    """Each input leaves its scope where ACT-5 says, and wakes who waits in it where it opens."""
    states = LEFT.get(type(view.given))
    if states is None or view.change is None:
        return
    scope = view.stands((Kind.SCOPE, view.given.scope))
    view.must(and_(scope.there, is_in(scope.cell, "state", *states)), "a scope is left in another state")
    if isinstance(view.given, Mount | Resume):
        woken = view.stands((Kind.FOLLOW, FollowUp.WAKE, view.given.scope))
        waits = num(raw(scope.cell, "waiting")) > 0
        view.must(implies(waits, woken.there), "who waits in a scope that opened is not woken")


def resources(view: View) -> None:
    for one in view.touched((Kind.RESOURCE,)):
        if not view.engine.decide(and_(one.valid, not_(one.before.there), one.after.there)):
            continue
        attempt = view.before((Kind.ATTEMPT, one.key[1]))
        view.must(attempt is not None, "a worker, handler or stream of no attempt")
        if attempt is None:
            continue
        view.must(is_in(attempt, "state", AttemptState.RUNNING), "added to an attempt that is to end")
        scope = view.before((Kind.SCOPE, raw(attempt, "scope")))
        view.must(scope is not None and is_in(scope, "state", *OPEN), "added in a scope that is not open")
        view.must(equal(raw(one.after.cell, "scope"), raw(attempt, "scope")), "counted in another scope")


def rejected(view: View) -> None:
    """The slots of a scope grow with commits alone, one at a time."""
    for _, valid, before, after in view.touched((Kind.SCOPE,)):
        grown = num(raw(after.cell, "active")) - num(raw(before.cell, "active"))
        view.must(implies(and_(valid, before.there), grown <= 1), "more than one slot taken in a step")
        new = iff(grown == 1, num(raw(after.cell, "spawned")) == num(raw(before.cell, "spawned")) + 1)
        view.must(implies(and_(valid, before.there), new), "a slot without a commit")


CLAIMS: Final[tuple[Claim, ...]] = (
    Claim(
        "total",
        "step answers with a Change or a Refused and raises nothing, for every input in every world of "
        "well-typed "
        "cells, whether it meets any invariant or not",
        cites="ACT-4b ACT-5k",
        checks=(total,),
        anywhere=True,
    ),
    Claim(
        "slots are living attempts",
        "the slots that a scope counts are its attempts that are running or aborting",
        cites="ACT-2d ACT-7b ACT-16b LIF-7 LIF-8d",
        checks=(*kept(facts.SLOTS), rejected),
    ),
    Claim(
        "slots within the limit",
        "a scope never holds more slots than it may have",
        cites="ACT-2d ACT-13a LIF-7",
        checks=kept(facts.LIMITS[:1]),
    ),
    Claim(
        "slots within the cap",
        "the cap over all scopes counts the slots of those under it, never more than its fixed limit",
        cites="ACT-13a",
        checks=(*kept(facts.OVERALL), *kept(facts.LIMITS[1:]), cap),
    ),
    Claim(
        "live counts what is alive",
        "`live` is the number of attempts, resources and queued requests that have not ended",
        cites="ACT-11e ACT-16c",
        checks=kept((*facts.LIVE, *facts.QUEUED)),
    ),
    Claim(
        "disposed means nothing alive",
        "a DISPOSED scope has nothing alive, and a DISPOSING one has something that it waits for",
        cites="ACT-5h ACT-11a ACT-11e",
        checks=kept(facts.DISPOSED),
    ),
    Claim(
        "spawns within the limit",
        "spawned counts the attempts committed, retries included, and a commit never takes it past the limit",
        cites="ACT-13b",
        checks=(spawns,),
    ),
    Claim(
        "one gate",
        "an attempt begins only in a scope that is ATTACHED or RUNNING, which is RUNNING then, with its "
        "one body",
        cites="ACT-1c ACT-6a ACT-6c ACT-7a ACT-7c ACT-7e ACT-12a",
        checks=(gate,),
    ),
    Claim(
        "a ref is new",
        "the number of a new attempt is above all that its owner ever had, task or one-off request",
        cites="ACT-7b ACT-8a ACT-10b ACT-16e",
        checks=(fresh_ref, *kept(facts.OWNERS)),
    ),
    Claim(
        "a dead ref changes nothing",
        "an event of an attempt that does not live is refused",
        cites="ACT-8b",
        checks=(dead_ref,),
    ),
    Claim(
        "a slot is held to the end",
        "an attempt ends by an event of its own that ends the body, as that event says, and one asked to "
        "end never "
        "runs again",
        cites="ACT-16b LIF-8d",
        checks=(ends, ways, *kept(facts.REASONS)),
    ),
    Claim(
        "a scope goes one way",
        "a scope moves as ACT-5 says, is never forgotten, is disposed by a dispose, and wakes who waits as "
        "it opens",
        cites="ACT-5i ACT-5j ACT-11a ACT-11c",
        checks=(scope_moves, scope_left),
    ),
    Claim(
        "resources of a running attempt",
        "a worker, handler or stream begins only in a running attempt of an open scope",
        cites="ACT-9a ACT-9c",
        checks=(resources,),
    ),
)
