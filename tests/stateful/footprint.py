"""How many cells a step touches, by the class of its input (ACT-14a; issue 5: aim at 5, at most 12)."""

from typing import Any

from dhruva.inputs import Handle

MOST = 12
OVER: dict[str, int] = {"Outcome": 13}
"""Known to go beyond the bound, each with its worst case; test_footprint.py shows them."""


def name_of(given: Any) -> str:
    """The class of an input; follow-ups by their kind."""
    name = type(given).__name__
    return f"{name} {given.key[1]}" if isinstance(given, Handle) and len(given.key) > 1 else name


def bound(given: Any) -> int:
    """How many cells this input may touch, whatever the world."""
    return OVER.get(name_of(given), MOST)
