"""Stale signals and the ways of an error (WFL-12, 15)."""

from typing import NamedTuple

from dhruva.decide.signal import ErrorClass, Freshness, Route, freshness, route
from dhruva.ids import SignalId, Version, WaitToken
from dhruva.machines.instance import InstanceState
from proofs.contracts.registry import contract

ENDED = (InstanceState.COMPLETED, InstanceState.FAILED, InstanceState.CANCELLED)

GONE = (None, *ENDED)


class Heard(NamedTuple):
    """A signal, and the instance that hears it; without a state there is none."""

    state: InstanceState | None
    signal: int
    last: int | None
    token: int
    waiting: int | None
    expected: int | None
    version: int

    def judged(self) -> Freshness:
        return freshness(
            self.state,
            SignalId(self.signal),
            None if self.last is None else SignalId(self.last),
            WaitToken(self.token),
            None if self.waiting is None else WaitToken(self.waiting),
            None if self.expected is None else Version(self.expected),
            Version(self.version),
        )


@contract(cites="WFL-12")
def a_signal_is_fresh_only_for_the_wait_it_was_meant_for(it: Heard) -> Freshness:
    """
    post: _ != Freshness.FRESH or it.state not in GONE
    post: _ != Freshness.FRESH or it.token == it.waiting
    post: _ != Freshness.FRESH or it.signal != it.last
    post: _ != Freshness.FRESH or it.expected is None or it.expected == it.version
    post: _ == Freshness.FRESH or it.state in GONE or it.signal == it.last or not _meant(it)
    """
    return it.judged()


@contract(cites="WFL-12")
def a_stale_signal_names_the_first_rule(it: Heard) -> Freshness:
    """
    post: (_ == Freshness.DEAD_LETTER) == (it.state is None)
    post: (_ == Freshness.TERMINAL) == (it.state in ENDED)
    post: _ != Freshness.DUPLICATE or it.signal == it.last
    post: _ != Freshness.OTHER_TOKEN or (it.token != it.waiting and it.signal != it.last)
    post: _ != Freshness.OTHER_VERSION or (it.expected != it.version and it.token == it.waiting)
    post: _ != Freshness.OTHER_VERSION or it.signal != it.last
    """
    return it.judged()


def _meant(it: Heard) -> bool:
    """For the wait that is open, in the version that was expected, if one was."""
    return it.token == it.waiting and (it.expected is None or it.expected == it.version)


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
