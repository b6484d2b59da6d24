"""Stale signals and the ways of an error (WFL-12, 15)."""

from dhruva.decide.signal import ErrorClass, Freshness, Route, freshness, route
from dhruva.ids import SignalId, Version, WaitToken
from dhruva.machines.instance import InstanceState
from proofs.contracts.registry import contract

ENDED = (InstanceState.COMPLETED, InstanceState.FAILED, InstanceState.CANCELLED)

GONE = (None, *ENDED)


@contract(cites="WFL-12")
def a_signal_is_fresh_only_for_the_wait_it_was_meant_for(
    state: InstanceState | None,
    signal: int,
    last: int | None,
    token: int,
    waiting: int | None,
    expected: int | None,
    version: int,
) -> Freshness:
    """
    post: _ != Freshness.FRESH or (state is not None and state not in ENDED)
    post: _ != Freshness.FRESH or token == waiting
    post: _ != Freshness.FRESH or signal != last
    post: _ != Freshness.FRESH or expected is None or expected == version
    post: _ == Freshness.FRESH or state in GONE or signal == last or token != waiting or expected != version
    """
    return _freshness(state, signal, last, token, waiting, expected, version)


@contract(cites="WFL-12")
def a_stale_signal_names_the_first_rule(
    state: InstanceState | None,
    signal: int,
    last: int | None,
    token: int,
    waiting: int | None,
    expected: int | None,
    version: int,
) -> Freshness:
    """
    post: (_ == Freshness.DEAD_LETTER) == (state is None)
    post: (_ == Freshness.TERMINAL) == (state in ENDED)
    post: _ != Freshness.DUPLICATE or signal == last
    post: _ != Freshness.OTHER_TOKEN or (token != waiting and signal != last)
    post: _ != Freshness.OTHER_VERSION or (expected != version and token == waiting and signal != last)
    """
    return _freshness(state, signal, last, token, waiting, expected, version)


def _freshness(
    state: InstanceState | None,
    signal: int,
    last: int | None,
    token: int,
    waiting: int | None,
    expected: int | None,
    version: int,
) -> Freshness:
    return freshness(
        state,
        SignalId(signal),
        None if last is None else SignalId(last),
        WaitToken(token),
        None if waiting is None else WaitToken(waiting),
        None if expected is None else Version(expected),
        Version(version),
    )


@contract(cites="WFL-15")
def an_error_takes_its_way(error: ErrorClass, branch: bool, retries: int, most: int) -> Route:
    """
    post: error != ErrorClass.DEFINITION or _ == Route.RECOVERABLE_ERROR
    post: error == ErrorClass.DEFINITION or (_ == Route.FAILURE_BRANCH) == branch
    post: _ != Route.RETRY or (error in (ErrorClass.TRANSPORT, ErrorClass.TIMEOUT) and retries < most)
    post: _ != Route.FAIL or error in (ErrorClass.EXPRESSION, ErrorClass.AUTHORIZATION)
    post: error != ErrorClass.CONSISTENCY or _ in (Route.FAILURE_BRANCH, Route.RECOVERABLE_ERROR)
    """
    return route(error, branch, retries, most)
