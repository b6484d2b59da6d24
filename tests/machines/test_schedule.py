"""The schedule's table against the contract, every state by every event."""

import pytest

from dhruva.machines import MACHINES
from tests.spec.grid import each_pair, grid, header_faults, pair_faults

SCHEDULE = MACHINES["schedule"]

GRID = grid(
    "schedule",
    """
              fire   exhaust  disable   enable
    armed     armed  ended    disabled  .
    disabled  .      .        .         armed
    ended     .      .        .         .
    """,
    initial="armed",
    final="ended",
    symbols={
        ("armed", "fire"): ("", "trigger"),
    },
)


@pytest.mark.cites("LIF-13a")
def test_header() -> None:
    assert header_faults(GRID, SCHEDULE) == []


@pytest.mark.cites("LIF-13a")
@each_pair(GRID)
def test_pair(state: str, event: str) -> None:
    assert pair_faults(GRID, SCHEDULE, state, event) == []
