"""The table of what is parked against the contract, every state by every event."""

import pytest

from dhruva.machines import MACHINES
from tests.spec.grid import each_pair, grid, header_faults, pair_faults

PARKED = MACHINES["parked"]

GRID = grid(
    "parked",
    """
               resume   discard
    parked     resumed  discarded
    resumed    .        .
    discarded  .        .
    """,
    initial="parked",
    final="resumed discarded",
    symbols={
        ("parked", "resume"): ("override", ""),
        ("parked", "discard"): ("override", ""),
    },
)


@pytest.mark.cites("SHL-5a")
def test_header() -> None:
    assert header_faults(GRID, PARKED) == []


@pytest.mark.cites("SHL-5a", "SHL-6a")
@each_pair(GRID)
def test_pair(state: str, event: str) -> None:
    assert pair_faults(GRID, PARKED, state, event) == []
