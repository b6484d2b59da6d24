"""Which worlds each input is proved in, and the kernel that is proved.

Every input is run in every well-formed world, but for those in QUIET: their paths are a product of parts
that have nothing to do with each other (neighbours of an attempt in its list, the cap, neighbours in a
lane, how the body ended), and there are too many. They are run in *quiet* worlds: the scope is not under
the cap, an attempt has no neighbour in the list of its scope and holds no worker, a waiter has no
neighbour in its lane, one lane of a scope is in use, and a running instance has neither child nor task
left open by a retry; nothing was escalated before. For these inputs the claims are proved of quiet worlds
only. The run marks them.

Two decisions are answered by "any number at all": what is proved then holds whatever they answer.
"""

from typing import Any, Final

from dhruva.cells import Attempt, Dispatch, Instance, Scope, Waiter
from dhruva.step import Step, kernel
from dhruva.walk import DECISIONS
from proofs import shapes
from proofs.values import engine


def _any_number(*_facts: Any) -> Any:
    """Some number, another one each time."""
    engine().fresh += 1
    return shapes.number(f"any{engine().fresh}", "any")


ANY: Final = DECISIONS._replace(pressure=_any_number, cooperative_count=_any_number)


def proved_kernel(**changed: Any) -> Step:
    """The kernel that we ship, or a mutant of it, with the two decisions left open."""
    decisions = changed.pop("decisions", DECISIONS)
    opened = decisions._replace(pressure=_any_number, cooperative_count=_any_number)
    return kernel(decisions=opened, **changed)


QUIET: Final = frozenset(
    {
        "Wake",
        "Fail",
        "Stopped",
        "Succeed",
        "OwnerGone",
        "Abandon",
        "Admit",
        "Outcome",
        "SliceWaits",
        "Handle (reject_queued)",
        "Handle (ask_again)",
        "Handle (end_resources)",
        "Handle (return)",
    }
)


def calm(made: Any) -> Any:
    """A cell of a quiet world."""
    if isinstance(made, Scope):
        engine().known[made.capped.name] = False  # type: ignore[attr-defined]
    if isinstance(made, Attempt):
        return made._replace(newer=None, older=None, resources=0)
    if isinstance(made, Waiter):
        return made._replace(before=None, behind=None)
    if isinstance(made, Dispatch):
        return made._replace(urgency=0)
    if isinstance(made, Instance):
        return made._replace(child=None, task=None)
    return made
