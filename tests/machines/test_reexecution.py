"""The table of re-execution against the contract, every state by every event."""

import pytest

from dhruva.machines import MACHINES
from tests.spec.grid import each_pair, grid, header_faults, pair_faults

REEXECUTION = MACHINES["reexecution"]

GRID = grid(
    "reexecution",
    """
                 reexecute
    pending      .
    in_progress  .
    completed    pending
    failed       pending
    cancelled    pending
    """,
    initial=None,
    final="pending in_progress",
    entries="pending in_progress completed failed cancelled",
    symbols={
        ("failed", "reexecute"): ("no_attempt_alive", "new_run"),
        ("completed", "reexecute"): ("enabled no_attempt_alive", "new_run"),
        ("cancelled", "reexecute"): ("enabled no_attempt_alive", "new_run"),
    },
)


@pytest.mark.cites("LIF-9a")
def test_header() -> None:
    assert header_faults(GRID, REEXECUTION) == []


@pytest.mark.cites("LIF-9a", "LIF-9b")
@each_pair(GRID)
def test_pair(state: str, event: str) -> None:
    assert pair_faults(GRID, REEXECUTION, state, event) == []
