"""Whether a signal resumes an instance, and where a workflow error leads (WFL-12, WFL-15)."""

from enum import StrEnum
from typing import Final

from dhruva.ids import SignalId, Version, WaitToken
from dhruva.machines.instance import InstanceState


class Freshness(StrEnum):
    """The answer to a signal: fresh, or the first rule that makes it stale (WFL-12)."""

    FRESH = "fresh"
    DEAD_LETTER = "dead_letter"
    TERMINAL = "terminal"
    DUPLICATE = "duplicate"
    OTHER_TOKEN = "other_token"
    OTHER_VERSION = "other_version"


TERMINAL: Final = frozenset({InstanceState.COMPLETED, InstanceState.FAILED, InstanceState.CANCELLED})


def freshness(
    state: InstanceState | None,
    signal: SignalId | None,
    last_signal: SignalId | None,
    token: WaitToken,
    waiting_token: WaitToken | None,
    expected: Version | None,
    version: Version,
) -> Freshness:
    """The stale rule, in its order.

    `expected` is None where the signal names no version, `signal` is None for one that the kernel sends
    itself, from a child, a task or a human task: its token tells it from every other.
    """
    if state is None:
        return Freshness.DEAD_LETTER
    if state in TERMINAL:
        return Freshness.TERMINAL
    if signal is not None and signal == last_signal:
        return Freshness.DUPLICATE
    if token != waiting_token:
        return Freshness.OTHER_TOKEN
    if expected is not None and expected != version:
        return Freshness.OTHER_VERSION
    return Freshness.FRESH


class ErrorClass(StrEnum):
    """The classes of workflow errors (WFL-15)."""

    DEFINITION = "definition"
    EXPRESSION = "expression"
    TRANSPORT = "transport"
    TIMEOUT = "timeout"
    AUTHORIZATION = "authorization"
    CONSISTENCY = "engine_consistency"


class Route(StrEnum):
    """Where an error leads."""

    FAILURE_BRANCH = "failure_branch"
    RETRY = "retry"
    RECOVERABLE_ERROR = "recoverable_error"
    FAIL = "fail"


RETRIED: Final = frozenset({ErrorClass.TRANSPORT, ErrorClass.TIMEOUT})
FATAL: Final = frozenset({ErrorClass.EXPRESSION, ErrorClass.AUTHORIZATION})


def route(error: ErrorClass, has_failure_branch: bool, retries: int, max_retries: int) -> Route:
    """Where an error of a step leads (WFL-15).

    A definition error is none of the run: the definition is unavailable, and the instance waits
    for one that is (WFL-3).
    """
    if error == ErrorClass.DEFINITION:
        return Route.RECOVERABLE_ERROR
    if has_failure_branch:
        return Route.FAILURE_BRANCH
    if error in RETRIED and retries < max_retries:
        return Route.RETRY
    if error in FATAL:
        return Route.FAIL
    return Route.RECOVERABLE_ERROR
