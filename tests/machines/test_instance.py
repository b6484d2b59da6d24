"""The table of a workflow instance against the contract, every state by every event."""

import pytest

from dhruva.machines import MACHINES
from tests.spec.grid import each_pair, grid, header_faults, pair_faults

INSTANCE = MACHINES["instance"]

GRID = grid(
    "instance",
    """
                       wait     complete   fail    error              cancel
    running            waiting  completed  failed  recoverable_error  cancelled
    waiting            .        .          .       .                  cancelled
    recoverable_error  .        .          .       .                  cancelled
    completed          .        .          .       .                  .
    failed             .        .          .       .                  .
    cancelled          .        .          .       .                  .

                       signal             unavailable        early_signal       retry
    running            .                  .                  running            .
    waiting            running            recoverable_error  waiting            .
    recoverable_error  recoverable_error  .                  recoverable_error  running
    completed          .                  .                  .                  .
    failed             .                  .                  .                  .
    cancelled          .                  .                  .                  .
    """,
    initial="running",
    final="completed failed cancelled",
    symbols={
        ("running", "wait"): ("", "token timers"),
        ("running", "complete"): ("", "clear_timeouts retention tell_parent"),
        ("running", "fail"): ("", "tell_parent"),
        ("running", "cancel"): ("", "cancel_human_task cancel_child cancel_task tell_parent"),
        ("waiting", "cancel"): ("", "cancel_human_task cancel_child cancel_task tell_parent"),
        ("recoverable_error", "cancel"): ("", "cancel_human_task cancel_child cancel_task tell_parent"),
        ("waiting", "signal"): ("fresh", "consume_token cancel_open run_slice"),
        ("recoverable_error", "signal"): ("", "keep_signal"),
        ("running", "early_signal"): ("", "keep_signal"),
        ("waiting", "early_signal"): ("", "keep_signal"),
        ("recoverable_error", "early_signal"): ("", "keep_signal"),
        ("recoverable_error", "retry"): ("", "run_slice"),
    },
)


@pytest.mark.cites("WFL-21a", "WFL-21c")
def test_header() -> None:
    assert header_faults(GRID, INSTANCE) == []


@pytest.mark.cites("WFL-17c", "WFL-17d", "WFL-21a", "WFL-21c", "WFL-22b")
@each_pair(GRID)
def test_pair(state: str, event: str) -> None:
    assert pair_faults(GRID, INSTANCE, state, event) == []


@pytest.mark.cites("WFL-21d")
def test_a_recoverable_error_is_left_by_retry_or_cancel() -> None:
    stuck = [row for row in INSTANCE.rows if row.source == "recoverable_error"]
    assert {row.on for row in stuck if row.target != row.source} == {"retry", "cancel"}


@pytest.mark.cites("WFL-12a")
def test_a_wait_makes_a_token_and_only_a_fresh_signal_consumes_it() -> None:
    assert all("token" in row.then for row in INSTANCE.rows if row.on == "wait")
    consumed = [(row.source, row.on, row.when) for row in INSTANCE.rows if "consume_token" in row.then]
    assert consumed == [("waiting", "signal", ("fresh",))]
