"""The tables of the three release policies against the contract, every state by every event."""

from collections.abc import Sequence
from itertools import chain, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.machines import MACHINES
from tests.spec.grid import each_pair, grid, header_faults, pair_faults, walk

NO_LOCK_GRID = grid(
    "release-no-lock",
    """
             send-final  spawn-started  spawn-start-failed  socket-alive  child-exited  mailbox-enqueued
    holding  holding     holding        holding             holding       holding       holding
    """,
    initial="holding",
    final="holding",
)

SEND_GRID = grid(
    "release-after-send-final",
    """
              send-final  spawn-started  spawn-start-failed  socket-alive  child-exited  mailbox-enqueued
    holding   released    holding        holding             holding       holding       holding
    released  released    released       released            released      released      released
    """,
    initial="holding",
    final="released",
    symbols={
        ("holding", "send-final"): ("", "release_lock"),
    },
)

SPAWN_GRID = grid(
    "release-after-spawn-observation",
    """
              send-final  spawn-started  spawn-start-failed  socket-alive  child-exited  mailbox-enqueued
    holding   holding     holding        released            released      released      holding
    released  released    released       released            released      released      released
    """,
    initial="holding",
    final="released",
    symbols={
        ("holding", "spawn-start-failed"): ("", "release_lock"),
        ("holding", "socket-alive"): ("", "release_lock"),
        ("holding", "child-exited"): ("", "release_lock"),
    },
)

EVENTS = (
    "send-final",
    "spawn-started",
    "spawn-start-failed",
    "socket-alive",
    "child-exited",
    "mailbox-enqueued",
)

# What each policy releases on, as REL-3 says it.
QUALIFYING = {
    "release-no-lock": set[str](),
    "release-after-send-final": {"send-final"},
    "release-after-spawn-observation": {"socket-alive", "child-exited", "spawn-start-failed"},
}


def releases(policy: str, events: Sequence[str]) -> int:
    """How often this sequence of events releases the lock."""
    return sum(row.then.count("release_lock") for row in walk(MACHINES[policy], "holding", events))


def expected(policy: str, events: Sequence[str]) -> int:
    """REL-4: once iff the sequence holds an event that qualifies."""
    return int(not QUALIFYING[policy].isdisjoint(events))


@pytest.mark.cites("REL-3a", "REL-3b")
def test_no_lock_header() -> None:
    assert header_faults(NO_LOCK_GRID, MACHINES["release-no-lock"]) == []


@pytest.mark.cites("REL-3a", "REL-3c")
@each_pair(NO_LOCK_GRID)
def test_no_lock_pair(state: str, event: str) -> None:
    assert pair_faults(NO_LOCK_GRID, MACHINES["release-no-lock"], state, event) == []


@pytest.mark.cites("REL-3a", "REL-3b")
def test_send_header() -> None:
    assert header_faults(SEND_GRID, MACHINES["release-after-send-final"]) == []


@pytest.mark.cites("REL-3a", "REL-3d")
@each_pair(SEND_GRID)
def test_send_pair(state: str, event: str) -> None:
    assert pair_faults(SEND_GRID, MACHINES["release-after-send-final"], state, event) == []


@pytest.mark.cites("REL-3a", "REL-3b")
def test_spawn_header() -> None:
    assert header_faults(SPAWN_GRID, MACHINES["release-after-spawn-observation"]) == []


@pytest.mark.cites("REL-3a", "REL-3e")
@each_pair(SPAWN_GRID)
def test_spawn_pair(state: str, event: str) -> None:
    assert pair_faults(SPAWN_GRID, MACHINES["release-after-spawn-observation"], state, event) == []


@pytest.mark.cites("REL-4a", "REL-4b", "REL-4c", "REL-4d")
@pytest.mark.parametrize("policy", QUALIFYING)
def test_released_once_iff_an_event_qualifies_in_every_sequence_up_to_five(policy: str) -> None:
    sequences = chain.from_iterable(product(EVENTS, repeat=length) for length in range(6))
    assert [events for events in sequences if releases(policy, events) != expected(policy, events)] == []


@pytest.mark.cites("REL-4a", "REL-4b", "REL-4c", "REL-4d")
@pytest.mark.parametrize("policy", QUALIFYING)
@settings(deadline=None)
@given(events=st.lists(st.sampled_from(EVENTS), min_size=6, max_size=100))
def test_released_once_iff_an_event_qualifies_in_longer_sequences(policy: str, events: list[str]) -> None:
    assert releases(policy, events) == expected(policy, events)


@pytest.mark.cites("REL-3f")
@pytest.mark.parametrize("policy", QUALIFYING)
def test_a_started_spawn_never_releases(policy: str) -> None:
    assert releases(policy, ["spawn-started", "spawn-started"]) == 0
