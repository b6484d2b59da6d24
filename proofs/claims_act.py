"""Claims about scopes, attempts and what they hold (ACT)."""

from typing import Any, Final

import z3  # type: ignore[import-untyped]

from dhruva.cells import Kind, OwnerKind
from dhruva.effects import StartBody
from dhruva.ids import TaskStatus
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
    Outcome,
    OwnerGone,
    Stopped,
    Succeed,
)
from dhruva.machines.attempt import AttemptState
from dhruva.machines.scope import ScopeState
from proofs.claim import Claim, View, one, term
from proofs.lists import same
from proofs.values import LazyEnum

S: Final = ScopeState
OPEN: Final = ("ATTACHED", "RUNNING")


def among(value: Any, members: tuple[Any, ...]) -> bool:
    """Whether an enum field is one of these: one decision."""
    return value.among(members) if isinstance(value, LazyEnum) else value in members


def total(view: View) -> None:
    """No exception on any path; what was refused wrote nothing, for a Refused has no writes."""
    view.must(view.path.raised is None, f"step raised {view.path.raised!r}")


def _scopes(view: View) -> list[Any]:
    """The ids of all scopes that a written cell is, was or is now of."""
    ids = [w.key[1] for w in view.writes(Kind.SCOPE)]
    for write in view.writes(Kind.ATTEMPT):
        if write.before is None or write.after is None or not same(write.before.scope, write.after.scope):
            ids += [cell.scope for cell in (write.before, write.after) if cell is not None]
    return list({term(id_).get_id(): id_ for id_ in ids}.values())


def _of(cell: Any, scope: Any) -> Any:
    return one(False) if cell is None else one(term(cell.scope) == term(scope))


def _grown(view: View, scope: Any, field: str) -> Any:
    """By how much a counter of this scope has changed."""
    grown = [
        z3.If(
            term(w.key[1]) == term(scope),
            term(getattr(w.after, field)) - (0 if w.before is None else term(getattr(w.before, field))),
            0,
        )
        for w in view.writes(Kind.SCOPE)
    ]
    return z3.Sum(*grown, z3.IntVal(0))


def slots(view: View) -> None:
    for scope in _scopes(view):
        counted = [
            _of(w.after, scope) - _of(w.before, scope)
            for w in view.writes(Kind.ATTEMPT)
            if w.before is None or w.after is None or not same(w.before.scope, w.after.scope)
        ]
        view.must(
            _grown(view, scope, "active") == z3.Sum(*counted, z3.IntVal(0)),
            "the slots held did not change with the living attempts",
        )


def within(view: View) -> None:
    for write in view.writes(Kind.SCOPE):
        if write.before is not None and not _took(write):
            continue
        policy = view.after((Kind.POLICY, write.key[1]))
        if policy is not None:
            most = term(policy.max_concurrent)
            view.must(term(write.after.active) <= most, "more slots are held than the scope may have")


def _took(write: Any) -> bool:
    """Whether a slot was taken. Keeping as many, or giving one back, keeps any bound."""
    grown = z3.simplify(term(write.after.active) - term(write.before.active))
    return not (grown.eq(z3.IntVal(-1)) or grown.eq(z3.IntVal(0)))


def spawns(view: View) -> None:
    for write in view.writes(Kind.SCOPE):
        if write.before is None:
            continue
        grown = z3.simplify(term(write.after.spawned) - term(write.before.spawned))
        created = [w for w in view.writes(Kind.ATTEMPT) if w.before is None and w.after is not None]
        view.must(z3.Or(grown == 0, z3.And(grown == 1, z3.BoolVal(len(created) == 1))), "spawned miscounted")
        if not grown.eq(z3.IntVal(0)):
            policy = view.before((Kind.POLICY, write.key[1]))
            most = term(policy.max_spawns)
            view.must(term(write.after.spawned) <= most, "more attempts are spawned than the scope may have")


def cap(view: View) -> None:
    for write in view.writes(Kind.CAP):
        if write.before is None:
            view.must(term(write.after.active) == 0, "a new cap counts slots")
            continue
        view.must(term(write.after.limit) == term(write.before.limit), "the cap's limit changed")
        grown = z3.simplify(term(write.after.active) - term(write.before.active))
        if not grown.eq(z3.IntVal(-1)):
            fits = term(write.after.active) <= term(write.after.limit)
            view.must(z3.Or(grown == 0, fits), "more slots are held than the cap allows")


def gate(view: View) -> None:
    created = [w for w in view.writes(Kind.ATTEMPT) if w.before is None and w.after is not None]
    started = [] if view.change is None else [e for e in view.change.effects if isinstance(e, StartBody)]
    view.must(len(created) == len(started) <= 1, "bodies started and attempts committed differ")
    for write in created:
        key = (Kind.SCOPE, write.after.scope)
        scope, left = view.before(key), view.after(key)
        view.must(
            scope is not None and among(scope.state, OPEN), "an attempt began in a scope that is not open"
        )
        view.must(among(left.state, ("RUNNING",)), "the scope of a new attempt is not RUNNING")
        view.must(started[0].ref == write.key[1], "the body that starts is not the attempt's")


def fresh_ref(view: View) -> None:
    for write in view.writes(Kind.TASK):
        if write.before is None or write.after is None:
            continue
        view.must(
            z3.And(
                term(write.after.number) >= term(write.before.number),
                term(write.after.run) >= term(write.before.run),
            ),
            "a number or a run of a task went back",
        )
    for write in view.writes(Kind.ATTEMPT):
        if write.before is None and among(write.after.kind, (OwnerKind.TASK,)):
            ref = write.key[1]
            task, left = view.before((Kind.TASK, ref.owner)), view.after((Kind.TASK, ref.owner))
            view.must(term(ref.number) > term(task.number), "the ref of a new attempt is not new")
            view.must(term(left.number) == term(ref.number), "the task does not count its new attempt")


OF_ATTEMPT: Final = (
    Succeed,
    Fail,
    Abort,
    Stopped,
    OwnerGone,
    Abandon,
    AddWorker,
    AddHandler,
    AddStream,
    Admit,
    Outcome,
    CommitCarrier,
)


def dead_ref(view: View) -> None:
    if isinstance(view.given, OF_ATTEMPT) and view.before((Kind.ATTEMPT, view.given.ref)) is None:
        view.must(view.change is None, "an event under a dead ref changed something")


def ends(view: View) -> None:
    """What leaves an attempt alone: its identity; and only the end of the body, gone or abandoned,
    removes it.
    """
    ending = (Succeed, Fail, Stopped, OwnerGone, Abandon, Admit, Outcome)
    for write in view.writes(Kind.ATTEMPT):
        if write.before is not None and write.after is None:
            view.must(
                isinstance(view.given, ending), "an attempt ended by something that is no end of its body"
            )
            view.must(write.key[1] == view.given.ref, "an attempt ended by an event of another")
        elif write.before is not None:
            aborting = among(write.before.state, (AttemptState.ABORTING,))
            stays = not aborting or among(write.after.state, (AttemptState.ABORTING,))
            view.must(stays, "an attempt that was asked to end runs again")


def scope_moves(view: View) -> None:
    for write in view.writes(Kind.SCOPE):
        view.must(write.after is not None, "a scope was forgotten")
        if write.before is None:
            view.must(among(write.after.state, (S.INIT, S.ATTACHED)), "a scope begins otherwise")
            continue
        old = write.before.state.member()
        if among(write.after.state, (S.DISPOSED,)):
            view.must(old in (*OPEN, S.INIT, S.SUSPENDED, S.DISPOSING, S.DISPOSED), "disposed from nowhere")
            if old != S.DISPOSED:
                view.must(term(write.after.live) == 0, "DISPOSED while something is alive")
                view.must(old == S.DISPOSING or isinstance(view.given, Dispose), "DISPOSED without a dispose")
        allowed = MOVES[old]
        view.must(
            among(write.after.state, allowed), f"a scope left {old} for a state that ACT-5 does not name"
        )


MOVES: Final[dict[ScopeState, tuple[ScopeState, ...]]] = {
    S.INIT: (S.INIT, S.ATTACHED, S.DISPOSING, S.DISPOSED),
    S.ATTACHED: (S.ATTACHED, S.RUNNING, S.SUSPENDED, S.DISPOSING, S.DISPOSED),
    S.RUNNING: (S.RUNNING, S.SUSPENDED, S.DISPOSING, S.DISPOSED),
    S.SUSPENDED: (S.SUSPENDED, S.RUNNING, S.DISPOSING, S.DISPOSED),
    S.DISPOSING: (S.DISPOSING, S.DISPOSED),
    S.DISPOSED: (S.DISPOSED,),
}


def resources(view: View) -> None:
    for write in view.writes(Kind.RESOURCE):
        if write.before is not None:
            continue
        attempt = view.before((Kind.ATTEMPT, write.key[1]))
        view.must(attempt is not None, "a worker, handler or stream of no attempt")
        view.must(among(attempt.state, (AttemptState.RUNNING,)), "added to an attempt that is to end")
        scope = view.before((Kind.SCOPE, attempt.scope))
        view.must(scope is not None and among(scope.state, OPEN), "added in a scope that is not open")
        view.must(term(write.key[2]) == term(attempt.resources) + 1, "its number is not the next one")


def _knows(task: Any, ref: Any) -> Any:
    """The task is alive, and this attempt is its newest."""
    if task is None or not bool(task.alive):
        return False
    return z3.And(term(task.run) == term(ref.run), term(task.number) == term(ref.number))


def alive(view: View) -> None:
    """A helper: what proofs.symbolic supposes of the task of a living attempt."""
    attempts = list(view.writes(Kind.ATTEMPT))
    for write in view.writes(Kind.TASK):
        if write.before is not None and among(write.before.status, (TaskStatus.PENDING,)):
            view.suppose(not bool(write.before.alive))
    for write in attempts:
        if write.before is not None and among(write.before.kind, (OwnerKind.TASK,)):
            view.suppose(_knows(view.before((Kind.TASK, write.key[1].owner)), write.key[1]))
    for write in attempts:
        if write.after is not None and among(write.after.kind, (OwnerKind.TASK,)):
            known = _knows(view.after((Kind.TASK, write.key[1].owner)), write.key[1])
            view.must(known, "a living attempt that its task does not know")
    for write in view.writes(Kind.TASK):
        if write.after is not None:
            waits = among(write.after.status, (TaskStatus.PENDING,))
            view.must(not (waits and bool(write.after.alive)), "a pending task with a living attempt")
        if write.before is not None and bool(write.before.alive):
            _stays_alive(view, write)


def _stays_alive(view: View, write: Any) -> None:
    """While an attempt of it lives, a task keeps its run and number; it is no longer alive when that
    one ended.
    """
    if write.after is not None and bool(write.after.alive):
        runs = term(write.after.run) == term(write.before.run)
        numbers = term(write.after.number) == term(write.before.number)
        view.must(z3.And(runs, numbers), "a task with a living attempt begins another")
    else:
        gone = [w for w in view.writes(Kind.ATTEMPT) if w.after is None and w.key[1].owner == write.key[1]]
        view.must(bool(gone), "a task is no longer alive, and no attempt of it ended")


CLAIMS: Final = (
    Claim(
        "total",
        "step answers with a Change or a Refused and raises nothing, for every input in every well-"
        "formed world",
        cites="ACT-4b ACT-5k",
        check=total,
    ),
    Claim(
        "slots are living attempts",
        "the slots that a scope counts change by exactly as much as its living attempts",
        cites="ACT-2d ACT-16b LIF-7",
        check=slots,
    ),
    Claim(
        "slots within the limit",
        "a scope that holds no more slots than it may never comes to hold more",
        cites="ACT-2d ACT-13a LIF-7",
        check=within,
    ),
    Claim(
        "spawns within the limit",
        "spawned counts the attempts committed, retries included, and a commit never takes it past the limit",
        cites="ACT-13b",
        check=spawns,
    ),
    Claim(
        "slots within the cap",
        "no slot is taken under the cap over all scopes that is full, and its limit never changes",
        cites="ACT-13a",
        check=cap,
    ),
    Claim(
        "one gate",
        "an attempt begins only in a scope that is ATTACHED or RUNNING, which is RUNNING then, with its "
        "one body",
        cites="ACT-1c ACT-6a ACT-6c ACT-7a ACT-7c ACT-7e",
        check=gate,
    ),
    Claim(
        "a ref is new",
        "numbers and runs of a task never go back, and the attempt that it commits has a number above "
        "all before",
        cites="ACT-7b ACT-8a ACT-10b",
        check=fresh_ref,
    ),
    Claim(
        "a dead ref changes nothing",
        "an event of an attempt that does not live is refused",
        cites="ACT-8b",
        check=dead_ref,
    ),
    Claim(
        "a slot is held to the end",
        "an attempt ends by an event of its own that ends the body, and one asked to end never runs again",
        cites="ACT-16b",
        check=ends,
    ),
    Claim(
        "a scope goes one way",
        "a scope moves as ACT-5 says, is DISPOSED only with nothing alive, and then stays",
        cites="ACT-5h ACT-5j ACT-11a",
        check=scope_moves,
    ),
    Claim(
        "resources of a running attempt",
        "a worker, handler or stream begins only in a running attempt of an open scope, under the next "
        "number",
        cites="ACT-9a ACT-9c",
        check=resources,
    ),
    Claim(
        "one attempt per task",
        "a living attempt of a task is its newest and the task is alive; while it lives no other begins",
        cites="LIF-15b ACT-8a",
        check=alive,
    ),
)
