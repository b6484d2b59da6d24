"""Authorization and the ends of attempts (ACT-2, 3, 10, 13, 15, 18)."""

from dhruva.decide.authority import REJECTIONS, Facts, Verdict, authorize
from dhruva.decide.outcome import CATEGORY, Category, Failure, Settlement, retriable, settle
from dhruva.ids import TaskStatus
from dhruva.machines.attempt import AbortReason, AttemptEvent
from dhruva.machines.scope import ScopeState
from proofs.contracts.registry import contract

OF_THE_WORK = (Category.EXECUTION, Category.WORKER, Category.HANDLER)
REFUSABLE = (Verdict.CONCURRENCY_LIMIT, Verdict.QUEUED, Verdict.QUEUE_FULL)


def _lets_in(facts: Facts) -> bool:
    """Room for one more, here and over all scopes."""
    return facts.active < facts.max_concurrent and facts.active_overall < facts.max_overall


def _breaks(facts: Facts, reason: Verdict) -> bool:
    """Whether the rule of this reason is broken, whatever the others say."""
    rules = {
        Verdict.SCOPE_NOT_FOUND: facts.scope is None,
        Verdict.SCOPE_DISPOSED: facts.scope in (ScopeState.DISPOSING, ScopeState.DISPOSED),
        Verdict.SCOPE_SUSPENDED: facts.scope == ScopeState.SUSPENDED,
        Verdict.SCOPE_NOT_ATTACHED: facts.scope == ScopeState.INIT,
        Verdict.SPAWN_LIMIT: facts.spawned >= facts.max_spawns,
        Verdict.POLICY_WINDOW: facts.waited_too_long or facts.tries >= facts.max_tries,
        Verdict.CONCURRENCY_LIMIT: not _lets_in(facts) and not facts.queues,
        Verdict.QUEUE_FULL: not _lets_in(facts) and facts.queues and facts.queued >= facts.max_queued,
    }
    return rules[reason]


@contract(cites="ACT-2")
def authorized_only_where_every_rule_holds(facts: Facts) -> Verdict:
    """
    post: _ != Verdict.AUTHORIZED or facts.scope in (ScopeState.ATTACHED, ScopeState.RUNNING)
    post: _ != Verdict.AUTHORIZED or _lets_in(facts)
    post: _ != Verdict.AUTHORIZED or (facts.tries < facts.max_tries and not facts.waited_too_long)
    post: _ != Verdict.AUTHORIZED or facts.spawned < facts.max_spawns
    post: _ == Verdict.AUTHORIZED or not _lets_in(facts) or any(_breaks(facts, rule) for rule in REJECTIONS)
    """
    return authorize(facts)


def _comes_before(earlier: Verdict, reason: Verdict) -> bool:
    return REJECTIONS.index(earlier) < REJECTIONS.index(reason)


@contract(cites="ACT-3")
def a_rejection_names_the_first_broken_rule(facts: Facts, earlier: Verdict) -> Verdict:
    """
    pre: earlier in REJECTIONS
    post: _ not in REJECTIONS or _breaks(facts, _)
    post: _ not in REJECTIONS or not _comes_before(earlier, _) or not _breaks(facts, earlier)
    """
    return authorize(facts)


@contract(cites="ACT-13")
def only_what_lacks_room_is_queued_and_only_up_to_the_bound(facts: Facts) -> Verdict:
    """
    post: _ != Verdict.QUEUED or (facts.queues and facts.queued < facts.max_queued and not _lets_in(facts))
    post: _ not in REFUSABLE or not any(_breaks(facts, rule) for rule in REJECTIONS[:-2])
    post: facts.queues or _ not in (Verdict.QUEUED, Verdict.QUEUE_FULL)
    """
    return authorize(facts)


@contract(cites="ACT-10 ACT-15")
def what_may_be_retried(failure: Failure, on_timeout: bool) -> bool:
    """
    post: not _ or failure not in (Failure.CANCELLED, Failure.REJECTED, Failure.DROPPED, Failure.ABANDONED)
    post: failure != Failure.TIMEOUT or _ == on_timeout
    post: failure == Failure.TIMEOUT or _ == (CATEGORY[failure] in OF_THE_WORK)
    """
    return retriable(failure, on_timeout)


@contract(cites="ACT-18")
def a_task_that_has_ended_stays_as_it_is(
    status: TaskStatus, end: AttemptEvent, reason: AbortReason | None, dropped: bool, on_timeout: bool
) -> Settlement:
    """
    post: (_.event is None) == (status != TaskStatus.IN_PROGRESS)
    """
    return settle(status, end, reason, dropped, on_timeout)


@contract(cites="ACT-18 DSP-11")
def what_the_end_of_an_attempt_says(
    end: AttemptEvent, reason: AbortReason | None, dropped: bool, on_timeout: bool
) -> Settlement:
    """
    post: _.counts_try or (reason == AbortReason.SHUTDOWN and end != AttemptEvent.ABANDON)
    post: (_.failure == Failure.ABANDONED) == (end == AttemptEvent.ABANDON)
    post: not _.retry or end != AttemptEvent.ABANDON
    post: not _.retry or reason not in (AbortReason.USER, AbortReason.DISPOSE)
    post: not _.retry or on_timeout or reason != AbortReason.TIMEOUT
    post: not (_.retry and dropped) or reason == AbortReason.SHUTDOWN
    post: (_.failure is None) == (end == AttemptEvent.SUCCEED and reason is None)
    """
    return settle(TaskStatus.IN_PROGRESS, end, reason, dropped, on_timeout)
