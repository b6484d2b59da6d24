"""Invariants of order in a line: first come, first served, and no ring (LIF-6).

Every waiter has a ghost with the number of its coming. Along a line the numbers grow, and nobody of the line
has a number between those of two neighbours, nor beyond its ends. So a line is the list of all that wait in
it, in the order in which they came, which no fact about neighbours alone can say.
"""

# ruff: noqa: ARG005 - every sentence is given both keys and both cells, and speaks of some

from typing import Any, Final

from dhruva.assume import GHOST
from dhruva.cells import Key, Kind
from proofs.facts import WAITER
from proofs.ghosts import same_line
from proofs.invariants import Both, Fit, Invariant, Pair, num
from proofs.values import and_, equal, implies, inner, not_, raw, there

PLACE: Final = (GHOST, "place")
COMINGS: Final = (GHOST, "comings")


def _at(place: Any, field: str = "at") -> Any:
    return num(raw(place, field))


def _as_waiter(_k: Key, place: Any, there_: Any, _: Key, waiter: Any) -> Any:
    fields = ("scope", "priority", "executor", "before", "behind")
    return and_(there_, *(equal(raw(place, f), raw(waiter, f)) for f in fields))


def _next_to(side: str, back: str) -> Pair:
    """Neighbours stand in one line, name each other and know each other's number."""
    return Pair(
        PLACE,
        lambda k, p: (there(raw(p, side)), (*PLACE, inner(raw(p, side)))),
        lambda k, p, there_, _, other: and_(
            *(there_, same_line(p, other), equal(raw(other, back), k[2])),
            *(_at(other) == _at(p, f"at_{side}"), _at(other, f"at_{back}") == _at(p)),
        ),
    )


def _apart(_k: Key, one: Any, _: Key, other: Any) -> Any:
    """Two of one line came one after the other, and nobody came between neighbours."""
    after = and_(there(raw(one, "behind")), _at(other) >= _at(one, "at_behind"))
    ahead = and_(there(raw(one, "before")), _at(other) <= _at(one, "at_before"))
    return implies(
        same_line(one, other),
        and_(
            not_(_at(one) == _at(other)),
            implies(_at(other) > _at(one), after),
            implies(_at(other) < _at(one), ahead),
        ),
    )


ORDER: Final[tuple[Invariant, ...]] = (
    Pair(WAITER, lambda k, w: (True, (*PLACE, k[1])), lambda k, w, there_, _, p: there_),
    Pair(PLACE, lambda k, p: (True, (Kind.WAITER, k[2])), _as_waiter),
    Pair(
        PLACE, lambda k, p: (True, COMINGS), lambda k, p, there_, _, c: and_(there_, _at(p) <= _at(c, "last"))
    ),
    Fit(PLACE, lambda k, p: implies(there(raw(p, "before")), _at(p, "at_before") < _at(p))),
    Fit(PLACE, lambda k, p: implies(there(raw(p, "behind")), _at(p) < _at(p, "at_behind"))),
    _next_to("before", "behind"),
    _next_to("behind", "before"),
    Both(PLACE, _apart),
)
