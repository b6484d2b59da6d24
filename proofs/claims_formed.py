"""Helper claims: what other claims stand on. Each is premise and claim, like all invariants."""

from typing import Final

from dhruva.cells import Kind
from proofs import facts, shapes
from proofs.claim import Claim, View
from proofs.invariants import kept


def classes(view: View) -> None:
    for kind in Kind:
        for key, _, _, after in view.touched((kind,)):
            cls = shapes.cell_class(key)
            view.must(
                cls is not None and type(after.cell) is cls, "a cell of another class than its key says"
            )


CLAIMS: Final[tuple[Claim, ...]] = (
    Claim(
        "well-formed cells",
        "each cell is of its key's class, and a cell is gone when its thing has ended (a stream stays)",
        cites="",
        checks=(classes, *kept(facts.LIVING)),
    ),
    Claim(
        "pairs of cells",
        "a scope has its policy, a task its spec, and what a cell names as its scope or its cap is there",
        cites="",
        checks=kept(facts.PAIRED),
    ),
    Claim(
        "attempts of a scope are a list",
        "the living attempts of a scope are linked both ways, the newest first",
        cites="",
        checks=kept(facts.ATTEMPTS),
    ),
    Claim(
        "numbers and their counters",
        "what is numbered under a ref is not above its counter, and no ref to come has any",
        cites="",
        checks=kept(facts.NUMBERED),
    ),
)
