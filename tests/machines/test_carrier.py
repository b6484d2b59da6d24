"""The tables of both carriers against the contract, every state by every event."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.machines import MACHINES
from tests.spec.grid import each_pair, grid, header_faults, pair_faults, walk

PRIMARY = MACHINES["carrier-primary"]
COOPERATIVE = MACHINES["carrier-cooperative"]

PRIMARY_GRID = grid(
    "carrier-primary",
    """
               commit     released  withdraw
    idle       committed  .         withdrawn
    committed  .          void      .
    void       .          .         .
    withdrawn  .          .         .
    """,
    initial="idle",
    final="void withdrawn",
    symbols={
        ("idle", "commit"): ("cooperatives_withdrawn", "dispatch"),
    },
)

COOPERATIVE_GRID = grid(
    "carrier-cooperative",
    """
               withdraw
    idle       withdrawn
    withdrawn  .
    """,
    initial="idle",
    final="withdrawn",
)

EVENTS = st.lists(st.sampled_from(PRIMARY_GRID.events), max_size=40)


@pytest.mark.cites("DSP-2a", "DSP-2e")
def test_primary_header() -> None:
    assert header_faults(PRIMARY_GRID, PRIMARY) == []


@pytest.mark.cites("DSP-2b", "DSP-2c", "DSP-2f", "DSP-5c")
@each_pair(PRIMARY_GRID)
def test_primary_pair(state: str, event: str) -> None:
    assert pair_faults(PRIMARY_GRID, PRIMARY, state, event) == []


@pytest.mark.cites("DSP-2a", "DSP-2e")
def test_cooperative_header() -> None:
    assert header_faults(COOPERATIVE_GRID, COOPERATIVE) == []


@pytest.mark.cites("DSP-2d")
@each_pair(COOPERATIVE_GRID)
def test_cooperative_pair(state: str, event: str) -> None:
    assert pair_faults(COOPERATIVE_GRID, COOPERATIVE, state, event) == []


@pytest.mark.cites("DSP-2d", "DSP-5b", "DSP-5d")
@settings(deadline=None)
@given(events=EVENTS)
def test_a_cooperative_never_commits_nor_dispatches(events: list[str]) -> None:
    taken = list(walk(COOPERATIVE, "idle", events))
    assert "committed" not in {row.target for row in taken}
    assert [row.then for row in taken if row.then] == []


@pytest.mark.cites("DSP-2b", "DSP-3d")
@settings(deadline=None)
@given(events=EVENTS)
def test_a_primary_dispatches_at_most_once_and_exactly_at_its_commit(events: list[str]) -> None:
    taken = list(walk(PRIMARY, "idle", events))
    dispatched = [row for row in taken if "dispatch" in row.then]
    assert dispatched == [row for row in taken if row.target == "committed"]
    assert len(dispatched) <= 1
