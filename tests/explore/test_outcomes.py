"""Whatever an action may return is understood; whatever it may not is named."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from dhruva.explore.errors import ModelError
from dhruva.explore.model import Action
from dhruva.explore.outcomes import Answer, ask, overlay

EMPTY: dict[Hashable, Any] = {}


class Change(NamedTuple):
    """As a kernel would say it: a tuple by type, an outcome by shape."""

    writes: Mapping[Any, Any]
    edges: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refused:
    rule: str


def answer(returned: object) -> Answer:
    return ask(Action("go", lambda _read: returned), EMPTY.get)


def test_nothing_is_no_outcome() -> None:
    assert answer(None).outcomes == ()
    assert answer([]).outcomes == ()
    assert answer([None]).outcomes == ()


def test_a_mapping_is_one_outcome_even_if_it_is_empty() -> None:
    assert [one.writes for one in answer({"x": 1}).outcomes] == [(("x", 1),)]
    assert [one.writes for one in answer({}).outcomes] == [()]


def test_a_record_with_writes_keeps_its_edges_and_itself() -> None:
    change = Change({"x": 1}, ("a -> b",))
    (one,) = answer(change).outcomes
    assert (one.writes, one.edges, one.returned) == ((("x", 1),), ("a -> b",), change)


def test_several_outcomes_keep_their_places() -> None:
    refused = Refused("no")
    said = answer([{"x": 1}, refused, None, Change({})])
    assert [one.choice for one in said.outcomes] == [0, 3]
    assert said.refusals == (refused,)


def test_a_refusal_is_no_outcome_and_is_kept() -> None:
    assert answer(Refused("full")).outcomes == ()
    assert answer(Refused("full")).refusals == (Refused("full"),)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (3, "action 'go' returned 3: expected None, a mapping of writes"),
        (True, "action 'go' returned True: expected None"),
        ([{"x": 1}, "y"], "action 'go' returned 'y'"),
        ({"x": [1]}, r"action 'go' wrote \[1\] to x: unhashable type: 'list'"),
        (Change([("x", 1)]), "action 'go' returned writes that are no mapping"),  # type: ignore[arg-type]
    ],
)
def test_anything_else_is_named(returned: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        answer(returned)


def test_an_action_that_raises_is_named() -> None:
    with pytest.raises(ModelError, match="action 'go' raised AttributeError: 'NoneType'"):
        ask(Action("go", lambda read: read("x").state), EMPTY.get)


def test_overlay_reads_what_was_written() -> None:
    world: dict[Hashable, int] = {"x": 1, "y": 2, "z": 3}
    after = overlay(world.get, (("x", 5), ("y", None)))
    assert [after(key) for key in "xyzw"] == [5, None, 3, None]
