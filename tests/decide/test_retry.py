"""Automatic retry and its backoff, against exact sums and against the policy played to its end."""

from itertools import pairwise
from typing import Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.decide import retry
from dhruva.decide.outcome import Settlement, settle
from dhruva.ids import TaskStatus
from dhruva.limits import (
    RETRY_CAP_MS,
    RETRY_INITIAL_MS,
    RETRY_MAX_ATTEMPTS,
    STEP_RETRY_CAP_MS,
    STEP_RETRY_INITIAL_MS,
)
from dhruva.machines.attempt import AbortReason, AttemptEvent

delays = st.integers(1, 10**6)
caps = st.integers(1, 2**32 - 1)
tries = st.integers(1, 60)


@pytest.mark.cites("LIF-14b", "ACT-2f")
@settings(deadline=None)
@given(st.integers(1, 200))
def test_max_attempts_counts_the_first(most: int) -> None:
    """An execution that always fails is attempted exactly so often."""
    attempts = 1
    while retry.tries_left(attempts, most):
        attempts += 1
        assert attempts <= most
    assert attempts == most


def declared(attempts: int, initial: int, cap: int) -> int:
    """All delays of a chain: a geometric series up to the cap, then the cap again and again."""
    if initial >= cap:
        return (attempts - 1) * cap
    growing = min(attempts - 1, ((cap - 1) // initial).bit_length())
    return initial * ((1 << growing) - 1) + (attempts - 1 - growing) * cap


@pytest.mark.cites("LIF-14c", "WFL-15c")
@settings(deadline=None, max_examples=300)
@given(tries, delays, caps)
def test_a_chain_of_retries_waits_the_declared_backoff_in_all(attempts: int, initial: int, cap: int) -> None:
    waited = sum(retry.backoff_ms(spent, initial, cap) for spent in range(1, attempts))
    assert waited == declared(attempts, initial, cap)


@pytest.mark.cites("LIF-14c", "WFL-15c")
@settings(deadline=None)
@given(delays, caps)
def test_each_delay_doubles_the_one_before_until_the_cap(initial: int, cap: int) -> None:
    chain = [retry.backoff_ms(spent, initial, cap) for spent in range(1, 60)]
    assert chain[0] == min(initial, cap)
    assert all(later in (2 * delay, cap) and delay <= later <= cap for delay, later in pairwise(chain))


FIRST_DELAYS: Final = {
    (1_000, 60_000): (1, 2, 4, 8, 16, 32, 60, 60, 60, 60),
    (1_000, 300_000): (1, 2, 4, 8, 16, 32, 64, 128, 256, 300),
}


@pytest.mark.cites("LIF-14c", "WFL-15c")
def test_the_delays_of_the_default_policies() -> None:
    tasks, steps = (RETRY_INITIAL_MS, RETRY_CAP_MS), (STEP_RETRY_INITIAL_MS, STEP_RETRY_CAP_MS)
    for policy in (tasks, steps):
        seconds = [retry.backoff_ms(spent, *policy) // 1_000 for spent in range(1, 11)]
        assert tuple(seconds) == FIRST_DELAYS[policy]


class End(NamedTuple):
    """How one attempt of a run ended."""

    event: AttemptEvent
    reason: AbortReason | None
    dropped: bool = False


SHUTDOWN: Final = End(AttemptEvent.STOPPED, AbortReason.SHUTDOWN)
AGAIN: Final = (
    End(AttemptEvent.ERROR, None),
    End(AttemptEvent.OWNER_GONE, None),
    End(AttemptEvent.STOPPED, AbortReason.WORKER),
    End(AttemptEvent.STOPPED, AbortReason.HANDLER),
)
LAST: Final = (
    End(AttemptEvent.SUCCEED, None),
    End(AttemptEvent.ERROR, None, dropped=True),
    End(AttemptEvent.STOPPED, AbortReason.TIMEOUT),
    End(AttemptEvent.ABANDON, None),
)

ends = st.lists(st.sampled_from((SHUTDOWN, *AGAIN, *AGAIN, *LAST)), max_size=20)


def settlement(end: End) -> Settlement:
    return settle(TaskStatus.IN_PROGRESS, end.event, end.reason, end.dropped, retry_on_timeout=False)


def attempts_of_a_run(most: int, ends: list[End]) -> int:
    """How many attempts a run makes that meets these ends, in order, if it lasts so long."""
    spent = 0
    for number, end in enumerate(ends, 1):
        said = settlement(end)
        spent += said.counts_try
        if not (said.retry and retry.tries_left(spent, most)):
            return number
    return len(ends)


def attempts_allowed(most: int, ends: list[End]) -> int:
    """The same from the contract: up to the first end without retry, and `most` that are no shutdown."""
    counted = 0
    for number, end in enumerate(ends, 1):
        counted += end != SHUTDOWN
        if end in LAST or counted == most:
            return number
    return len(ends)


@pytest.mark.cites("LIF-14b", "LIF-15f", "ACT-18e", "ACT-18f", "ACT-18h")
@settings(deadline=None, max_examples=300)
@given(st.integers(1, 6) | st.just(RETRY_MAX_ATTEMPTS), ends)
def test_a_run_makes_as_many_attempts_as_its_policy_says(most: int, ends: list[End]) -> None:
    """Crashes count, shutdowns do not, and nothing follows an end that is not retried."""
    assert attempts_of_a_run(most, ends) == attempts_allowed(most, ends)
