"""Stale signals and the routes of workflow errors, by breaking the rules of WFL-12 and WFL-15 one by one."""

from itertools import combinations, product
from typing import Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.decide import signal
from dhruva.decide.signal import ErrorClass, Freshness
from dhruva.ids import SignalId, Version, WaitToken
from dhruva.limits import STEP_RETRY_MAX
from dhruva.machines.instance import InstanceState

ORDER: Final = ("dead_letter", "terminal", "duplicate", "other_token", "other_version")
RULES: Final = ("duplicate", "other_token", "other_version")
BREAKAGES: Final = tuple(frozenset(some) for size in range(4) for some in combinations(RULES, size))

BY_STATE: Final[dict[InstanceState | None, str | None]] = {
    None: "dead_letter",
    InstanceState.RUNNING: None,
    InstanceState.WAITING: None,
    InstanceState.RECOVERABLE_ERROR: None,
    InstanceState.COMPLETED: "terminal",
    InstanceState.FAILED: "terminal",
    InstanceState.CANCELLED: "terminal",
}

numbers = st.integers(1, 5)
shifts = st.integers(1, 3)


def answer_to(state: InstanceState | None, broken: frozenset[str], number: int, shift: int) -> Freshness:
    """A signal that breaks exactly these rules; all names share a number where they need not differ."""
    return signal.freshness(
        state,
        SignalId(number),
        SignalId(number if "duplicate" in broken else number + shift),
        WaitToken(number),
        WaitToken(number + shift if "other_token" in broken else number),
        Version(number),
        Version(number + shift if "other_version" in broken else number),
    )


@pytest.mark.cites("WFL-12b", "WFL-12c", "WFL-12d", "WFL-21c")
@settings(deadline=None)
@given(numbers, shifts)
def test_the_answer_is_the_first_rule_that_makes_it_stale(number: int, shift: int) -> None:
    """Every state of the instance, an unknown one included, with every set of broken rules."""
    for state, broken in product(BY_STATE, BREAKAGES):
        reasons = broken | {BY_STATE[state]}
        expected = next((reason for reason in ORDER if reason in reasons), "fresh")
        assert answer_to(state, broken, number, shift) == expected


@pytest.mark.cites("WFL-12c")
@settings(deadline=None)
@given(numbers, numbers)
def test_a_first_signal_and_one_without_a_version_can_be_fresh(number: int, version: int) -> None:
    token = WaitToken(number)
    answer = signal.freshness(
        InstanceState.WAITING, SignalId(number), None, token, token, None, Version(version)
    )
    assert answer == "fresh"


@pytest.mark.cites("WFL-12a", "WFL-12c")
@settings(deadline=None)
@given(numbers, st.none() | numbers.map(SignalId), shifts)
def test_a_signal_without_an_id_is_told_by_its_token(number: int, last: SignalId | None, shift: int) -> None:
    """It has no id that could be that of the last one, even where the last one had none."""
    token, other, version = WaitToken(number), WaitToken(number + shift), Version(number)
    fits = signal.freshness(InstanceState.WAITING, None, last, token, token, version, version)
    late = signal.freshness(InstanceState.WAITING, None, last, token, other, version, version)
    assert (fits, late) == ("fresh", "other_token")


@pytest.mark.cites("WFL-12a", "WFL-12c")
@settings(deadline=None)
@given(numbers, numbers)
def test_without_a_wait_no_token_fits(number: int, token: int) -> None:
    for state in InstanceState:
        answer = signal.freshness(
            state, SignalId(number), None, WaitToken(token), None, None, Version(number)
        )
        assert answer != "fresh"


class Sent(NamedTuple):
    id: SignalId
    token: WaitToken
    expected: Version | None


class Waiting(NamedTuple):
    """An instance that waits: a token that is never used again, the last signal, the snapshot's version."""

    token: WaitToken
    last: SignalId | None
    version: Version


sent = st.builds(
    Sent,
    st.integers(1, 6).map(SignalId),
    st.integers(1, 4).map(WaitToken),
    st.none() | st.integers(1, 4).map(Version),
)


def after(waiting: Waiting, one: Sent) -> Waiting:
    """A fresh signal resumes and leads to the next wait; all others change nothing."""
    answer = signal.freshness(
        InstanceState.WAITING, one.id, waiting.last, one.token, waiting.token, one.expected, waiting.version
    )
    if answer != Freshness.FRESH:
        return waiting
    return Waiting(WaitToken(waiting.token + 1), one.id, Version(waiting.version + 1))


@pytest.mark.cites("WFL-12a", "WFL-12c", "WFL-12f")
@settings(deadline=None, max_examples=300)
@given(st.lists(sent, max_size=15))
def test_a_token_resumes_at_most_once(signals: list[Sent]) -> None:
    """A wait and its timeout are two signals with one token; late, repeated and foreign ones come as well."""
    waiting, resumed = Waiting(WaitToken(1), None, Version(1)), list[Sent]()
    for one in signals:
        later = after(waiting, one)
        if later != waiting:
            resumed.append(one)
            assert one.expected in (None, waiting.version)
            assert one.id != waiting.last
        waiting = later
    assert [one.token for one in resumed] == list(range(1, len(resumed) + 1))


WITHOUT_BRANCH: Final = {
    # class of the error: while retries are left, when none is
    "definition": ("recoverable_error", "recoverable_error"),
    "expression": ("fail", "fail"),
    "transport": ("retry", "recoverable_error"),
    "timeout": ("retry", "recoverable_error"),
    "authorization": ("fail", "fail"),
    "engine_consistency": ("recoverable_error", "recoverable_error"),
}


@pytest.mark.cites("WFL-15", "WFL-15a", "WFL-15b", "WFL-15c", "WFL-15d", "WFL-15e", "WFL-15f", "WFL-3d")
@settings(deadline=None)
@given(st.integers(0, 5), st.integers(0, 5))
def test_each_class_of_error_has_its_route(retries: int, most: int) -> None:
    """Every class, with and without a failure branch; a definition error is none of the run and has none."""
    assert set(ErrorClass) == set(WITHOUT_BRANCH)
    for error in ErrorClass:
        spent = retries >= most
        assert signal.route(error, False, retries, most) == WITHOUT_BRANCH[error][spent]
        branch = "recoverable_error" if error == "definition" else "failure_branch"
        assert signal.route(error, True, retries, most) == branch


@pytest.mark.cites("WFL-15c", "WFL-15d")
@settings(deadline=None)
@given(st.integers(0, 20) | st.just(STEP_RETRY_MAX))
def test_a_step_that_keeps_failing_is_retried_so_often_and_then_left(most: int) -> None:
    for error in (ErrorClass.TRANSPORT, ErrorClass.TIMEOUT):
        routes = [signal.route(error, False, retries, most) for retries in range(most + 1)]
        assert routes == ["retry"] * most + ["recoverable_error"]
