"""The bounds: the contract's numbers, and that a relation between bounds which is broken stops the import."""

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva import limits
from tests.decide.planting import planted

NUMBERS: Final = {
    "NAME_LENGTH_MAX": 255,
    "PRIORITIES": 4,
    "PROGRESS_MAX_MILLI": 1000,
    "RETRY_MAX_ATTEMPTS": 3,
    "RETRY_INITIAL_MS": 1_000,
    "RETRY_CAP_MS": 60_000,
    "STEP_RETRY_MAX": 3,
    "STEP_RETRY_INITIAL_MS": 1_000,
    "STEP_RETRY_CAP_MS": 300_000,
    "COOPERATIVE_UNIT_MILLI": 1000,
    "COOPERATIVE_MAX": 2,
    "COOPERATIVE_BOUND": 4,
    "URGENCY_MAX": 4,
    "THRESHOLD_MILLI": 900,
    "THRESHOLD_STEP_MILLI": 100,
    "THRESHOLD_FLOOR_MILLI": 500,
    "PRESSURES": 3,
    "FORGET_ENTRIES": 10_000,
    "FORGET_AFTER_MS": 5 * 60 * 1_000,
    "OBSERVATION_MS": 30_000,
    "GRACE_MS": 5_000,
}


@pytest.mark.cites(
    "LIF-6a", "LIF-14b", "LIF-14c", "LIF-17a", "LIF-17c", "WFL-15c",
    "DSP-6d", "DSP-9b", "DSP-9d", "DSP-10b", "DSP-10d", "DSP-12c", "REL-8a",
)  # fmt: skip
def test_the_numbers_are_those_of_the_contract() -> None:
    assert {name: getattr(limits, name) for name in NUMBERS} == NUMBERS


@pytest.mark.cites("DSP-10d")
def test_every_bound_is_an_integer() -> None:
    bounds = {name: bound for name, bound in vars(limits).items() if name.isupper()}
    assert {name for name, bound in bounds.items() if type(bound) is not int} == set()


@pytest.mark.cites("ACT-13a")
def test_unbounded_is_above_every_bound() -> None:
    assert all(getattr(limits, name) < limits.UNBOUNDED for name in NUMBERS)


def imports(old: str, new: str) -> bool:
    """Whether the bounds can be imported after this change."""
    try:
        planted(limits, old, new)
    except AssertionError:
        return False
    return True


@pytest.mark.cites("DSP-6d")
@settings(deadline=None)
@given(st.integers(-3, 8))
def test_no_configuration_goes_above_the_absolute_bound(most: int) -> None:
    assert imports("COOPERATIVE_MAX: Final = 2", f"COOPERATIVE_MAX: Final = {most}") is (0 <= most <= 4)


@pytest.mark.cites("DSP-6d")
@settings(deadline=None)
@given(st.integers(-2000, 2000))
def test_the_unit_of_cooperation_is_above_zero(unit: int) -> None:
    assert imports("UNIT_MILLI: Final = MILLI", f"UNIT_MILLI: Final = {unit}") is (unit > 0)


BROKEN: Final = (
    ("RETRY_INITIAL_MS: Final = 1_000\nRETRY_CAP_MS", "RETRY_INITIAL_MS: Final = 0\nRETRY_CAP_MS"),
    ("RETRY_CAP_MS: Final = 60_000", "RETRY_CAP_MS: Final = 999"),
    ("RETRY_CAP_MS: Final = 300_000", "RETRY_CAP_MS: Final = 2**32"),
    ("THRESHOLD_FLOOR_MILLI: Final = 500", "THRESHOLD_FLOOR_MILLI: Final = 600"),
    ("THRESHOLD_MILLI: Final = 900", "THRESHOLD_MILLI: Final = 1_100"),
    ("THRESHOLD_STEP_MILLI: Final = 100", "THRESHOLD_STEP_MILLI: Final = 50"),
    ("GRACE_MS: Final = 5_000", "GRACE_MS: Final = 30_000"),
)


@pytest.mark.cites("LIF-14c", "WFL-15c", "DSP-9d", "REL-8a")
def test_bounds_that_contradict_each_other_cannot_be_imported() -> None:
    assert [change for change in BROKEN if imports(*change)] == []
