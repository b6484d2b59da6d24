"""Every contract is confirmed over all paths, and each of them can fail."""

from collections.abc import Callable
from types import ModuleType

import pytest

from dhruva.decide import admission, authority, errors, fields, outcome, plan, readiness, retry, signal
from proofs.contracts import act, dsp, lif, rel, wfl
from proofs.contracts.confirm import confirm, contracts, lines
from proofs.contracts.registry import Contract
from tests.decide.planting import planted

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # CrossHair loads all there is

BY_NAME = {contract.function.__name__: contract for contract in contracts()}

FAULTS: dict[str, tuple[ModuleType, str, ModuleType, str, str]] = {
    # the contract: where it stands, the decision it asks, and one piece of text exchanged in that decision
    "authorized_only_where_every_rule_holds": (
        act,
        "authorize",
        authority,
        "active < max_concurrent and",
        "active <= max_concurrent and",
    ),
    "a_rejection_names_the_first_broken_rule": (
        act,
        "authorize",
        authority,
        "if spawned >= max_spawns:",
        "if spawned >= max_spawns and tries < max_tries:",
    ),
    "only_what_lacks_room_is_queued_and_only_up_to_the_bound": (
        act,
        "authorize",
        authority,
        "queued < max_queued",
        "queued <= max_queued",
    ),
    "what_may_be_retried": (
        act,
        "retriable",
        outcome,
        "Failure.DROPPED: Category.SCHEDULING",
        "Failure.DROPPED: Category.EXECUTION",
    ),
    "a_task_that_has_ended_stays_as_it_is": (
        act,
        "settle",
        outcome,
        "if status != _IN_PROGRESS:",
        "if status == TaskStatus.COMPLETED:",
    ),
    "what_the_end_of_an_attempt_says": (
        act,
        "settle",
        outcome,
        "AbortReason.USER: Failure.CANCELLED",
        "AbortReason.USER: Failure.ERROR",
    ),
    "dispatched_only_within_budget_depth_and_pressure": (
        dsp,
        "admit",
        admission,
        "if spawned >= budget:",
        "if spawned > budget:",
    ),
    "admission_names_budget_before_depth_before_pressure": (
        dsp,
        "admit",
        admission,
        "return Admission.SPAWN_BUDGET_EXHAUSTED",
        "return Admission.PRESSURE_EXCEEDED",
    ),
    "a_signal_is_honoured_one_deeper_within_the_same_guards": (
        dsp,
        "readmit",
        admission,
        "admit(spawned, budget, depth + 1, max_depth",
        "admit(spawned, budget, depth, max_depth",
    ),
    "an_escalation_that_is_honoured_is_one_level_more_urgent": (
        dsp,
        "readmit",
        admission,
        "min(urgency + 1, URGENCY_MAX)",
        "min(urgency + 2, URGENCY_MAX)",
    ),
    "a_drop_signal_drops_and_says_so": (
        dsp,
        "readmit",
        admission,
        "return Readmission(answer, depth, urgency)",
        "return Readmission(answer, depth + 1, urgency)",
    ),
    "thresholds_fall_by_a_tenth_per_level_down_to_a_half": (
        dsp,
        "threshold",
        admission,
        "THRESHOLD_MILLI - THRESHOLD_STEP_MILLI *",
        "THRESHOLD_MILLI + THRESHOLD_STEP_MILLI *",
    ),
    "each_pressure_counts_from_none_to_one_whole": (
        dsp,
        "pressure",
        admission,
        "return min(max(value, 0), most)",
        "return max(value, 0)",
    ),
    "only_a_mean_strictly_above_the_threshold_is_too_much": (
        dsp,
        "permits",
        admission,
        "total <= PRESSURES",
        "total < PRESSURES",
    ),
    "cooperatives_are_the_whole_units_of_load_up_to_the_most": (
        dsp,
        "cooperative_count",
        admission,
        "load >= k * carried",
        "load > k * carried",
    ),
    "load_grows_with_depth_up_to_twice": (
        dsp,
        "cooperative_count",
        admission,
        "(max_depth + depth, max_depth)",
        "(max_depth, max_depth)",
    ),
    "a_dependency_is_satisfied_by_its_end": (
        lif,
        "satisfied",
        readiness,
        "    if attempt_alive:\n        return False\n",
        "",
    ),
    "what_blocks_never_satisfies": (
        lif,
        "blocks",
        readiness,
        "return required and status in STUCK",
        "return status in STUCK",
    ),
    "the_most_urgent_lane_goes_first": (
        lif,
        "first_lane",
        readiness,
        "(Priority.URGENT, Priority.HIGH,",
        "(Priority.HIGH, Priority.URGENT,",
    ),
    "the_first_attempt_counts_as_a_try": (
        lif,
        "tries_left",
        retry,
        "return tries < max_attempts",
        "return tries <= max_attempts",
    ),
    "backoff_doubles_from_a_second_up_to_a_minute": (
        lif,
        "backoff_ms",
        retry,
        "if earlier >= tries:",
        "if earlier > tries:",
    ),
    "backoff_is_never_above_its_cap": (
        lif,
        "backoff_ms",
        retry,
        "delay = min(delay * 2, cap_ms)",
        "delay = delay * 2",
    ),
    "fields_that_fit_still_fit_after_any_row": (
        lif,
        "apply",
        fields,
        "stamp = max(now, fields.updated)",
        "stamp = now",
    ),
    "fields_fit_pending_after_a_re_execution": (
        lif,
        "apply",
        fields,
        "_RESET: Final = FieldActions(Act.CLEAR, Act.CLEAR,",
        "_RESET: Final = FieldActions(Act.KEEP, Act.CLEAR,",
    ),
    "fields_fit_at_creation": (
        lif,
        "created",
        fields,
        "return Fields(now, None, None, now, False, False, 0)",
        "return Fields(now, now, None, now, False, False, 0)",
    ),
    "fields_that_fit_are_those_of_the_status": (
        lif,
        "misfit",
        fields,
        "if fields.error != (status in CARRIES_ERROR):",
        "if fields.error and status not in CARRIES_ERROR:",
    ),
    "a_refused_re_execution_says_what_is_in_its_way": (
        lif,
        "reexecution_refused",
        errors,
        "if attempt_alive or status == TaskStatus.IN_PROGRESS:",
        "if status == TaskStatus.IN_PROGRESS:",
    ),
    "nothing_that_is_needed_is_deleted": (
        lif,
        "may_delete",
        errors,
        " and dependents == 0",
        "",
    ),
    "a_plan_fits_the_wish_and_what_is_known": (
        rel,
        "plan",
        plan,
        "if liveness == Liveness.INDETERMINATE:",
        "if liveness == Liveness.INDETERMINATE and not deliverable:",
    ),
    "a_policy_follows_from_the_transport": (
        rel,
        "policy",
        plan,
        "Plan.CONTROL_SOCKET: ReleasePolicy.AFTER_SEND_FINAL",
        "Plan.CONTROL_SOCKET: ReleasePolicy.NO_LOCK",
    ),
    "a_lock_that_does_not_belong_is_a_violation": (
        rel,
        "policy",
        plan,
        "    if locked != target:\n        return Violation.LOCK_OF_ANOTHER_TARGET\n",
        "",
    ),
    "a_claim_is_stale_on_evidence_alone": (
        rel,
        "stale",
        plan,
        "return readable and lock_granted and",
        "return lock_granted and",
    ),
    "a_signal_is_fresh_only_for_the_wait_it_was_meant_for": (
        wfl,
        "freshness",
        signal,
        "if token != waiting_token:",
        "if waiting_token is None:",
    ),
    "a_stale_signal_names_the_first_rule": (
        wfl,
        "freshness",
        signal,
        "    if state in TERMINAL:\n        return Freshness.TERMINAL\n",
        "",
    ),
    "an_error_takes_its_way": (
        wfl,
        "route",
        signal,
        "if error in RETRIED and retries < max_retries:",
        "if error in RETRIED:",
    ),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_every_contract_is_confirmed_over_all_paths(name: str) -> None:
    answer = confirm(BY_NAME[name])
    assert answer.holds, "\n".join(lines([answer]))


@pytest.mark.parametrize("name", BY_NAME)
def test_a_planted_fault_is_refuted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, decision, module, old, new = FAULTS[name]
    monkeypatch.setattr(where, decision, getattr(planted(module, old, new), decision))
    answer = confirm(BY_NAME[name])
    assert any(fault.startswith("post_fail") for fault in answer.faults), "\n".join(lines([answer]))


def same(x: int) -> int:
    """
    post: _ == x
    posts: _ == x + 1
    """
    return x


def never_asked(x: int) -> int:
    """
    pre: x > x
    post: _ == x
    """
    return x


def says_nothing(x: int) -> int:
    """The same."""
    return x


@pytest.mark.parametrize(
    ("function", "said"), [(same, "unknown key 'posts'"), (never_asked, "pre_unsat"), (says_nothing, "")]
)
def test_what_crosshair_would_pass_over_is_not_confirmed(function: Callable[[int], int], said: str) -> None:
    answer = confirm(Contract(function, "VER-3"))
    assert not answer.holds
    assert any(fault.startswith(said) for fault in answer.faults) or not said
