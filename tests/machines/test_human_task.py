"""The human task's table against the contract, every state by every event."""

import pytest

from dhruva.machines import MACHINES
from tests.spec.grid import each_pair, grid, header_faults, pair_faults

HUMAN_TASK = MACHINES["human-task"]

GRID = grid(
    "human-task",
    """
               assign    release  reassign  complete   cancel
    pending    assigned  .        .         .          cancelled
    assigned   .         pending  assigned  completed  cancelled
    completed  .         .        .         .          .
    cancelled  .         .        .         .          .
    """,
    initial="pending",
    final="completed cancelled",
    symbols={
        ("assigned", "complete"): ("by_assignee", "signal"),
    },
)


@pytest.mark.cites("WFL-14c")
def test_header() -> None:
    assert header_faults(GRID, HUMAN_TASK) == []


@pytest.mark.cites("WFL-14b", "WFL-14d")
@each_pair(GRID)
def test_pair(state: str, event: str) -> None:
    assert pair_faults(GRID, HUMAN_TASK, state, event) == []
