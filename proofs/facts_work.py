"""Invariants of calls, locks, records and workflow instances, with the ghosts that they speak of."""

# ruff: noqa: ARG005 - every sentence is given both keys and both cells, and speaks of some

from typing import Any, Final

from dhruva.assume import GHOST
from dhruva.cells import EffectKind, Key, Kind
from dhruva.ids import TaskStatus
from dhruva.limits import PROGRESS_MAX_MILLI
from dhruva.machines.carrier import CarrierState
from dhruva.machines.effect import EffectState
from dhruva.machines.instance import InstanceState
from dhruva.machines.lock import LockState
from dhruva.machines.release import ReleasePolicy
from proofs.facts import CALL, COOPERATIVE, DELIVERY, GROUP, TASK
from proofs.invariants import Both, Count, Fit, Invariant, Pair, flag, is_in, num
from proofs.values import and_, constant, equal, iff, implies, inner, not_, or_, raw, there

T: Final = TaskStatus
C: Final = CarrierState

# Calls


def _under_way(effect: Any) -> Any:
    return is_in(effect, "state", EffectState.PENDING, EffectState.TAKEN)


PRIMARIES: Final[tuple[Invariant, ...]] = (
    Pair(
        GROUP,
        lambda k, g: (True, (Kind.ATTEMPT, k[1])),
        lambda k, g, there_, _, a: implies(there_, equal(k[2], raw(a, "spawn"))),
    ),
    Both(GROUP, lambda k, g, o, h: implies(equal(k[1], o[1]), equal(k[2], o[2]))),
    Count(
        GROUP,
        lambda g: raw(g, "idle"),
        {COOPERATIVE: lambda k, o: ((Kind.GROUP, k[1], k[2]), constant(1))},
    ),
    Fit(GROUP, lambda k, g: implies(is_in(g, "state", C.COMMITTED, C.VOID), num(raw(g, "idle")) == 0)),
)
"""An attempt has at most one primary at a time, its newest, and no cooperative once that has committed."""
CALLS: Final[tuple[Invariant, ...]] = (
    Pair(
        CALL,
        lambda k, e: (_under_way(e), (Kind.GROUP, k[2], k[3])),
        lambda k, e, there_, _, g: and_(there_, is_in(g, "state", C.COMMITTED)),
    ),
    Pair(
        GROUP,
        lambda k, g: (is_in(g, "state", C.COMMITTED), (*CALL, k[1], k[2])),
        lambda k, g, there_, _, e: and_(there_, _under_way(e)),
    ),
    Pair(
        GROUP,
        lambda k, g: (is_in(g, "state", C.IDLE, C.WITHDRAWN), (*CALL, k[1], k[2])),
        lambda k, g, there_, _, e: not_(there_),
    ),
)
DONE: Final = (GHOST, "performed", EffectKind.DISPATCH)
PERFORMED: Final[tuple[Invariant, ...]] = (
    Fit((Kind.EFFECT, EffectKind.RUN_SLICE), lambda k, e: flag(e, "idempotent")),
    Pair(
        DONE,
        lambda k, d: (True, (*CALL, *k[3:])),
        lambda k, d, there_, _, e: implies(
            there_, or_(flag(e, "idempotent"), not_(is_in(e, "state", EffectState.PENDING)))
        ),
    ),
    Pair(
        DONE,
        lambda k, d: (True, (Kind.GROUP, *k[3:])),
        lambda k, d, there_, _, g: implies(there_, not_(is_in(g, "state", C.IDLE))),
    ),
    Pair(
        DONE,
        lambda k, d: (True, (Kind.ATTEMPT, k[3])),
        lambda k, d, there_, _, a: implies(there_, num(k[4]) <= num(raw(a, "spawn"))),
    ),
    Pair(
        DONE,
        lambda k, d: (True, (GHOST, "used", k[3].owner)),
        lambda k, d, there_, _, u: and_(there_, num(k[3].number) <= num(raw(u, "last"))),
    ),
)

# Locks and what runs under them

LOCK: Final = (Kind.LOCK,)
HANDED, UP, ANSWERS = (GHOST, "handed"), (GHOST, "up"), (GHOST, "answers")


def _needs(claim: Any) -> Any:
    """The child can still be started, or runs and was not observed; and no operator forced the lock."""
    to_come = and_(flag(claim, "spawns"), flag(claim, "owner"), not_(flag(claim, "started")))
    unseen = and_(flag(claim, "runs"), not_(flag(claim, "observed")))
    return and_(not_(flag(claim, "forced")), or_(to_come, unseen))


def _seen(claim: Any) -> Any:
    """The child was seen to answer, and runs."""
    return and_(flag(claim, "runs"), flag(claim, "observed"), not_(flag(claim, "forced")))


def _same_delivery(key: Key, delivery: Any, there_: Any, _: Key, claim: Any) -> Any:
    spawns = is_in(delivery, "policy", ReleasePolicy.AFTER_SPAWN_OBSERVATION)
    return and_(
        there_,
        equal(raw(claim, "ref"), key[1]),
        equal(raw(claim, "spawn"), key[2]),
        iff(flag(claim, "spawns"), spawns),
    )


LOCKS: Final[tuple[Invariant, ...]] = (
    Fit(LOCK, lambda k, lock: num(raw(lock, "nonce")) >= 0),
    Fit(
        DELIVERY,
        lambda k, d: iff(there(raw(d, "nonce")), not_(is_in(d, "policy", ReleasePolicy.NO_LOCK))),
    ),
    Pair(
        DELIVERY,
        lambda k, d: (there(raw(d, "nonce")), (*HANDED, raw(d, "target"), inner(raw(d, "nonce")))),
        _same_delivery,
    ),
)
SPAWNING: Final[tuple[Invariant, ...]] = (
    Fit(HANDED, lambda k, h: implies(flag(h, "runs"), and_(flag(h, "started"), flag(h, "spawns")))),
    Fit(HANDED, lambda k, h: implies(flag(h, "observed"), flag(h, "started"))),
    Pair(
        HANDED,
        lambda k, h: (True, (Kind.LOCK, k[2])),
        lambda k, h, there_, _, lock: and_(
            *(there_, num(k[3]) <= num(raw(lock, "nonce"))),
            implies(num(k[3]) == num(raw(lock, "nonce")), flag(lock, "handed")),
        ),
    ),
    Pair(
        HANDED,
        lambda k, h: (_needs(h), (Kind.LOCK, k[2])),
        lambda k, h, there_, _, lock: and_(
            there_, not_(is_in(lock, "state", LockState.FREE)), num(raw(lock, "nonce")) == num(k[3])
        ),
    ),
    Pair(
        HANDED,
        lambda k, h: (or_(flag(h, "owner"), flag(h, "runs")), (*UP, k[2], k[3])),
        lambda k, h, there_, _, u: there_,
    ),
    Pair(
        HANDED,
        lambda k, h: (True, (*ANSWERS, k[2])),
        lambda k, h, there_, _, a: and_(
            implies(
                _seen(h),
                and_(there_, num(raw(a, "nonce")) == num(k[3])),
            ),
            implies(_needs(h), not_(there_)),
        ),
    ),
    Pair(
        ANSWERS,
        lambda k, a: (True, (*HANDED, k[2], raw(a, "nonce"))),
        lambda k, a, there_, _, h: and_(there_, _seen(h)),
    ),
)

# Records


def _fits(_key: Key, task: Any, there_: Any, _: Key, record: Any) -> Any:
    """LIF-16, status by status."""

    def are(status: tuple[TaskStatus, ...], **fields: bool) -> Any:
        so = (flag(record, f) if want else not_(flag(record, f)) for f, want in fields.items())
        return implies(is_in(task, "status", *status), and_(*so))

    progress = num(raw(record, "progress"))
    return and_(
        there_,
        are((T.PENDING,), started=False, completed=False, result=False, error=False),
        are((T.IN_PROGRESS,), started=True, completed=False, result=False, error=False),
        are((T.COMPLETED,), started=True, completed=True, result=True, error=False),
        are((T.FAILED,), started=True, completed=True, result=False, error=True),
        are((T.CANCELLED,), completed=True, result=False, error=True),
        implies(is_in(task, "status", T.PENDING), progress == 0),
        implies(is_in(task, "status", T.COMPLETED), progress == PROGRESS_MAX_MILLI),
    )


RECORDS: Final[tuple[Invariant, ...]] = (Pair(TASK, lambda k, t: (True, (GHOST, "record", k[1])), _fits),)

# Instances

INSTANCE: Final = (Kind.INSTANCE,)
SPENT: Final = (GHOST, "spent")
TOKENS: Final[tuple[Invariant, ...]] = (
    Fit(INSTANCE, lambda k, i: implies(is_in(i, "state", InstanceState.WAITING), there(raw(i, "waits")))),
    Pair(
        INSTANCE,
        lambda k, i: (there(raw(i, "waits")), (*SPENT, k[1], raw(i, "token"))),
        lambda k, i, there_, _, s: not_(there_),
    ),
    Pair(
        SPENT,
        lambda k, s: (True, (Kind.INSTANCE, k[2])),
        lambda k, s, there_, _, i: and_(there_, num(k[3]) <= num(raw(i, "token"))),
    ),
)
SLICES: Final[tuple[Invariant, ...]] = (
    Pair(
        (Kind.EFFECT, EffectKind.RUN_SLICE),
        lambda k, e: (True, (Kind.INSTANCE, k[2])),
        lambda k, e, there_, _, i: and_(there_, num(k[3]) <= num(raw(i, "version"))),
    ),
    Pair(
        (Kind.HUMAN,),
        lambda k, h: (True, (Kind.INSTANCE, k[1])),
        lambda k, h, there_, _, i: and_(there_, num(raw(h, "token")) <= num(raw(i, "token"))),
    ),
)
