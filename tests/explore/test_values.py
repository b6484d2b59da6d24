"""Strict identity of values, and how they are shown."""

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple

import pytest

from dhruva.explore.values import Codes, identity, show, show_change, show_key


class Colour(Enum):
    RED = 1
    BLUE = 2


class Word(StrEnum):
    GO = "go"


class Point(NamedTuple):
    x: int
    y: object


class Pair(NamedTuple):
    x: int
    y: object


@dataclass(frozen=True)
class Box:
    size: object


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (True, 1),
        (1, 1.0),
        (0.0, -0.0),
        (Word.GO, "go"),
        ((1, True), (1, 1)),
        (Point(1, 2), Pair(1, 2)),
        (Point(1, 2), (1, 2)),
        (Box(True), Box(1)),
        (frozenset({True}), frozenset({1})),
        (Point(1, (Box(0),)), Point(1, (Box(False),))),
        (None, 0),
    ],
)
def test_values_that_a_rule_can_tell_apart_are_different(a: object, b: object) -> None:
    assert identity(a) != identity(b)
    codes = Codes()
    assert codes.code(a) != codes.code(b)


@pytest.mark.parametrize("value", [3, "x", Colour.RED, Point(1, Box(2)), frozenset({1, 2}), float("nan")])
def test_equal_values_share_a_code(value: object) -> None:
    codes = Codes()
    assert codes.code(value) == codes.code(value) == 1
    assert codes.values == [None, value]


def test_a_value_changed_in_place_is_noticed() -> None:
    codes = Codes()
    box = Box(1)
    number = codes.code(box)
    assert codes.is_intact(number)
    object.__setattr__(box, "size", 2)
    assert not codes.is_intact(number)


def test_values_are_shown_for_people() -> None:
    assert show(Colour.RED) == "RED"
    assert show(Point(1, Colour.BLUE)) == "Point(x=1, y=BLUE)"
    assert show(Box((1,))) == "Box(size=(1,))"
    assert show(frozenset({2, 1})) == "{1, 2}"
    assert show("a") == "'a'"
    assert show_key(("task", 1)) == "task(1)"
    assert show_key((1, 2)) == "(1, 2)"
    assert show_key(Colour.RED) == "RED"


def test_a_change_shows_only_what_changed() -> None:
    assert show_change("n", 1, 2) == "n: 1 -> 2"
    assert show_change("n", None, 2) == "n = 2"
    assert show_change("n", 1, None) == "n is gone (was 1)"
    assert show_change(("p", 0), Point(1, 2), Point(1, 3)) == "p(0).y: 2 -> 3"
    assert show_change(("p", 0), Point(1, 2), Point(2, 3)) == "p(0)  x: 1 -> 2, y: 2 -> 3"
    assert show_change("p", Point(1, 2), Pair(1, 2)) == "p: Point(x=1, y=2) -> Pair(x=1, y=2)"
