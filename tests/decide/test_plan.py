"""Plan, release policy and staleness, against the sentences of REL-1, REL-2, REL-7 and REL-10 as tables."""

from itertools import product
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva.decide import plan
from dhruva.decide.plan import Liveness, Plan, Violation, Wish
from dhruva.ids import TargetId
from dhruva.machines.release import ReleasePolicy

BOOLS: Final = (False, True)
FIRE, OWNED = Wish.FIRE_AND_FORGET, Wish.OWNED_OUTCOME

PLANS: Final = {
    # wish, liveness: where the target is deliverable, where it is not
    (FIRE, Liveness.LIVE): ("control-socket", "control-socket"),
    (FIRE, Liveness.DORMANT): ("refused-dormant", "refused-dormant"),
    (OWNED, Liveness.DORMANT): ("background-spawn", "background-spawn"),
    (OWNED, Liveness.LIVE): ("refused-live", "refused-live"),
    (FIRE, Liveness.INDETERMINATE): ("refused-indeterminate", "refused-indeterminate"),
    (OWNED, Liveness.INDETERMINATE): ("refused-indeterminate", "refused-indeterminate"),
    (FIRE, Liveness.NO_PROBE): ("mailbox", "refused-undeliverable"),
    (OWNED, Liveness.NO_PROBE): ("mailbox", "refused-undeliverable"),
}

POLICIES: Final = {
    "mailbox": "no-lock",
    "control-socket": "release-after-send-final",
    "background-spawn": "release-after-spawn-observation",
}


@pytest.mark.cites("REL-10a", "REL-10b", "REL-10c", "REL-10d")
def test_the_plan_is_that_of_the_contract() -> None:
    """All sixteen cases."""
    for wish, liveness in product(Wish, Liveness):
        answers = (plan.plan(wish, liveness, True), plan.plan(wish, liveness, False))
        assert answers == PLANS[wish, liveness]


@pytest.mark.cites("REL-10c")
def test_a_spawn_needs_a_target_known_to_be_dormant_and_a_send_one_known_to_live() -> None:
    for wish, liveness, deliverable in product(Wish, Liveness, BOOLS):
        answer = plan.plan(wish, liveness, deliverable)
        assert answer != "background-spawn" or liveness == "dormant"
        assert answer != "control-socket" or liveness == "live"


targets = st.integers(1, 4).map(TargetId)


@pytest.mark.cites("REL-1", "REL-1a", "REL-1b", "REL-1c", "REL-1d", "REL-2a", "REL-2b", "REL-2c")
@settings(deadline=None)
@given(targets, targets | st.none())
def test_the_policy_follows_from_plan_and_lock(target: TargetId, locked: TargetId | None) -> None:
    """Every plan. A policy iff plan and lock belong together: a loud violation otherwise."""
    for chosen in Plan:
        answer = plan.policy(chosen, target, locked)
        together = locked is None if chosen == "mailbox" else locked == target
        if chosen in POLICIES and together:
            assert isinstance(answer, ReleasePolicy)
            assert answer == POLICIES[chosen]
        else:
            assert answer not in set(ReleasePolicy)
            assert answer in set(Violation)


@pytest.mark.cites("REL-2c")
@settings(deadline=None)
@given(targets, targets)
def test_a_violation_says_what_does_not_belong(target: TargetId, other: TargetId) -> None:
    for chosen in (Plan.CONTROL_SOCKET, Plan.BACKGROUND_SPAWN):
        assert plan.policy(chosen, target, None) == "lock-missing"
        if other != target:
            assert plan.policy(chosen, target, other) == "lock-of-another-target"
    assert plan.policy(Plan.MAILBOX, target, other) == "mailbox-with-lock"
    assert plan.policy(Plan.REFUSED_LIVE, target, target) == "not-a-transport"


@pytest.mark.cites("REL-1", "REL-2c")
def test_exactly_the_transports_have_a_policy() -> None:
    assert set(POLICIES) == set(plan.TRANSPORTS) == set(plan.POLICY)
    assert all(answer in POLICIES or answer.startswith("refused-") for answer in Plan)


@pytest.mark.cites("REL-7e", "REL-7f", "REL-7g")
@settings(deadline=None)
@given(st.integers(0, 5))
def test_a_claim_is_stale_on_evidence_alone(alive: int) -> None:
    """All combinations of the bools. No argument is an age."""
    stale = {pair for pair in product(BOOLS, BOOLS) if plan.stale(*pair, alive)}
    assert stale == ({(True, True)} if alive == 0 else set())
