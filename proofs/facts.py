"""The invariants of the kernel's cells: what a world is, before and after every step.

Families: how single cells look, which cells come together, lists, counters. Sentences and citations stand
with the claims that are made of them. Lines of waiters: facts_lanes.py; calls, locks, records and instances:
facts_work.py.
"""

# ruff: noqa: ARG001, ARG005 - every sentence is given both keys and both cells, and speaks of some

from typing import Any, Final

import z3  # type: ignore[import-untyped]

from dhruva.assume import GHOST
from dhruva.cells import EffectKind, FollowUp, Key, Kind, OwnerKind, ResourceKind
from dhruva.ids import TaskStatus
from dhruva.machines.attempt import AttemptState
from dhruva.machines.carrier import CarrierState
from dhruva.machines.effect import EffectState
from dhruva.machines.human_task import HumanTaskState
from dhruva.machines.request import RequestState
from dhruva.machines.resources import HandlerState, StreamState, WorkerState
from dhruva.machines.scope import ScopeState
from proofs.invariants import Count, Fit, Invariant, Pair, flag, is_in, num
from proofs.shapes import sym_ref
from proofs.values import Number, and_, constant, equal, formula, iff, implies, inner, not_, or_, raw, there

SCOPE, POLICY, LANES, WAITER = (Kind.SCOPE,), (Kind.POLICY,), (Kind.LANES,), (Kind.WAITER,)
CAP, REQUEST, ATTEMPT, RESOURCE = (Kind.CAP,), (Kind.REQUEST,), (Kind.ATTEMPT,), (Kind.RESOURCE,)
TASK, SPEC, LINK, EXECUTOR = (Kind.TASK,), (Kind.SPEC,), (Kind.LINK,), (Kind.EXECUTOR,)
DISPATCH, GROUP, COOPERATIVE = (Kind.DISPATCH,), (Kind.GROUP,), (Kind.COOPERATIVE,)
AGAIN: Final = (Kind.FOLLOW, FollowUp.ASK_AGAIN)
T: Final = TaskStatus

# How single cells look: a cell lives as long as its thing (ADR 9)

OF_RESOURCE: Final[dict[ResourceKind, tuple[Any, ...]]] = {
    ResourceKind.WORKER: (WorkerState.IDLE, WorkerState.RUNNING, WorkerState.TERMINATING),
    ResourceKind.HANDLER: (HandlerState.PENDING, HandlerState.RUNNING, HandlerState.CANCELLING),
    ResourceKind.STREAM: tuple(StreamState),  # one that was closed or aborted is kept, and says which
}
LIVING: Final[tuple[Invariant, ...]] = (
    Fit(ATTEMPT, lambda k, a: is_in(a, "state", AttemptState.RUNNING, AttemptState.ABORTING)),
    Fit(REQUEST, lambda k, r: is_in(r, "state", RequestState.QUEUED)),
    Fit(COOPERATIVE, lambda k, o: is_in(o, "state", CarrierState.IDLE)),
    Fit(
        (Kind.EFFECT,),
        lambda k, e: is_in(e, "state", EffectState.PENDING, EffectState.TAKEN, EffectState.INDETERMINATE),
    ),
    Fit((Kind.HUMAN,), lambda k, h: is_in(h, "state", HumanTaskState.PENDING, HumanTaskState.ASSIGNED)),
    Fit(
        RESOURCE,
        lambda k, r: and_(
            *(
                implies(is_in(r, "kind", kind), is_in(r, "state", *states))
                for kind, states in OF_RESOURCE.items()
            )
        ),
    ),
)


def _cell(kind: Kind, at: Any) -> Key:
    return (kind, at)


def _exists(of: tuple[Any, ...], kind: Kind, field: str | None = None) -> Pair:
    """The cell of this kind that a cell names, by a field or by its own id, is there."""
    return Pair(
        of,
        lambda k, a: (True, (kind, k[1] if field is None else raw(a, field))),
        lambda k, a, there_, _, b: there_,
    )


PAIRED: Final[tuple[Invariant, ...]] = (
    _exists(SCOPE, Kind.POLICY),
    _exists(POLICY, Kind.SCOPE),
    _exists(TASK, Kind.SPEC),
    _exists(SPEC, Kind.TASK),
    _exists(LANES, Kind.SCOPE),
    *(_exists(of, Kind.SCOPE, "scope") for of in (ATTEMPT, RESOURCE, REQUEST, SPEC, WAITER)),
    Pair(SCOPE, lambda k, s: (flag(s, "capped"), (Kind.CAP,)), lambda k, s, there_, _, cap: there_),
)

# Attempts and their tasks


def _ref_of(task: Any, id_: Any) -> Any:
    return sym_ref(id_, raw(task, "run"), raw(task, "number"))


def _knows(key: Key, _attempt: Any, there_: Any, _: Key, task: Any) -> Any:
    ref = key[1]
    return and_(
        there_,
        flag(task, "alive"),
        equal(raw(task, "run"), ref.run),
        equal(raw(task, "number"), ref.number),
    )


ALIVE: Final[tuple[Invariant, ...]] = (
    Fit(TASK, lambda k, t: implies(is_in(t, "status", T.PENDING), not_(flag(t, "alive")))),
    Fit(TASK, lambda k, t: implies(is_in(t, "status", T.IN_PROGRESS), flag(t, "alive"))),
    Pair(ATTEMPT, lambda k, a: (is_in(a, "kind", OwnerKind.TASK), (Kind.TASK, k[1].owner)), _knows),
    Pair(
        TASK,
        lambda k, t: (flag(t, "alive"), (Kind.ATTEMPT, _ref_of(t, k[1]))),
        lambda k, t, there_, _, a: and_(there_, is_in(a, "kind", OwnerKind.TASK)),
    ),
    Pair(
        ATTEMPT,
        lambda k, a: (is_in(a, "kind", OwnerKind.TASK), (Kind.SPEC, k[1].owner)),
        lambda k, a, there_, _, spec: and_(there_, equal(raw(spec, "scope"), raw(a, "scope"))),
    ),
)
REASONS: Final[tuple[Invariant, ...]] = (
    Fit(ATTEMPT, lambda k, a: iff(is_in(a, "state", AttemptState.ABORTING), there(raw(a, "reason")))),
)


# Lists


def link(of: tuple[Any, ...], field: str, back: str, same: tuple[str, ...]) -> Pair:
    """Who is named as a neighbour is there, and names this one back."""
    return Pair(
        of,
        lambda k, a: (there(raw(a, field)), (of[0], inner(raw(a, field)))),
        lambda k, a, there_, _, b: and_(
            there_, equal(raw(b, back), k[1]), *(equal(raw(a, f), raw(b, f)) for f in same)
        ),
    )


ATTEMPTS: Final[tuple[Invariant, ...]] = (
    link(ATTEMPT, "newer", "older", ("scope",)),
    link(ATTEMPT, "older", "newer", ("scope",)),
    Pair(
        ATTEMPT,
        lambda k, a: (True, (Kind.SCOPE, raw(a, "scope"))),
        lambda k, a, there_, _, s: iff(equal(raw(s, "newest"), k[1]), not_(there(raw(a, "newer")))),
    ),
    Pair(
        SCOPE,
        lambda k, s: (there(raw(s, "newest")), (Kind.ATTEMPT, inner(raw(s, "newest")))),
        lambda k, s, there_, _, a: and_(there_, equal(raw(a, "scope"), k[1]), not_(there(raw(a, "newer")))),
    ),
)

# Counters

ONE, NONE = constant(1), constant(0)


def _scope_of(key: Key, cell: Any) -> tuple[Key, Any]:
    return (Kind.SCOPE, raw(cell, "scope")), ONE


def _living_resource(key: Key, cell: Any) -> tuple[Key, Any]:

    over = is_in(cell, "state", StreamState.CLOSED, StreamState.ABORTED)
    return (Kind.SCOPE, raw(cell, "scope")), z3.If(formula(over), NONE, ONE)


def _in_lane(key: Key, cell: Any) -> tuple[Key, Any]:
    return (Kind.SCOPE, raw(cell, "scope")), z3.If(formula(there(raw(cell, "executor"))), NONE, ONE)


def _capped(key: Key, cell: Any) -> tuple[Key, Any]:
    return (Kind.CAP,), z3.If(formula(flag(cell, "capped")), num(raw(cell, "active")), NONE)


SLOTS: Final[tuple[Invariant, ...]] = (Count(SCOPE, lambda s: raw(s, "active"), {ATTEMPT: _scope_of}),)
LIVE: Final[tuple[Invariant, ...]] = (
    Count(
        SCOPE,
        lambda s: raw(s, "live"),
        {ATTEMPT: _scope_of, RESOURCE: _living_resource, REQUEST: _scope_of},
    ),
)
QUEUED: Final[tuple[Invariant, ...]] = (Count(SCOPE, lambda s: raw(s, "queued"), {REQUEST: _scope_of}),)
WAITING: Final[tuple[Invariant, ...]] = (Count(SCOPE, lambda s: raw(s, "waiting"), {WAITER: _in_lane}),)
OVERALL: Final[tuple[Invariant, ...]] = (Count(CAP, lambda c: raw(c, "active"), {SCOPE: _capped}),)


def _not_disposed(of: tuple[Any, ...]) -> Pair:
    """Nothing that is alive belongs to a scope that is disposed; a stream that has ended may be known yet."""

    def lives(_key: Key, one: Any) -> tuple[Any, Key]:
        over = of == RESOURCE and is_in(one, "state", StreamState.CLOSED, StreamState.ABORTED)
        return not_(over), (Kind.SCOPE, raw(one, "scope"))

    return Pair(of, lives, lambda k, a, there_, _, s: not_(is_in(s, "state", ScopeState.DISPOSED)))


DISPOSED: Final[tuple[Invariant, ...]] = (
    Fit(SCOPE, lambda k, s: implies(is_in(s, "state", ScopeState.DISPOSED), num(raw(s, "live")) == 0)),
    Fit(SCOPE, lambda k, s: implies(is_in(s, "state", ScopeState.DISPOSING), num(raw(s, "live")) > 0)),
    *(_not_disposed(of) for of in (ATTEMPT, REQUEST, RESOURCE)),
)
LIMITS: Final[tuple[Invariant, ...]] = (
    Pair(
        SCOPE,
        lambda k, s: (True, (Kind.POLICY, k[1])),
        lambda k, s, there_, _, p: num(raw(s, "active")) <= num(raw(p, "max_concurrent")),
    ),
    Fit(CAP, lambda k, c: num(raw(c, "active")) <= num(raw(c, "limit"))),
)

# Owners: an id is handed out once, and a number of an owner never comes twice (ACT-8)


def _never(of: tuple[Any, ...], when: Any, key: Any) -> Pair:
    """Where a cell is so, there is no cell of that key."""
    return Pair(of, lambda k, a: (when(a), key(k)), lambda k, a, there_, _, b: not_(there_))


def _one_off(attempt: Any) -> Any:
    return is_in(attempt, "kind", OwnerKind.REQUEST)


def _used(id_: Any) -> Key:
    return (GHOST, "used", id_)


def _as_used(of: tuple[Any, ...], id_: Any, kind: Any, holds: Any) -> Pair:
    """The id was handed out, for this kind of thing, and its newest number fits."""
    return Pair(
        of,
        lambda k, c: (True, _used(id_(k))),
        lambda k, c, there_, _, u: and_(there_, equal(raw(u, "kind"), kind(c)), holds(k, c, u)),
    )


def _still_to_come(k: Key, asks: Any, used: Any) -> Any:
    return num(raw(used, "last")) < num(raw(asks, "number"))


def _newest(k: Key, attempt: Any, used: Any) -> Any:
    return and_(num(raw(used, "last")) == num(k[1].number), equal(raw(used, "run"), k[1].run))


OWNERS: Final[tuple[Invariant, ...]] = (
    _as_used(
        TASK,
        lambda k: k[1],
        lambda t: OwnerKind.TASK,
        lambda k, t, u: num(raw(u, "last")) == num(raw(t, "number")),
    ),
    _as_used(SPEC, lambda k: k[1], lambda s: OwnerKind.TASK, lambda k, s, u: True),
    _as_used(REQUEST, lambda k: k[1], lambda r: OwnerKind.REQUEST, _still_to_come),
    _as_used(AGAIN, lambda k: k[2], lambda r: OwnerKind.REQUEST, _still_to_come),
    _as_used(ATTEMPT, lambda k: k[1].owner, lambda a: raw(a, "kind"), _newest),
    Fit(ATTEMPT, lambda k, a: implies(_one_off(a), equal(k[1].run, 1))),
    _never(ATTEMPT, _one_off, lambda k: (Kind.TASK, k[1].owner)),
    _never(ATTEMPT, _one_off, lambda k: (Kind.REQUEST, k[1].owner)),
    _never(ATTEMPT, _one_off, lambda k: (*AGAIN, k[1].owner)),
    _never(ATTEMPT, _one_off, lambda k: (Kind.WAITER, k[1].owner)),
    _never(REQUEST, lambda r: True, lambda k: (Kind.TASK, k[1])),
    _never(AGAIN, lambda r: True, lambda k: (Kind.TASK, k[2])),
    _never(AGAIN, lambda r: True, lambda k: (Kind.REQUEST, k[2])),
    _never(AGAIN, lambda r: True, lambda k: (Kind.WAITER, k[2])),
    _never(TASK, lambda t: not_(is_in(t, "status", T.PENDING)), lambda k: (Kind.WAITER, k[1])),
)

# What is numbered: no number is above its counter


def _up_to(of: tuple[Any, ...], field: str) -> tuple[Pair, Pair]:
    """What is numbered under a ref: not beyond what its attempt counts, and of no ref that is to come."""
    return (
        Pair(
            of,
            lambda k, c: (True, (Kind.ATTEMPT, k[OF_REF[of]])),
            lambda k, c, there_, _, a: implies(
                there_, and_(num(_number(k, of)) >= 1, num(_number(k, of)) <= num(raw(a, field)))
            ),
        ),
        Pair(
            of,
            lambda k, c: (True, _used(k[OF_REF[of]].owner)),
            lambda k, c, there_, _, u: and_(there_, num(k[OF_REF[of]].number) <= num(raw(u, "last"))),
        ),
    )


CALL: Final = (Kind.EFFECT, EffectKind.DISPATCH)
DELIVERY: Final = (Kind.DELIVERY,)
OF_REF: Final = {RESOURCE: 1, GROUP: 1, COOPERATIVE: 1, DELIVERY: 1, CALL: 2}


def _number(key: Key, of: tuple[Any, ...]) -> Any:
    return key[OF_REF[of] + 1]


def _within(_k: Key, counters: Any, there_: Any, _: Key, spec: Any) -> Any:
    """No run has dispatched more than its budget, or been retried deeper than it may (DSP-4, DSP-8)."""
    limits = (("spawned", "budget"), ("depth", "max_depth"))
    below = (or_(num(raw(counters, n)) == 0, num(raw(counters, n)) <= num(raw(spec, m))) for n, m in limits)
    return and_(there_, *below)


NUMBERED: Final[tuple[Invariant, ...]] = (
    Fit(ATTEMPT, lambda k, a: and_(num(raw(a, "resources")) >= 0, num(raw(a, "spawn")) >= 0)),
    Fit(DISPATCH, lambda k, d: and_(num(raw(d, "spawned")) >= 0, num(raw(d, "depth")) >= 0)),
    Pair(
        ATTEMPT,
        lambda k, a: (num(raw(a, "spawn")) > 0, (Kind.DISPATCH, k[1].owner)),
        lambda k, a, there_, _, d: and_(
            there_, equal(raw(d, "run"), k[1].run), num(raw(d, "spawned")) >= num(raw(a, "spawn"))
        ),
    ),
    Pair(DISPATCH, lambda k, d: (True, (Kind.SPEC, k[1])), _within),
    *_up_to(RESOURCE, "resources"),
    *(pair for of in (GROUP, COOPERATIVE, DELIVERY, CALL) for pair in _up_to(of, "spawn")),
)

# Links between tasks


def _unmet(key: Key, link: Any) -> tuple[Key, Any]:
    return (Kind.TASK, raw(link, "dependent")), z3.If(formula(flag(link, "met")), NONE, ONE)


LINKED: Final[tuple[Invariant, ...]] = (
    Fit(SPEC, lambda k, s: num(raw(s, "dependencies")) >= 0),
    Pair(
        LINK,
        lambda k, made: (True, (Kind.TASK, k[1])),
        lambda k, made, there_, _, t: and_(there_, num(k[2]) >= 1, num(k[2]) <= num(raw(t, "links"))),
    ),
    _exists(LINK, Kind.TASK, "dependent"),
    Pair(
        TASK,
        lambda k, t: (True, (Kind.SPEC, k[1])),
        lambda k, t, there_, _, s: num(raw(t, "dependencies")) <= num(raw(s, "dependencies")),
    ),
    Fit(TASK, lambda k, t: num(raw(t, "links")) >= 0),
    Count(
        TASK,
        lambda t: raw(t, "dependencies"),
        {LINK: lambda k, made: ((Kind.TASK, raw(made, "dependent")), ONE)},
    ),
    Count(TASK, lambda t: raw(t, "dependents"), {LINK: lambda k, made: ((Kind.TASK, k[1]), ONE)}),
)
UNMET: Final[tuple[Invariant, ...]] = (
    Count(
        TASK,
        lambda t: Number(num(raw(t, "unmet")) + num(raw(t, "dependencies")), "unmet"),
        {LINK: _unmet, SPEC: lambda k, s: ((Kind.TASK, k[1]), num(raw(s, "dependencies")))},
    ),
)
