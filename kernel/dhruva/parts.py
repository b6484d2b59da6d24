"""What a kernel is made of: the one list of parts that `kernel`, `book` and `digest` take.

Each part is ours unless another is given; so a broken model, a mutant or a test names the one it swaps.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

from dhruva.cells import FollowUp
from dhruva.machines import MACHINES
from dhruva.rules import RULES
from dhruva.rules.deeds import DEEDS
from dhruva.rules.follow_ups import HANDLERS
from dhruva.rules.guards import GUARDS
from dhruva.table import Machine
from dhruva.walk import DECISIONS, SETTINGS, Decisions, Guard, Handler, Rule, Settings, Wired
from dhruva.wiring import WIRING, Does, Wire

P = ParamSpec("P")
T = TypeVar("T")


class Parts(NamedTuple):
    """Tables, decisions and wires, with what their symbols mean, and the rule of each input."""

    tables: Mapping[str, Machine[Any, Any]] = MACHINES
    decisions: Decisions = DECISIONS
    wiring: tuple[Wire, ...] = WIRING
    settings: Settings = SETTINGS
    guards: Mapping[tuple[str, str], Guard] = GUARDS
    deeds: Mapping[Does, Wired] = DEEDS
    handlers: Mapping[FollowUp, Handler] = HANDLERS
    rules: Mapping[type, Rule] = RULES
    checked: bool = True
    """False: built although the checks of tables and wiring would refuse it, as a mutant is."""


def taking_parts(fields: Callable[P, Parts]) -> Callable[[Callable[[Parts], T]], Callable[P, T]]:
    """A function of all parts that is called with those that differ: `kernel(deeds=...)`."""

    def wrap(of: Callable[[Parts], T]) -> Callable[P, T]:
        @wraps(of)
        def called(*some: P.args, **named: P.kwargs) -> T:
            return of(fields(*some, **named))

        return called

    return wrap
