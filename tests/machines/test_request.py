"""The request's table against the contract, every state by every event."""

import pytest

from dhruva.machines import MACHINES
from tests.spec.grid import each_pair, grid, header_faults, pair_faults

REQUEST = MACHINES["request"]

GRID = grid(
    "request",
    """
               start    withdraw   reject
    queued     started  withdrawn  rejected
    started    .        .          .
    withdrawn  .        .          .
    rejected   .        .          .
    """,
    initial="queued",
    final="started withdrawn rejected",
    symbols={
        ("queued", "start"): ("", "commit"),
    },
)


@pytest.mark.cites("ACT-13h")
def test_header() -> None:
    assert header_faults(GRID, REQUEST) == []


@pytest.mark.cites("ACT-13h")
@each_pair(GRID)
def test_pair(state: str, event: str) -> None:
    assert pair_faults(GRID, REQUEST, state, event) == []
