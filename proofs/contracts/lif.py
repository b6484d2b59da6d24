"""Readiness, automatic retry and the fields of a task (LIF-2 to 6, 8, 9, 14, 16, 20)."""

from dhruva.decide.errors import ErrorCode, may_delete, reexecution_refused
from dhruva.decide.fields import Fields, Misfit, apply, created, misfit
from dhruva.decide.readiness import blocks, first_lane, satisfied
from dhruva.decide.retry import backoff_ms, tries_left
from dhruva.ids import Priority, TaskStatus
from dhruva.limits import RETRY_CAP_MS, RETRY_INITIAL_MS
from dhruva.machines.reexecution import ReexecutionEvent
from dhruva.machines.task import TASK, TaskEvent
from proofs.contracts.registry import contract

NOT_RUN = (TaskStatus.PENDING,)
NOT_ENDED = (TaskStatus.PENDING, TaskStatus.IN_PROGRESS)


@contract(cites="LIF-4")
def a_dependency_is_satisfied_by_its_end(status: TaskStatus | None, required: bool, alive: bool) -> bool:
    """
    post: not _ or status in (TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED)
    post: not _ or not required or status == TaskStatus.COMPLETED
    post: not _ or not alive
    post: _ or alive or status in (None, TaskStatus.PENDING, TaskStatus.IN_PROGRESS) or required
    """
    return satisfied(status, required, alive)


@contract(cites="LIF-5")
def what_blocks_never_satisfies(status: TaskStatus | None, required: bool, alive: bool) -> bool:
    """
    post: not _ or not satisfied(status, required, alive)
    post: _ == (required and status in (TaskStatus.FAILED, TaskStatus.CANCELLED))
    """
    return blocks(status, required)


@contract(cites="LIF-6")
def the_most_urgent_lane_goes_first(urgent: bool, high: bool, normal: bool, low: bool) -> Priority | None:
    """
    post: (_ is None) == (not (urgent or high or normal or low))
    post: not urgent or _ == Priority.URGENT
    post: _ != Priority.HIGH or (high and not urgent)
    post: _ != Priority.NORMAL or (normal and not high and not urgent)
    post: _ != Priority.LOW or (low and not normal and not high and not urgent)
    """
    return first_lane(lambda lane: (urgent, high, normal, low)[lane])


@contract(cites="LIF-14")
def the_first_attempt_counts_as_a_try(tries: int, most: int) -> bool:
    """
    post: _ == (tries < most)
    """
    return tries_left(tries, most)


@contract(cites="LIF-14")
def backoff_doubles_from_a_second_up_to_a_minute(tries: int) -> int:
    """
    pre: tries >= 1
    post: 1_000 <= _ <= 60_000
    post: tries != 1 or _ == 1_000
    post: tries == 1 or _ == min(60_000, 2 * backoff_ms(tries - 1, RETRY_INITIAL_MS, RETRY_CAP_MS))
    """
    return backoff_ms(tries, RETRY_INITIAL_MS, RETRY_CAP_MS)


@contract(cites="LIF-14")
def backoff_is_never_above_its_cap(initial: int, cap: int) -> int:
    """
    pre: initial >= 0 and cap >= 0
    post: min(initial, cap) <= _ <= cap
    post: _ == min(cap, 4 * initial)
    """
    return backoff_ms(3, initial, cap)


def _target(status: TaskStatus, event: TaskEvent) -> TaskStatus | None:
    """Where the shipped table leads."""
    return next((row.target for row in TASK.rows if row.source == status and row.on == event), None)


@contract(cites="LIF-2 LIF-16")
def fields_that_fit_still_fit_after_any_row(
    status: TaskStatus, fields: Fields, event: TaskEvent, now: int
) -> Fields:
    """
    pre: _target(status, event) is not None
    pre: misfit(status, fields) is None
    post: misfit(_target(status, event), _) is None
    post: _.created == fields.created and _.updated >= max(fields.updated, now)
    """
    return apply(fields, event, now)


@contract(cites="LIF-9 LIF-16")
def fields_fit_pending_after_a_re_execution(status: TaskStatus, fields: Fields, now: int) -> Fields:
    """
    pre: misfit(status, fields) is None
    post: misfit(TaskStatus.PENDING, _) is None
    """
    return apply(fields, ReexecutionEvent.REEXECUTE, now)


@contract(cites="LIF-16")
def fields_fit_at_creation(now: int) -> Fields:
    """
    post: misfit(TaskStatus.PENDING, _) is None
    """
    return created(now)


@contract(cites="LIF-16")
def fields_that_fit_are_those_of_the_status(status: TaskStatus, fields: Fields) -> Misfit | None:
    """
    post: _ is not None or fields.result == (status == TaskStatus.COMPLETED)
    post: _ is not None or fields.error == (status in (TaskStatus.FAILED, TaskStatus.CANCELLED))
    post: _ is not None or (fields.completed is None) == (status in NOT_ENDED)
    post: _ is not None or status == TaskStatus.CANCELLED or (fields.started is None) == (status in NOT_RUN)
    post: _ is not None or 0 <= fields.progress <= 1000
    post: _ is not None or fields.started is None or fields.created <= fields.started <= fields.updated
    post: _ is not None or None in (fields.started, fields.completed) or fields.started <= fields.completed
    """
    return misfit(status, fields)


@contract(cites="LIF-9")
def a_refused_re_execution_says_what_is_in_its_way(status: TaskStatus | None, alive: bool) -> ErrorCode:
    """
    post: (_ == ErrorCode.NOT_FOUND) == (status is None)
    post: status is None or (_ == ErrorCode.ALREADY_EXECUTING) == (alive or status == TaskStatus.IN_PROGRESS)
    post: _ in (ErrorCode.NOT_FOUND, ErrorCode.ALREADY_EXECUTING, ErrorCode.INVALID_TRANSITION)
    """
    return reexecution_refused(status, alive)


@contract(cites="LIF-20")
def nothing_that_is_needed_is_deleted(
    status: TaskStatus, alive: bool, children: int, dependents: int
) -> bool:
    """
    pre: children >= 0 and dependents >= 0
    post: _ == (status != TaskStatus.IN_PROGRESS and not alive and children + dependents == 0)
    """
    return may_delete(status, alive, children, dependents)
