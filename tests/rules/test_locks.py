"""Transports and locks (REL-1 to REL-8, SHL-6)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhruva import inputs as i
from dhruva.cells import Kind
from dhruva.decide.admission import OutcomeSignal
from dhruva.decide.plan import Plan
from dhruva.effects import Publish, Retained
from dhruva.ids import TargetId
from dhruva.machines.release import ReleaseEvent
from dhruva.table import Refused
from tests.rules.cast import (
    ANNA,
    CALL,
    NO_RUN,
    OTHER_TARGET,
    RUN,
    SCOPE,
    TARGET,
    TASK,
    dispatched,
    nonce,
    outcome,
)
from tests.rules.play import accept, begin, drain, effects, moves, refuse, state

LOCK = (Kind.LOCK, TARGET)
SOCKET, SPAWN, MAILBOX = Plan.CONTROL_SOCKET, Plan.BACKGROUND_SPAWN, Plan.MAILBOX
HELD = (i.Claim(TARGET),)
RETAINED = (*HELD, i.Unobserved(TARGET, nonce(1)))
RELEASED_BY = {
    MAILBOX: frozenset[str](),
    SOCKET: frozenset({"send-final"}),
    SPAWN: frozenset({"socket-alive", "child-exited", "spawn-start-failed"}),
}


def deliver(plan: Plan, locked: TargetId | None = TARGET, number: int = 1) -> i.Deliver:
    given = None if locked is None else nonce(number)
    return i.Deliver(RUN, 1, plan, TARGET, locked, given)


def delivered(plan: Plan) -> tuple[Any, ...]:
    return *dispatched(), *HELD, i.Take(CALL), deliver(plan, None if plan == MAILBOX else TARGET)


def observe(event: ReleaseEvent) -> i.Observe:
    return i.Observe(RUN, 1, event)


# The lock


@pytest.mark.cites("REL-7a", "REL-7c")
def test_a_claim_holds_the_lock_under_a_new_nonce() -> None:
    world = begin()
    assert effects(accept(world, i.Claim(TARGET)), Publish) == [Publish(TARGET, nonce(1))]
    assert (state(world, *LOCK), world.cells[LOCK].nonce) == ("held", 1)
    accept(world, i.Claim(OTHER_TARGET))


@pytest.mark.cites("REL-7d", "REL-6a")
@pytest.mark.parametrize(("setup", "name"), [(HELD, "held"), (RETAINED, "retained")])
def test_a_lock_has_one_holder(setup: tuple[Any, ...], name: str) -> None:
    assert refuse(begin(*setup), i.Claim(TARGET)) == Refused("lock", name, "claim", "REL-7", "no_row")


OF_A_CLAIM = {
    "conflict": i.Conflict,
    "child_recorded": i.ChildRecorded,
    "release": i.Release,
    "unobserved": i.Unobserved,
}


@pytest.mark.cites("REL-5", "REL-7h")
@pytest.mark.parametrize("event", OF_A_CLAIM)
@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_foreign_or_reused_nonce_is_refused(event: str, number: int) -> None:
    """The second claim holds the lock, under nonce 2."""
    world = begin(*HELD, i.Release(TARGET, nonce(1)), *HELD)
    refused = refuse(world, OF_A_CLAIM[event](TARGET, nonce(number)))
    assert refused[:3] == ("lock", "held", event)
    assert refused.because == "nonce"


@pytest.mark.cites("REL-7a")
@pytest.mark.parametrize("event", OF_A_CLAIM)
def test_a_lock_that_nobody_claimed(event: str) -> None:
    assert refuse(begin(), OF_A_CLAIM[event](TARGET, nonce(1))) == Refused(
        "lock", None, event, "REL-7", "absent"
    )
    freed = begin(*HELD, i.Release(TARGET, nonce(1)))
    assert refuse(freed, OF_A_CLAIM[event](TARGET, nonce(1))) == Refused(
        "lock", "free", event, "REL-7", "no_row"
    )


@pytest.mark.cites("REL-5", "REL-7d")
def test_a_nonce_never_comes_twice() -> None:
    world = begin()
    seen = []
    for end in (i.Release, i.Conflict, i.Release):
        accept(world, i.Claim(TARGET))
        seen.append(world.cells[LOCK].nonce)
        accept(world, end(TARGET, world.cells[LOCK].nonce))
    assert seen == [1, 2, 3]


@pytest.mark.cites("REL-8b", "REL-8c")
def test_without_an_observation_the_lock_is_retained_and_listed() -> None:
    world = begin(*HELD)
    assert effects(accept(world, i.Unobserved(TARGET, nonce(1))), Retained) == [Retained(TARGET, nonce(1))]
    assert state(world, *LOCK) == "retained"
    accept(world, i.Release(TARGET, nonce(1)))
    assert state(world, *LOCK) == "free"


NO_EVIDENCE = {
    "someone it records lives": i.Takeover(TARGET, True, True, 1),
    "its advisory lock is held": i.Takeover(TARGET, True, False, 0),
    "it cannot be read": i.Takeover(TARGET, False, True, 0),
}


@pytest.mark.cites("REL-7e", "REL-7f", "REL-7g", "REL-6b")
@pytest.mark.parametrize("setup", [HELD, RETAINED], ids=["held", "retained"])
@pytest.mark.parametrize("given_", NO_EVIDENCE.values(), ids=NO_EVIDENCE)
def test_a_claim_is_not_taken_over_while(given_: i.Takeover, setup: tuple[Any, ...]) -> None:
    assert refuse(begin(*setup), given_).because == "stale"


@pytest.mark.cites("REL-7e", "REL-5")
@pytest.mark.parametrize("setup", [HELD, RETAINED], ids=["held", "retained"])
def test_on_evidence_a_claim_is_taken_over_under_a_new_nonce(setup: tuple[Any, ...]) -> None:
    world = begin(*setup)
    assert effects(accept(world, i.Takeover(TARGET, True, True, 0)), Publish) == [Publish(TARGET, nonce(2))]
    assert refuse(world, i.Release(TARGET, nonce(1))).because == "nonce"


@pytest.mark.cites("SHL-6a", "SHL-6b", "SHL-6c")
@pytest.mark.parametrize("setup", [HELD, RETAINED], ids=["held", "retained"])
def test_an_operator_forces_a_release_and_the_lock_says_so(setup: tuple[Any, ...]) -> None:
    world = begin(*setup)
    assert refuse(world, i.ForceRelease(TARGET, None, True)).because == "override"
    assert refuse(world, i.ForceRelease(TARGET, ANNA, False)).because == "override"
    accept(world, i.ForceRelease(TARGET, ANNA, True))
    assert (state(world, *LOCK), world.cells[LOCK].forced) == ("free", True)
    accept(world, i.Claim(TARGET))
    assert not world.cells[LOCK].forced


@pytest.mark.cites("REL-7e")
def test_a_child_is_recorded_in_its_claim() -> None:
    world = begin(*HELD, i.ChildRecorded(TARGET, nonce(1)))
    assert world.cells[LOCK].child
    world.all(i.Release(TARGET, nonce(1)), i.Claim(TARGET))
    assert not world.cells[LOCK].child


# Deliveries


@pytest.mark.cites("REL-1a", "REL-1b", "REL-1c", "REL-1d")
@pytest.mark.parametrize(
    ("plan", "policy"),
    [(MAILBOX, "no-lock"), (SOCKET, "release-after-send-final"), (SPAWN, "release-after-spawn-observation")],
)
def test_the_policy_follows_from_the_plan(plan: Plan, policy: str) -> None:
    assert begin(*delivered(plan)).cells[Kind.DELIVERY, RUN, 1].policy == policy


VIOLATIONS = {
    "mailbox-with-lock": deliver(MAILBOX),
    "lock-missing": deliver(SOCKET, None),
    "lock-of-another-target": deliver(SPAWN, OTHER_TARGET),
    "not-a-transport": deliver(Plan.REFUSED_LIVE),
}


@pytest.mark.cites("REL-2a", "REL-2b", "REL-2c")
@pytest.mark.parametrize("violation", VIOLATIONS)
def test_a_plan_and_a_lock_that_do_not_belong_together(violation: str) -> None:
    world = begin(*dispatched(), *HELD, i.Take(CALL))
    assert refuse(world, VIOLATIONS[violation]) == Refused("lock", None, "deliver", "REL-2", violation)


@pytest.mark.cites("REL-5")
def test_the_claim_that_is_handed_over_must_hold_the_lock() -> None:
    world = begin(*dispatched(), *HELD, i.Take(CALL))
    assert refuse(world, deliver(SOCKET, number=2)).because == "nonce"
    accept(world, i.Unobserved(TARGET, nonce(1)))
    assert refuse(world, deliver(SOCKET)).because == "nonce"


@pytest.mark.cites("REL-5", "REL-6")
def test_a_claim_is_handed_over_once() -> None:
    """Its first call was lost, and a retry spawns the next: the first child may still start under it."""
    world = begin(*delivered(SPAWN), i.Lost(CALL), outcome(OutcomeSignal.RETRY), i.CommitCarrier(RUN, 2))
    again = i.Deliver(RUN, 2, SPAWN, TARGET, TARGET, nonce(1))
    assert refuse(world, again) == Refused("lock", "held", "deliver", "REL-5", "handed")
    accept(world, i.Takeover(TARGET, True, True, 0))
    accept(world, again._replace(nonce=nonce(2)))


@pytest.mark.cites("REL-1a", "DSP-3a")
def test_a_delivery_is_of_a_committed_call_and_made_once() -> None:
    assert refuse(begin(*HELD), deliver(SOCKET)).because == "not_committed"
    assert refuse(begin(*delivered(SOCKET)), deliver(SOCKET)).because == "not_committed"


@pytest.mark.cites("REL-3g")
def test_an_event_for_no_delivery_or_of_no_table_is_reported() -> None:
    world = begin(*delivered(SOCKET))
    nobody = i.Observe(NO_RUN, 1, ReleaseEvent.SEND_FINAL)
    assert refuse(world, nobody) == Refused("release", None, "send-final", "REL-3", "absent")
    strange = refuse(world, i.Observe(RUN, 1, "phone-rang"))  # type: ignore[arg-type]
    assert strange == Refused("release-after-send-final", "holding", "phone-rang", "REL-3", "unknown_event")


@pytest.mark.cites("REL-3c", "REL-3d", "REL-3e", "REL-3f", "REL-4a", "REL-4b", "REL-4c", "REL-4d")
@given(st.sampled_from(list(RELEASED_BY)), st.lists(st.sampled_from(ReleaseEvent), max_size=8))
@settings(max_examples=60, deadline=None)
def test_a_lock_is_released_once_by_the_first_event_that_qualifies(
    plan: Plan, events: list[ReleaseEvent]
) -> None:
    world = begin(*delivered(plan))
    released = [
        event for event in events for e in moves(accept(world, observe(event)), "lock") if e[1] == "release"
    ]
    qualifying = [event for event in events if event in RELEASED_BY[plan]]
    assert released == qualifying[:1]
    assert state(world, *LOCK) == ("free" if qualifying else "held")


@pytest.mark.cites("REL-5")
def test_a_release_is_of_the_claim_that_was_handed_over_alone() -> None:
    """The claim was taken over meanwhile: the new holder keeps the lock."""
    world = begin(*delivered(SPAWN), i.Takeover(TARGET, True, True, 0), observe(ReleaseEvent.CHILD_EXITED))
    assert (state(world, *LOCK), world.cells[LOCK].nonce) == ("held", 2)


@pytest.mark.cites("REL-8d", "LIF-8d")
def test_a_lock_outlives_the_scope_of_its_attempt() -> None:
    """Cancel and dispose release nothing: the child may still run."""
    world = begin(*delivered(SPAWN), i.Cancel(TASK), i.Dispose(SCOPE))
    drain(world)
    world.all(i.Stopped(RUN), i.Unobserved(TARGET, nonce(1)))
    assert (state(world, Kind.SCOPE, SCOPE), state(world, *LOCK)) == ("DISPOSED", "retained")
    accept(world, observe(ReleaseEvent.CHILD_EXITED))
    assert state(world, *LOCK) == "free"
