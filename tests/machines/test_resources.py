"""The tables of worker, handler and stream against the contract, every state by every event."""

import pytest

from dhruva.machines import MACHINES
from tests.spec.grid import each_pair, grid, header_faults, pair_faults

WORKER = MACHINES["worker"]
HANDLER = MACHINES["handler"]
STREAM = MACHINES["stream"]

WORKER_GRID = grid(
    "worker",
    """
                 start    finish      fail        terminate    exited
    idle         running  .           .           terminated   .
    running      .        terminated  failed      terminating  .
    terminating  .        terminated  terminated  terminating  terminated
    terminated   .        .           .           .            .
    failed       .        .           .           .            .
    """,
    initial="idle",
    final="terminated failed",
    symbols={
        ("running", "fail"): ("", "abort_attempt"),
        ("running", "terminate"): ("", "ask_to_end"),
    },
)

HANDLER_GRID = grid(
    "handler",
    """
                start    complete   fail       cancel      stopped
    pending     running  .          .          cancelled   .
    running     .        completed  failed     cancelling  .
    cancelling  .        cancelled  cancelled  cancelling  cancelled
    completed   .        .          .          .           .
    failed      .        .          .          .           .
    cancelled   .        .          .          .           .
    """,
    initial="pending",
    final="completed failed cancelled",
    symbols={
        ("running", "fail"): ("", "abort_attempt"),
    },
)

STREAM_GRID = grid(
    "stream",
    """
             close    abort
    open     closed   aborted
    closed   .        closed
    aborted  aborted  .
    """,
    initial="open",
    final="closed aborted",
)


@pytest.mark.cites("ACT-9d")
def test_worker_header() -> None:
    assert header_faults(WORKER_GRID, WORKER) == []


@pytest.mark.cites("ACT-9d", "ACT-9g")
@each_pair(WORKER_GRID)
def test_worker_pair(state: str, event: str) -> None:
    assert pair_faults(WORKER_GRID, WORKER, state, event) == []


@pytest.mark.cites("ACT-9e")
def test_handler_header() -> None:
    assert header_faults(HANDLER_GRID, HANDLER) == []


@pytest.mark.cites("ACT-9e", "ACT-9g")
@each_pair(HANDLER_GRID)
def test_handler_pair(state: str, event: str) -> None:
    assert pair_faults(HANDLER_GRID, HANDLER, state, event) == []


@pytest.mark.cites("ACT-9f")
def test_stream_header() -> None:
    assert header_faults(STREAM_GRID, STREAM) == []


@pytest.mark.cites("ACT-9f")
@each_pair(STREAM_GRID)
def test_stream_pair(state: str, event: str) -> None:
    assert pair_faults(STREAM_GRID, STREAM, state, event) == []
