"""The attempt's table against the contract, every state by every event."""

import pytest

from dhruva.machines import MACHINES
from dhruva.machines.attempt import HOLDS_SLOT, AbortReason
from tests.spec.grid import AnyRow, each_pair, grid, header_faults, pair_faults

ATTEMPT = MACHINES["attempt"]

GRID = grid(
    "attempt",
    """
               succeed    error    abort     stopped  owner_gone  abandon
    running    succeeded  failed   aborting  .        aborted     abandoned
    aborting   aborted    aborted  aborting  aborted  aborted     abandoned
    succeeded  .          .        .         .        .           .
    failed     .          .        .         .        .           .
    aborted    .          .        .         .        .           .
    abandoned  .          .        .         .        .           .
    """,
    initial="running",
    final="succeeded failed aborted abandoned",
    symbols={
        ("running", "succeed"): ("", "free_slot end_resources settle"),
        ("running", "error"): ("", "free_slot end_resources settle"),
        ("running", "abort"): ("", "abort_signal end_resources"),
        ("running", "owner_gone"): ("", "free_slot end_resources settle"),
        ("running", "abandon"): ("override", "free_slot end_resources settle"),
        ("aborting", "succeed"): ("", "free_slot settle"),
        ("aborting", "error"): ("", "free_slot settle"),
        ("aborting", "stopped"): ("", "free_slot settle"),
        ("aborting", "owner_gone"): ("", "free_slot end_resources settle"),
        ("aborting", "abandon"): ("override", "free_slot end_resources settle"),
    },
)


@pytest.mark.cites("ACT-16a", "ACT-16f")
def test_header() -> None:
    assert header_faults(GRID, ATTEMPT) == []


@pytest.mark.cites("ACT-16a")
@each_pair(GRID)
def test_pair(state: str, event: str) -> None:
    assert pair_faults(GRID, ATTEMPT, state, event) == []


@pytest.mark.cites("ACT-16b")
def test_a_slot_is_held_until_the_end_of_the_body_was_observed() -> None:
    assert set(HOLDS_SLOT) == {"running", "aborting"}


@pytest.mark.cites("ACT-16a", "ACT-16b")
@pytest.mark.parametrize("row", ATTEMPT.rows, ids=str)
@pytest.mark.parametrize("effect", ["free_slot", "settle"])
def test_the_end_alone_frees_the_slot_and_settles(row: AnyRow, effect: str) -> None:
    assert (effect in row.then) == (row.target not in HOLDS_SLOT)


@pytest.mark.cites("ACT-16a")
def test_reasons_of_an_abort() -> None:
    assert {reason.value for reason in AbortReason} == {
        "user",
        "dispose",
        "timeout",
        "worker",
        "handler",
        "shutdown",
        "owner_gone",
    }
