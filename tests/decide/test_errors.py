"""The error codes of LIF-18, and which refusal gets which."""

from itertools import product
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.decide import errors
from dhruva.ids import TaskStatus

CODES: Final = {
    "NOT_FOUND": -32001,
    "CIRCULAR": -32002,
    "NO_EXECUTOR": -32003,
    "UNAUTHORIZED": -32004,
    "INVALID_TASK": -32005,
    "INVALID_TRANSITION": -32006,
    "DEPENDENCY_NOT_SATISFIED": -32007,
    "ALREADY_EXECUTING": -32008,
    "CANNOT_DELETE": -32009,
    "INVALID_PARENT": -32010,
    "INVALID_DEPENDENCY": -32011,
    "INVALID_TREE": -32012,
}

REEXECUTION: Final = (
    # the task's status, whether an attempt of it is alive: an alive one is in progress, or was cancelled
    (None, False, -32001),
    (TaskStatus.PENDING, False, -32006),
    (TaskStatus.IN_PROGRESS, True, -32008),
    (TaskStatus.COMPLETED, False, -32006),
    (TaskStatus.FAILED, False, -32006),
    (TaskStatus.CANCELLED, False, -32006),
    (TaskStatus.CANCELLED, True, -32008),
)


@pytest.mark.cites("LIF-18", "LIF-18a", "LIF-18b", "LIF-18c", "LIF-18d")
def test_the_codes_are_those_of_the_contract() -> None:
    assert {code.name: code.value for code in errors.ErrorCode} == CODES


@pytest.mark.cites("LIF-8e", "LIF-9b", "LIF-18a", "LIF-18b")
def test_the_code_of_a_refused_reexecution() -> None:
    for status, alive, code in REEXECUTION:
        assert errors.reexecution_refused(status, alive) == code


@pytest.mark.cites("LIF-8e", "LIF-9b")
def test_in_progress_is_already_executing_whatever_is_known_of_its_attempt() -> None:
    assert errors.reexecution_refused(TaskStatus.IN_PROGRESS, False) == -32008


@pytest.mark.cites("LIF-20", "LIF-20a")
@settings(deadline=None)
@given(st.integers(0, 3), st.integers(0, 3))
def test_only_what_is_at_rest_and_alone_may_be_deleted(children: int, dependents: int) -> None:
    """Every status, with and without a live attempt."""
    alone = children + dependents == 0
    for status, alive in product(TaskStatus, (False, True)):
        at_rest = status in ("pending", "completed", "failed", "cancelled") and not alive
        assert errors.may_delete(status, alive, children, dependents) is (at_rest and alone)
