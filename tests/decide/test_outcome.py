"""What an attempt's end does to its task, against the sentences of ACT-15 and ACT-18 written as a table.

The domains are enums and bools: every combination is enumerated, none is sampled.
"""

from collections.abc import Iterator
from itertools import product
from typing import Final, NamedTuple

import pytest

from dhruva.decide import outcome
from dhruva.decide.outcome import Category, Failure
from dhruva.ids import ENDED, TaskStatus
from dhruva.machines.attempt import AbortReason, AttemptEvent

BOOLS: Final = (False, True)
NEVER, ALWAYS, CONFIGURED = (False, False), (True, True), (False, True)
"""Whether a retry may follow: first where timeouts are not retried, then where they are."""


class Says(NamedTuple):
    """One sentence of ACT-18: what the task becomes, the word of its error, the try, the retry."""

    event: str
    error: str | None
    counts_try: bool
    retry: tuple[bool, bool]


BY_END: Final = {
    AttemptEvent.SUCCEED: Says("succeed", None, True, NEVER),
    AttemptEvent.ERROR: Says("fail", "error", True, ALWAYS),
    AttemptEvent.OWNER_GONE: Says("fail", "interrupted", True, ALWAYS),
}

BY_REASON: Final = {
    AbortReason.TIMEOUT: Says("fail", "timeout", True, CONFIGURED),
    AbortReason.WORKER: Says("fail", "worker", True, ALWAYS),
    AbortReason.HANDLER: Says("fail", "handler", True, ALWAYS),
    AbortReason.SHUTDOWN: Says("fail", "interrupted", False, ALWAYS),
    AbortReason.OWNER_GONE: Says("fail", "interrupted", True, ALWAYS),
}

DROPPED: Final = Says("fail", "dropped", True, NEVER)
ABANDONED: Final = Says("fail", "abandoned", True, NEVER)

END_OF_BODY: Final = (
    AttemptEvent.SUCCEED,
    AttemptEvent.ERROR,
    AttemptEvent.STOPPED,
    AttemptEvent.OWNER_GONE,
)
ENDS: Final = (*END_OF_BODY, AttemptEvent.ABANDON)
REASONS: Final = (None, *AbortReason)


def settled(end: AttemptEvent, reason: AbortReason | None, dropped: bool = False) -> Says:
    """The answer for a task in progress, in the words of the table."""
    quiet, loud = (
        outcome.settle(TaskStatus.IN_PROGRESS, end, reason, dropped, timeouts) for timeouts in BOOLS
    )
    assert quiet[:3] == loud[:3]
    assert quiet.event is not None
    return Says(quiet.event, quiet.failure, quiet.counts_try, (quiet.retry, loud.retry))


@pytest.mark.cites("ACT-18a", "ACT-18b", "ACT-18f", "LIF-15d")
def test_an_attempt_that_was_not_aborting_is_settled_by_its_end() -> None:
    for end, says in BY_END.items():
        assert settled(end, None) == says


@pytest.mark.cites("ACT-18d", "ACT-18e", "ACT-18f", "ACT-18j", "ACT-11f")
def test_from_aborting_the_first_reason_decides() -> None:
    """Whatever ended the body, a success included."""
    for reason, end in product(BY_REASON, END_OF_BODY):
        assert settled(end, reason) == BY_REASON[reason]


@pytest.mark.cites("ACT-18g")
def test_an_abandoned_attempt_fails_its_task_without_retry() -> None:
    """Also from aborting: that nobody observed the end is said, whatever was asked for before."""
    for reason in (None, *BY_REASON):
        assert settled(AttemptEvent.ABANDON, reason) == ABANDONED


@pytest.mark.cites("ACT-18h", "DSP-11e", "DSP-11f")
def test_a_drop_is_an_error_that_is_never_retried() -> None:
    assert settled(AttemptEvent.ERROR, None, dropped=True) == DROPPED


@pytest.mark.cites("ACT-10d", "DSP-11f")
def test_a_drop_is_never_retried_however_the_attempt_ended() -> None:
    """The first reason names the failure; that nothing follows a drop holds all the same.

    Shutdown is left out: ACT-18 makes that task pending again in the same step.
    """
    reasons = set(REASONS) - {AbortReason.SHUTDOWN}
    failures = (case for case in product(ENDS, reasons) if case != (AttemptEvent.SUCCEED, None))
    assert all(settled(end, reason, dropped=True).retry == NEVER for end, reason in failures)


@pytest.mark.cites("LIF-14g")
def test_what_is_not_safe_to_repeat_is_never_retried() -> None:
    """All else is as it is for a safe one, after a shutdown too."""
    for facts in product(TaskStatus, ENDS, REASONS, BOOLS, BOOLS):
        safe, unsafe = (outcome.settle(*facts, retry_safe=retry_safe) for retry_safe in (True, False))
        assert unsafe == safe._replace(retry=False)


@pytest.mark.cites("ACT-10d")
def test_an_abort_by_user_or_dispose_is_never_retried() -> None:
    reasons = (AbortReason.USER, AbortReason.DISPOSE)
    for status, end, reason, dropped, timeouts in product(TaskStatus, ENDS, reasons, BOOLS, BOOLS):
        assert not outcome.settle(status, end, reason, dropped, timeouts).retry


@pytest.mark.cites("ACT-18c", "ACT-18i")
def test_a_task_that_has_ended_stays_as_it_is() -> None:
    """An abort by user or dispose is such a case: the task was cancelled when it was asked for."""
    for status, end, reason, dropped, timeouts in product(ENDED, ENDS, REASONS, BOOLS, BOOLS):
        answer = outcome.settle(status, end, reason, dropped, timeouts)
        assert (answer.event, answer.failure, answer.retry) == (None, None, False)


def every_settlement() -> Iterator[tuple[AbortReason | None, outcome.Settlement]]:
    for status, end, reason, dropped, timeouts in product(TaskStatus, ENDS, REASONS, BOOLS, BOOLS):
        yield reason, outcome.settle(status, end, reason, dropped, timeouts)


@pytest.mark.cites("ACT-15a", "ACT-18")
def test_a_failed_task_has_one_failure_and_no_other_task_has_any() -> None:
    for _, answer in every_settlement():
        assert (answer.event == "fail") == (answer.failure is not None)


@pytest.mark.cites("ACT-18e")
def test_only_a_shutdown_gives_the_try_back() -> None:
    assert {reason for reason, answer in every_settlement() if not answer.counts_try} == {"shutdown"}


CATEGORIES: Final = {
    "execution": ALWAYS,
    "worker": ALWAYS,
    "handler": ALWAYS,
    "scheduling": NEVER,
    "lifecycle": NEVER,
    "developer": NEVER,
    "policy": CONFIGURED,
}


@pytest.mark.cites("ACT-15a")
def test_each_failure_has_exactly_one_category() -> None:
    assert set(Category) == set(CATEGORIES)
    assert set(outcome.CATEGORY) == set(Failure)
    assert set(outcome.CATEGORY.values()) == set(CATEGORIES)


@pytest.mark.cites("ACT-15a", "ACT-15d")
def test_the_categories_that_the_contract_names() -> None:
    """A timeout belongs to policy; what LIF-14 retries as it stands are execution failures."""
    assert outcome.CATEGORY[Failure.TIMEOUT] == "policy"
    assert outcome.CATEGORY[Failure.WORKER] == "worker"
    assert outcome.CATEGORY[Failure.HANDLER] == "handler"
    assert outcome.CATEGORY[Failure.ERROR] == outcome.CATEGORY[Failure.INTERRUPTED] == "execution"


@pytest.mark.cites("ACT-15b", "ACT-15c", "ACT-15d", "ACT-10e")
def test_the_category_says_whether_a_retry_may_follow() -> None:
    for failure in Failure:
        answers = tuple(outcome.retriable(failure, timeouts) for timeouts in BOOLS)
        assert answers == CATEGORIES[outcome.CATEGORY[failure]]


@pytest.mark.cites("ACT-10a", "ACT-10d", "ACT-10e")
def test_what_may_be_retried_by_the_words_of_the_contract() -> None:
    """Error, worker, handler and interrupted: LIF-14 applies. Timeout: if configured. Else: never."""
    words = {"timeout": CONFIGURED} | dict.fromkeys(("error", "worker", "handler", "interrupted"), ALWAYS)
    for failure in Failure:
        answers = tuple(outcome.retriable(failure, timeouts) for timeouts in BOOLS)
        assert answers == words.get(failure, NEVER)
