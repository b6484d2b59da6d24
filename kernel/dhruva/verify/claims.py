"""What a run of `dhruva verify` claims, what it does not, and what has to be trusted for it."""

from typing import Final

CLAIMED: Final = (
    "Every table is sound: no pair has two rows, no final state is left, every state is reached.",
    "Every reachable state of each model, within its bounds and under the assumptions listed, meets its "
    "properties.",
    "Each fault planted in models/broken is found by the property that it names.",
    "A mutant called killed changes the verdict of the named property.",
)

NOT_CLAIMED: Final = (
    "Anything beyond the bounds of a model, but for what the proofs show.",
    "Anything under an assumption that does not hold.",
    "Anything about the shell that runs the kernel, the database and the operating system: tests and "
    "replay look at those.",
    "Anything about mutants that are not of the kinds listed, and about those listed as not killed.",
)

TRUSTED: Final = (
    "the Python interpreter and numpy",
    "the explorer (two engines agree, published counts agree, Spin agrees: `make recheck`)",
    "docs/spec as a reading of the sources, and each property as a reading of its requirement",
    "the step function is pure: an audit calls it again on a sample of states",
)
