"""One API call and the facts it was given become inputs for `step`, or a Refusal. Pure.

What a call means for many cells is decided here, once: which tasks a tree creates and in which order,
which tasks a re-execution resets and in which order, which links a delete takes away first. Each input
is then one step, and the shell applies all inputs of a call in one transaction, all or nothing: if
`step` refuses one of them, none has happened, and `code_of` gives the caller its error code.

Who supplies the facts: the shell reads them from the store, in the transaction in which it applies the
inputs, so that nothing changes between the answer and its use. A fact that was wrong all the same is
caught by `step`, which trusts none of them: it refuses, and nothing has happened. Ids, too, are facts:
nothing is generated here.
"""

from dhruva.requests.change import LinkTo, cancel, delete
from dhruva.requests.create import Created, Facts, create
from dhruva.requests.reexecute import Around, Plan, Skip, Skipped, Standing, around, reexecute
from dhruva.requests.refusals import Fault, Invalid, Refusal, code_of, text
from dhruva.requests.tree import Known, Lookup

__all__ = [
    "Around",
    "Created",
    "Facts",
    "Fault",
    "Invalid",
    "Known",
    "LinkTo",
    "Lookup",
    "Plan",
    "Refusal",
    "Skip",
    "Skipped",
    "Standing",
    "around",
    "cancel",
    "code_of",
    "create",
    "delete",
    "reexecute",
    "text",
]
