"""What a step may write: the frame (design: read, decide, one Change).

A thing with a machine moves by a row that the step names, and one of a machine at a time. Of all else that is
written only links and counters change.
"""

from typing import Any, Final

from dhruva.cells import Edge, Kind
from dhruva.inputs import Delete
from dhruva.machines.carrier import CarrierState
from dhruva.machines.release import ReleaseState
from dhruva.machines.resources import StreamState
from proofs.claim import Claim, Touched, View
from proofs.invariants import is_in
from proofs.values import and_, equal, implies, not_, or_, raw

LINKS_AND_COUNTERS: Final[dict[Kind, frozenset[str]]] = {
    Kind.SCOPE: frozenset({"active", "live", "spawned", "queued", "waiting", "newest"}),
    Kind.REQUEST: frozenset(),
    Kind.ATTEMPT: frozenset({"resources", "spawn", "newer", "older"}),
    Kind.RESOURCE: frozenset(),
    Kind.TASK: frozenset({"unmet", "due", "alive", "links", "dependents", "dependencies", "children"}),
    Kind.GROUP: frozenset({"idle"}),
    Kind.COOPERATIVE: frozenset(),
    Kind.DELIVERY: frozenset(),
    Kind.LOCK: frozenset({"handed"}),
    Kind.EFFECT: frozenset(),
    Kind.INSTANCE: frozenset({"parent_token"}),
    Kind.HUMAN: frozenset({"token"}),
    Kind.PARKED: frozenset(),
}
"""Kinds of cells that follow a machine: what may change of one that does not move."""
OVER: Final[dict[Kind, tuple[Any, ...]]] = {
    Kind.GROUP: (CarrierState.VOID, CarrierState.WITHDRAWN),
    Kind.DELIVERY: tuple(ReleaseState),
    Kind.RESOURCE: (StreamState.CLOSED, StreamState.ABORTED),
}
"""What may be forgotten without moving, as it has nothing left to do."""


Edges = list[tuple[Any, Edge]]


def _edges(view: View, kind: Kind) -> Edges:
    return [(when, edge) for when, edge in view.every_edge() if edge.key[0] == kind]


def moves(view: View) -> None:
    """A state that is another one is the target of a row that was taken; so is the state of what is new."""
    for kind in LINKS_AND_COUNTERS:
        edges = _edges(view, kind)
        written = list(view.touched((kind,)))
        if written:
            view.must(and_(*(_moved(one, edges) for one in written)), f"a {kind} moved by no row")
            view.must(and_(*(_kept(view, kind, one, edges) for one in written)), f"a {kind} was forgotten")


def _moved(one: Touched, edges: Edges) -> Any:
    field = one.after.cell._fields[0]
    before, after = (raw(cell, field) for cell in (one.before.cell, one.after.cell))
    taken = (and_(when, equal(edge.key, one.key), equal(edge.target, after)) for when, edge in edges)
    new = and_(one.valid, one.after.there, not_(and_(one.before.there, equal(before, after))))
    return implies(new, or_(*taken))


def _kept(view: View, kind: Kind, one: Touched, edges: Edges) -> Any:
    gone = and_(one.valid, one.before.there, not_(one.after.there))
    deleted = kind == Kind.TASK and isinstance(view.given, Delete) and equal(one.key[1], view.given.task)
    over = kind in OVER and is_in(one.before.cell, one.before.cell._fields[0], *OVER[kind])
    return implies(gone, or_(_of(one, edges), deleted, over))


def _of(one: Touched, edges: Edges) -> Any:
    """The formula that this thing moved."""
    return or_(*(and_(when, equal(edge.key, one.key)) for when, edge in edges))


def others(view: View) -> None:
    """Of what does not move only links and counters change."""
    for kind, free in LINKS_AND_COUNTERS.items():
        edges = _edges(view, kind)
        same = [_same(one, edges, free) for one in view.touched((kind,))]
        if same:
            view.must(and_(*same), f"a {kind} that did not move was changed")


def _same(one: Touched, edges: Edges, free: frozenset[str]) -> Any:
    here = and_(one.valid, one.before.there, one.after.there)
    fixed = (field for field in one.after.cell._fields if field not in free)
    same = (equal(raw(one.before.cell, f), raw(one.after.cell, f)) for f in fixed)
    return implies(here, or_(_of(one, edges), and_(*same)))


def alone(view: View) -> None:
    """One thing of a machine moves in a step, but for a child that begins as its parent starts to wait."""
    for kind in LINKS_AND_COUNTERS:
        edges = [(when, edge) for when, edge in _edges(view, kind) if not _begins(kind, edge)]
        pairs = ((one, other) for at, one in enumerate(edges) for other in edges[:at])
        same = [implies(and_(w, v), equal(e.key, f.key)) for (w, e), (v, f) in pairs]
        if same:
            view.must(and_(*same), f"two of {kind} moved in one step")


def _begins(kind: Kind, edge: Edge) -> bool:
    """Carriers of one group begin together; a child and its first slice begin beside its parent."""
    return edge.source is None and kind in (Kind.INSTANCE, Kind.COOPERATIVE, Kind.EFFECT)


CLAIMS: Final[tuple[Claim, ...]] = (
    Claim(
        "writes what it was meant to",
        "a thing moves by a row that the step names, and is forgotten when it has ended; of everything "
        "else only "
        "links and counters change, in every world of well-typed cells",
        cites="",
        checks=(moves, others),
        anywhere=True,
    ),
    Claim(
        "one thing at a time",
        "a step moves one thing of a machine at most (a child and its first slice begin beside its parent)",
        cites="",
        checks=(alone,),
    ),
)
