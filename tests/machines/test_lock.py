"""The lock's table against the contract, every state by every event."""

import pytest

from dhruva.machines import MACHINES
from tests.spec.grid import AnyRow, each_pair, grid, header_faults, pair_faults

LOCK = MACHINES["lock"]

GRID = grid(
    "lock",
    """
              claim  conflict  child_recorded  release  unobserved  takeover  force_release
    free      held   .         .               .        .           .         .
    held      .      free      held            free     retained    held      free
    retained  .      .         .               free     .           held      free
    """,
    initial="free",
    final="",
    symbols={
        ("free", "claim"): ("", "publish"),
        ("held", "conflict"): ("nonce", ""),
        ("held", "release"): ("nonce", ""),
        ("held", "unobserved"): ("", "report"),
        ("held", "takeover"): ("stale", "new_nonce"),
        ("held", "force_release"): ("override", ""),
        ("retained", "release"): ("nonce", ""),
        ("retained", "takeover"): ("stale", "new_nonce"),
        ("retained", "force_release"): ("override", ""),
    },
)


@pytest.mark.cites("REL-7h", "REL-8b")
def test_header() -> None:
    assert header_faults(GRID, LOCK) == []


@pytest.mark.cites("REL-7h", "REL-8b")
@each_pair(GRID)
def test_pair(state: str, event: str) -> None:
    assert pair_faults(GRID, LOCK, state, event) == []


@pytest.mark.cites("REL-7h", "REL-8c", "SHL-6a")
@pytest.mark.parametrize("row", [row for row in LOCK.rows if row.target == "free"], ids=str)
def test_only_the_nonce_or_an_operator_frees_a_lock(row: AnyRow) -> None:
    assert row.when in {("nonce",), ("override",)}


@pytest.mark.cites("REL-8b", "REL-8c")
def test_no_observation_in_time_keeps_the_lock() -> None:
    assert {row.target for row in LOCK.rows if row.on == "unobserved"} == {"retained"}
