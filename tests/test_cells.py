"""Cells: small frozen values with no field that grows (design section 1, rules for rule code)."""

import types
import typing
from enum import Enum
from typing import Any, NamedTuple, get_args, get_type_hints

import pytest

from dhruva import cells, effects
from dhruva.cells import Kind
from dhruva.ids import Ref
from dhruva.step import step
from tests.stateful.menu import THEMES
from tests.stateful.samples import SETUP
from tests.stateful.strategies import Walk, seen_on

SAID = ("Change", "Edge")  # what a step says, not what it keeps
CELLS = {
    name: kind
    for name, kind in vars(cells).items()
    if isinstance(kind, type)
    and issubclass(kind, tuple)
    and kind.__module__ == cells.__name__
    and name not in SAID
}
UNIONS = (types.UnionType, typing.Union)
PLAIN = (bool, int, str, type(None), Ref)


def is_plain(hint: Any) -> bool:
    """An enum, a bool, an int, an id, a ref, the key of another cell, or None."""
    if isinstance(hint, typing.NewType):
        return is_plain(hint.__supertype__)
    if isinstance(hint, type) and (hint in PLAIN or issubclass(hint, Enum)):
        return True
    if typing.get_origin(hint) is tuple:
        return get_args(hint) == (Any, ...)
    return typing.get_origin(hint) in UNIONS and all(is_plain(part) for part in get_args(hint))


@pytest.mark.cites("SHL-1a", "ACT-14a")
@pytest.mark.parametrize("name", CELLS)
def test_a_cell_is_made_of_values_that_do_not_grow(name: str) -> None:
    hints = get_type_hints(CELLS[name])
    assert hints
    assert [field for field, hint in hints.items() if not is_plain(hint)] == []


@pytest.mark.cites("SHL-1a")
def test_what_is_not_plain_is_seen() -> None:
    """The test above can fail."""

    class Grows(NamedTuple):
        many: list[int]
        rate: float
        fixed: int

    assert [field for field, hint in get_type_hints(Grows).items() if not is_plain(hint)] == ["many", "rate"]


@pytest.mark.cites("SHL-1a")
def test_kinds_have_names_of_their_own() -> None:
    assert len({str(kind) for kind in Kind}) == len(Kind)


@pytest.mark.cites("SHL-1a", "SHL-3b")
def test_each_kind_of_key_holds_one_kind_of_cell() -> None:
    """Follow-ups aside, whose cell tells what they must remember; every kind is met on the way."""
    met: dict[Kind, set[str]] = {}
    for number, theme in enumerate((*THEMES, *THEMES, "dispatch", "dispatch")):
        numbers = [(number * 7919 + n * 104_729 + n * n * 31) % 2**24 for n in range(400)]
        for seen in seen_on(Walk(SETUP, theme, numbers), step, honest=True):
            for key, cell in seen.after.items():
                met.setdefault(key[0], set()).add(type(cell).__name__)
    follow = met.pop(Kind.FOLLOW)
    assert follow <= {"Follow", "Ending", "Again"}
    assert {kind: names for kind, names in met.items() if len(names) != 1} == {}
    assert set(met) | {Kind.FOLLOW, Kind.DELIVERY, Kind.STARVED, Kind.COOPERATIVE, Kind.KEPT} >= set(Kind)


@pytest.mark.cites("SHL-1a")
def test_effects_are_values() -> None:
    assert all(issubclass(kind, tuple) for kind in get_args(effects.Effect))
