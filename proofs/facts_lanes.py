"""Invariants of who waits: lanes of a scope and lines for an executor are lists, linked both ways (LIF-6)."""

# ruff: noqa: ARG005 - every sentence is given both keys and both cells, and speaks of some

from typing import Any, Final

from dhruva.cells import FollowUp, Key, Kind, OwnerKind
from dhruva.ids import Priority, TaskStatus
from dhruva.machines.scope import ALIVE
from proofs.facts import EXECUTOR, LANES, REQUEST, TASK, WAITER, link
from proofs.invariants import Chain, Fit, Invariant, Pair, flag, is_in, num
from proofs.values import and_, equal, iff, implies, inner, not_, or_, raw, there

T: Final = TaskStatus
LANE: Final = {
    Priority.URGENT: "urgent",
    Priority.HIGH: "high",
    Priority.NORMAL: "normal",
    Priority.LOW: "low",
}


def _in(waiter: Any, lane: Priority) -> Any:
    return and_(is_in(waiter, "priority", lane), not_(there(raw(waiter, "executor"))))


def _end(lane: Priority, end: str, beyond: str) -> Pair:
    """The end of a lane stands in it, and has nobody beyond."""
    field = f"{end}_{LANE[lane]}"
    return Pair(
        LANES,
        lambda k, lanes: (there(raw(lanes, field)), (Kind.WAITER, inner(raw(lanes, field)))),
        lambda k, lanes, there_, _, w: and_(
            there_, equal(raw(w, "scope"), k[1]), _in(w, lane), not_(there(raw(w, beyond)))
        ),
    )


def _is_end(key: Key, waiter: Any, there_: Any, _: Key, lanes: Any) -> Any:
    """A lane in which somebody waits has both ends, and who has nobody beyond is one."""
    return and_(
        there_,
        *(
            implies(
                _in(waiter, lane),
                and_(
                    there(raw(lanes, f"{end}_{word}")),
                    iff(equal(raw(lanes, f"{end}_{word}"), key[1]), not_(there(raw(waiter, beyond)))),
                ),
            )
            for lane, word in LANE.items()
            for end, beyond in (("first", "before"), ("last", "behind"))
        ),
    )


def _end_of_executor(end: str, beyond: str) -> tuple[Pair, Pair]:
    return (
        Pair(
            EXECUTOR,
            lambda k, e: (there(raw(e, end)), (Kind.WAITER, inner(raw(e, end)))),
            lambda k, e, there_, _, w: and_(
                there_, equal(raw(w, "executor"), k[1]), not_(there(raw(w, beyond)))
            ),
        ),
        Pair(
            WAITER,
            lambda k, w: (there(raw(w, "executor")), (Kind.EXECUTOR, inner(raw(w, "executor")))),
            lambda k, w, there_, _, e: and_(
                *(there_, there(raw(e, end))),
                iff(equal(raw(e, end), k[1]), not_(there(raw(w, beyond)))),
            ),
        ),
    )


def _neighbour(field: str, back: str) -> Pair:
    """Neighbours wait for one executor, or stand in one lane."""
    linked = link(WAITER, field, back, ("executor",))

    def holds(key: Key, one: Any, there_: Any, at: Key, other: Any) -> Any:
        lane = and_(*(equal(raw(one, f), raw(other, f)) for f in ("scope", "priority")))
        return and_(linked.holds(key, one, there_, at, other), or_(there(raw(one, "executor")), lane))

    return linked._replace(holds=holds)


def _both_ends(cell: Any, lane: str) -> Any:
    return iff(there(raw(cell, f"first_{lane}")), there(raw(cell, f"last_{lane}")))


WAITERS: Final[tuple[Invariant, ...]] = (
    Fit(LANES, lambda k, lanes: and_(*(_both_ends(lanes, lane) for lane in LANE.values()))),
    Fit(EXECUTOR, lambda k, e: iff(there(raw(e, "first")), there(raw(e, "last")))),
    _neighbour("before", "behind"),
    _neighbour("behind", "before"),
    *(pair for lane in LANE for pair in (_end(lane, "first", "before"), _end(lane, "last", "behind"))),
    Pair(WAITER, lambda k, w: (not_(there(raw(w, "executor"))), (Kind.LANES, raw(w, "scope"))), _is_end),
    *(*_end_of_executor("first", "before"), *_end_of_executor("last", "behind")),
)


def _as_asked(_k: Key, waiter: Any, there_: Any, _: Key, asks: Any) -> Any:
    """A waiter stands where its task or its request says."""
    same = (equal(raw(waiter, f), raw(asks, f)) for f in ("scope", "priority"))
    return and_(there_, *same)


WHO_WAITS: Final[tuple[Invariant, ...]] = (
    Pair(WAITER, lambda k, w: (is_in(w, "kind", OwnerKind.TASK), (Kind.SPEC, k[1])), _as_asked),
    Pair(WAITER, lambda k, w: (is_in(w, "kind", OwnerKind.REQUEST), (Kind.REQUEST, k[1])), _as_asked),
    Fit(WAITER, lambda k, w: implies(there(raw(w, "executor")), is_in(w, "kind", OwnerKind.TASK))),
    Pair(
        WAITER,
        lambda k, w: (is_in(w, "kind", OwnerKind.TASK), (Kind.TASK, k[1])),
        lambda k, w, there_, _, t: and_(
            there_, is_in(t, "status", T.PENDING), num(raw(t, "unmet")) == 0, flag(t, "due")
        ),
    ),
    Pair(
        REQUEST,
        lambda k, r: (True, (Kind.WAITER, k[1])),
        lambda k, r, there_, _, w: and_(
            there_, is_in(w, "kind", OwnerKind.REQUEST), not_(there(raw(w, "executor")))
        ),
    ),
)


def _waits(there_: Any, cells: Any) -> Any:
    """A task that is ready stands in a line, as long as its scope is alive (LIF-6)."""
    task, _, scope, _ = cells
    ready = and_(is_in(task, "status", T.PENDING), num(raw(task, "unmet")) == 0, flag(task, "due"))
    return implies(and_(ready, *there_[1:3], is_in(scope, "state", *ALIVE)), there_[3])


READY: Final[tuple[Invariant, ...]] = (
    Pair(
        (Kind.FOLLOW, FollowUp.REJECT_QUEUED),
        lambda k, f: (True, (Kind.SCOPE, k[2])),
        lambda k, f, there_, _, s: and_(there_, not_(is_in(s, "state", *ALIVE))),
    ),
    Chain(
        TASK,
        (
            lambda cells: (Kind.SPEC, cells[0][0][1]),
            lambda cells: (Kind.SCOPE, raw(cells[1][1], "scope")),
            lambda cells: (Kind.WAITER, cells[0][0][1]),
        ),
        _waits,
    ),
)
