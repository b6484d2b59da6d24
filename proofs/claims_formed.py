"""Helper claims: worlds stay well formed, which is what proofs.symbolic and proofs.shapes take as given."""

from typing import Final

from dhruva.cells import FollowUp, Kind
from proofs import shapes
from proofs.claim import Claim, View
from proofs.claims_act import among


def formed(view: View) -> None:
    for write in view.writes(*Kind):
        cls = shapes.cell_class(write.key)
        view.must(cls is not None, "a cell under a key of no known shape")
        if write.after is None or cls is None:
            continue
        view.must(type(write.after) is cls, "a cell of another class than its key says")
        if cls in shapes.LIVING:
            view.must(among(write.after.state, shapes.LIVING[cls]), "a cell of something that has ended")
        if write.key[0] == Kind.RESOURCE:
            living = shapes.OF_RESOURCE[write.after.kind.member() if write.before else write.after.kind]
            view.must(among(write.after.state, living), "a cell of a resource that has ended")
        if write.key[:2] == (Kind.FOLLOW, FollowUp.ABORT_EACH):
            view.must(write.after.ref is not None, "abort_each stands at no attempt")


def paired(view: View) -> None:
    """A policy is there iff its scope is, a spec iff its task; what a living cell names as its scope
    is there.
    """
    for one_kind, other in ((Kind.SCOPE, Kind.POLICY), (Kind.TASK, Kind.SPEC)):
        for write in (*view.writes(one_kind), *view.writes(other)):
            pair = [view.after((kind, write.key[1])) is None for kind in (one_kind, other)]
            view.must(pair[0] == pair[1], "one of a pair of cells without the other")
    for write in view.writes(Kind.ATTEMPT, Kind.RESOURCE, Kind.REQUEST, Kind.SPEC):
        if write.before is not None:
            view.suppose(view.before((Kind.SCOPE, write.before.scope)) is not None)
        if write.after is not None:
            view.must(
                view.after((Kind.SCOPE, write.after.scope)) is not None, "a cell of a scope that is not there"
            )
    for write in view.writes(Kind.SCOPE):
        if bool(write.after.capped):
            view.must(view.after((Kind.CAP,)) is not None, "a scope under a cap that is not there")
    for write in view.writes(Kind.CAP):
        view.must(write.after is not None, "the cap was forgotten")


CLAIMS: Final = (
    Claim(
        "well-formed cells",
        "each cell is of its key's class, and a cell is gone when its thing has ended (a stream stays)",
        cites="",
        check=formed,
    ),
    Claim(
        "pairs of cells",
        "a scope has its policy, a task its spec, and what a living cell names as its scope or its cap "
        "is there",
        cites="",
        check=paired,
    ),
)
