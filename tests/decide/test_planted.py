"""Faults planted in the decisions, and for each a property of this folder that sees it (VER-5).

A fault is one piece of a module's text exchanged for another. The property is the very one that
pytest collects, executed once more with the faulty module in the place of the sound one.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from dhruva.decide import admission, authority, errors, fields, outcome, plan, readiness, retry, signal
from tests.decide.planting import planted, rehearsal


class Fault(NamedTuple):
    """What is exchanged for what, and the property that must fail."""

    module: ModuleType
    old: str
    new: str
    seen_by: str

    @property
    def name(self) -> str:
        return self.module.__name__.rpartition(".")[2]


FAULTS = (
    # two rejections change names; two change places; a limit is passed by one; a cap is forgotten
    Fault(authority, "scope == _SUSPENDED", "scope == ScopeState.INIT",
          "test_the_state_of_the_scope_alone_can_refuse"),
    Fault(authority, "scope not in ALIVE", "scope == ScopeState.DISPOSED",
          "test_the_state_of_the_scope_alone_can_refuse"),
    Fault(authority, "if spawned >= max_spawns",
          "if spawned >= max_spawns and tries < max_tries",
          "test_the_reason_is_the_first_broken_rule"),
    Fault(authority, "tries >= max_tries", "tries > max_tries",
          "test_authorized_iff_all_rules_hold"),
    Fault(authority, "active < max_concurrent", "active <= max_concurrent",
          "test_no_sequence_of_requests_passes_a_limit"),
    Fault(authority, " and active_overall < max_overall", "",
          "test_authorized_iff_all_rules_hold"),
    Fault(authority, "queued < max_queued", "queued <= max_queued",
          "test_the_queue_is_bounded_and_only_where_the_policy_queues"),
    # a shutdown costs a try; a drop is retried; an ended task moves; a late success counts
    Fault(outcome, "failure, not shut_down, retry)", "failure, True, retry)",
          "test_from_aborting_the_first_reason_decides"),
    Fault(outcome, "Failure.DROPPED if dropped else Failure.ERROR", "Failure.ERROR",
          "test_a_drop_is_an_error_that_is_never_retried"),
    Fault(outcome, "(shut_down or not dropped)", "True",
          "test_a_drop_is_never_retried_however_the_attempt_ended"),
    Fault(outcome, "retry_safe and (", "(", "test_what_is_not_safe_to_repeat_is_never_retried"),
    Fault(outcome, "if status != _IN_PROGRESS:", "if status == TaskStatus.CANCELLED:",
          "test_a_task_that_has_ended_stays_as_it_is"),
    Fault(outcome, "if reason is not None:", "if reason is not None and end != AttemptEvent.SUCCEED:",
          "test_from_aborting_the_first_reason_decides"),
    Fault(outcome, "Failure.TIMEOUT: Category.POLICY", "Failure.TIMEOUT: Category.EXECUTION",
          "test_the_categories_that_the_contract_names"),
    # equal is too much; rounding decides; 0.9 becomes 0.8; a clamp is forgotten
    Fault(admission, "total <= PRESSURES * threshold(urgency)", "total < PRESSURES * threshold(urgency)",
          "test_pressure_permits_unless_the_mean_is_strictly_above"),
    Fault(admission, "total <= PRESSURES * threshold(urgency)", "total // PRESSURES <= threshold(urgency)",
          "test_pressure_permits_unless_the_mean_is_strictly_above"),
    Fault(admission, "THRESHOLD_MILLI - THRESHOLD_STEP_MILLI", "800 - THRESHOLD_STEP_MILLI",
          "test_the_threshold_is_tighter_per_level_down_to_the_floor"),
    Fault(admission, "_clamp(queue_depth, MILLI)", "queue_depth",
          "test_the_pressure_is_three_times_the_mean_of_the_clamped_parts"),
    # the budget is passed by one; a guard looks at the old depth, or the old level; depth stands still
    Fault(admission, "if spawned >= budget:", "if spawned > budget:",
          "test_no_sequence_of_signals_passes_the_budget"),
    Fault(admission, "budget, depth + 1, max_depth, total", "budget, depth, max_depth, total",
          "test_a_retry_is_honoured_iff_its_guards_hold_and_goes_one_deeper"),
    Fault(admission, "depth + 1, max_depth, total, raised)", "depth + 1, max_depth, total, urgency)",
          "test_an_escalation_meets_the_same_guards_at_the_next_level"),
    Fault(admission, "Readmission(answer, depth + 1, raised)", "Readmission(answer, depth, raised)",
          "test_every_chain_ends_and_under_low_pressure_no_sooner_than_its_limits"),
    Fault(admission, "min(urgency + 1, URGENCY_MAX)", "urgency + 1",
          "test_within_a_run_depth_and_urgency_only_grow_up_to_their_bounds"),
    Fault(admission, "load >= k * carried", "load > k * carried",
          "test_the_cooperatives_are_the_clamped_floor_of_load_by_unit"),
    Fault(admission, "k <= most and load", "load", "test_no_sequence_of_signals_passes_the_budget"),
    # a body that still runs satisfies; a lane is passed over; the view stops too soon, or too late
    Fault(readiness, "if attempt_alive:", "if False:", "test_which_dependencies_satisfy"),
    Fault(readiness, "(Priority.URGENT, Priority.HIGH,", "(Priority.HIGH, Priority.URGENT,",
          "test_all_are_served_by_priority_then_in_order_of_arrival"),
    Fault(readiness, "beyond.append(needed.task)", "pass",
          "test_blocked_is_transitive_and_names_the_nearest_cause"),
    Fault(readiness, "needed.status == TaskStatus.PENDING", "needed.status != TaskStatus.COMPLETED",
          "test_blocked_is_transitive_and_names_the_nearest_cause"),
    Fault(readiness, "if needed.status == TaskStatus", "if needed.required and needed.status == TaskStatus",
          "test_blocked_is_transitive_and_names_the_nearest_cause"),
    Fault(readiness, "seen.add(needed.task)", "pass", "test_the_view_looks_at_no_task_twice"),
    # the clock is believed; a failure looks complete; a retry keeps the error; a misfit is passed over
    Fault(fields, "stamp = max(now, fields.updated)", "stamp = now",
          "test_the_fields_fit_the_status_after_every_legal_sequence"),
    Fault(fields, "Act.KEEP),\n    TaskEvent.CANCEL:", "Act.WHOLE),\n    TaskEvent.CANCEL:",
          "test_each_transition_performs_its_field_actions_and_no_others"),
    Fault(fields, "Act.CLEAR, Act.CLEAR, Act.CLEAR, Act.CLEAR, Act.ZERO",
          "Act.CLEAR, Act.CLEAR, Act.CLEAR, Act.KEEP, Act.ZERO",
          "test_the_fields_fit_the_status_after_every_legal_sequence"),
    Fault(fields, "if ended != (status not in NOT_ENDED):", "if ended and status in NOT_ENDED:",
          "test_a_misfit_is_found_iff_the_contract_finds_one"),
    Fault(fields, "started <= completed <= fields.updated", "started <= completed",
          "test_a_fitting_record_with_one_field_spoiled_names_that_field"),
    # one attempt too many; an unsafe outcome is retried; a doubling too many; no cap
    Fault(retry, "tries < max_attempts", "tries <= max_attempts", "test_max_attempts_counts_the_first"),
    Fault(retry, "if earlier >= tries:", "if earlier > tries:",
          "test_a_chain_of_retries_waits_the_declared_backoff_in_all"),
    Fault(retry, "delay = min(delay * 2, cap_ms)", "delay = delay * 2",
          "test_each_delay_doubles_the_one_before_until_the_cap"),
    # a body that still runs is forgotten; dependents are left behind
    Fault(errors, "if attempt_alive or status == TaskStatus.IN_PROGRESS:",
          "if status == TaskStatus.IN_PROGRESS:", "test_the_code_of_a_refused_reexecution"),
    Fault(errors, " and dependents == 0", "", "test_only_what_is_at_rest_and_alone_may_be_deleted"),
    # what nobody could tell is spawned; a lock of another target will do; half of the evidence is enough
    Fault(plan, "if liveness == Liveness.INDETERMINATE:", "if False:",
          "test_the_plan_is_that_of_the_contract"),
    Fault(plan, "if locked != target:", "if False:", "test_the_policy_follows_from_plan_and_lock"),
    Fault(plan, "lock_granted and recorded_alive == 0", "(lock_granted or recorded_alive == 0)",
          "test_a_claim_is_stale_on_evidence_alone"),
    # two rules change places; a token resumes twice; one retry too many; two classes change places
    Fault(signal, "signal == last_signal:", "signal == last_signal and token == waiting_token:",
          "test_the_answer_is_the_first_rule_that_makes_it_stale"),
    Fault(signal, "signal is not None and ", "", "test_a_signal_without_an_id_is_told_by_its_token"),
    Fault(signal, "if token != waiting_token:", "if False:", "test_a_token_resumes_at_most_once"),
    Fault(signal, "retries < max_retries", "retries <= max_retries",
          "test_a_step_that_keeps_failing_is_retried_so_often_and_then_left"),
    Fault(signal, "EXPRESSION, ErrorClass.AUTHORIZATION", "EXPRESSION, ErrorClass.CONSISTENCY",
          "test_each_class_of_error_has_its_route"),
)  # fmt: skip


@cache
def sound(tests: ModuleType, name: str) -> Callable[[], Any]:
    """The property of that name, once it was seen to hold for the module as it is."""
    holds: Callable[[], Any] = getattr(tests, name)
    holds()
    return holds


@pytest.mark.cites("VER-5b")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.name}: {fault.old} -> {fault.new}")
def test_a_planted_fault_is_seen(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    tests = rehearsal(Path(__file__).with_name(f"test_{fault.name}.py"))
    holds = sound(tests, fault.seen_by)
    monkeypatch.setattr(tests, fault.name, planted(fault.module, fault.old, fault.new))
    with pytest.raises(AssertionError):
        holds()


@pytest.mark.cites("VER-5b")
@pytest.mark.parametrize("text", ["no such text", "return"])
def test_a_fault_that_cannot_be_planted_exactly_once_is_an_error(text: str) -> None:
    with pytest.raises(LookupError, match="instead of once"):
        planted(retry, text, "")
