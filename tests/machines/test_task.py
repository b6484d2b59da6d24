"""The task's table against the contract, every state by every event."""

import pytest

from dhruva.machines import MACHINES
from tests.spec.grid import each_pair, grid, header_faults, pair_faults

TASK = MACHINES["task"]

GRID = grid(
    "task",
    """
                 start        cancel     succeed    fail    retry
    pending      in_progress  cancelled  .          .       .
    in_progress  .            cancelled  completed  failed  .
    completed    .            .          .          .       .
    failed       .            .          .          .       pending
    cancelled    .            .          .          .       .
    """,
    initial="pending",
    final="completed cancelled",
    symbols={
        ("pending", "start"): ("unmet_zero due executor authorized", "commit"),
        ("pending", "cancel"): ("", "leave_lane tell"),
        ("in_progress", "succeed"): ("", "tell"),
        ("in_progress", "fail"): ("", "retry_or_tell"),
        ("in_progress", "cancel"): ("", "abort_attempt"),
        ("failed", "retry"): ("tries_left retriable", "timer"),
    },
)


@pytest.mark.cites("LIF-1a")
def test_header() -> None:
    assert header_faults(GRID, TASK) == []


@pytest.mark.cites("LIF-1b", "LIF-8g")
@each_pair(GRID)
def test_pair(state: str, event: str) -> None:
    assert pair_faults(GRID, TASK, state, event) == []


@pytest.mark.cites("LIF-1b")
def test_the_allowed_transitions_are_these_six() -> None:
    assert sorted(f"{row.source}->{row.target}" for row in TASK.rows) == [
        "failed->pending",
        "in_progress->cancelled",
        "in_progress->completed",
        "in_progress->failed",
        "pending->cancelled",
        "pending->in_progress",
    ]


@pytest.mark.cites("LIF-8d")
def test_dependents_of_a_cancelled_body_are_not_told_by_the_cancel() -> None:
    told = {(row.source, row.on) for row in TASK.rows if "tell" in row.then}
    assert told == {("pending", "cancel"), ("in_progress", "succeed")}
