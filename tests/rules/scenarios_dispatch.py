"""Short stories of dispatch, transports and locks (DSP, REL)."""

from dhruva import inputs as i
from dhruva.cells import FollowUp
from dhruva.decide.admission import OutcomeSignal
from dhruva.decide.plan import Plan
from dhruva.machines.release import ReleaseEvent
from tests.rules.cast import (
    CALL,
    RUN,
    TARGET,
    admit,
    dispatched,
    handle,
    nonce,
    outcome,
    running,
)
from tests.rules.scenarios import Story

# Dispatch


def a_call_is_made_and_acknowledged() -> Story:
    """DSP-3a: committed, issued, acknowledged, void."""
    return *dispatched(), i.Take(CALL), i.Ack(CALL)


def a_call_fails() -> Story:
    """DSP-3a: void as well."""
    return *dispatched(), i.Take(CALL), i.EffectFailed(CALL)


def a_call_is_lost_and_signalled() -> Story:
    """SHL-4f, DSP-8d: nobody knows how far it came; the carrier is void, and a retry signal is honoured."""
    return *dispatched(), i.Take(CALL), i.Lost(CALL), outcome(OutcomeSignal.RETRY)


def a_call_is_never_made_for_a_dead_ref() -> Story:
    """SHL-4d: the attempt ended before the call was taken."""
    end = handle(FollowUp.END_RESOURCES, RUN)
    return *dispatched(), i.Succeed(RUN), *(end for _ in range(5))


def a_call_ends_after_its_attempt() -> Story:
    """DSP-12a: nothing of the group is left behind."""
    end = handle(FollowUp.END_RESOURCES, RUN)
    return *dispatched(), i.Take(CALL), i.Succeed(RUN), *(end for _ in range(5)), i.Ack(CALL)


def cooperatives_withdraw_first() -> Story:
    """DSP-5c: the primary commits alone."""
    return (
        *running(budget=1), admit(cost=2000), i.WithdrawCooperative(RUN, 1, 1), i.WithdrawCooperative(RUN,
        1, 2),
        i.CommitCarrier(RUN, 1),
    )  # fmt: skip


def a_group_ends_with_its_attempt() -> Story:
    """DSP-2c: idle carriers withdraw when the ref dies."""
    end = handle(FollowUp.END_RESOURCES, RUN)
    return *running(budget=1), admit(cost=2000), i.Succeed(RUN), *(end for _ in range(5))


# Transports and locks


def a_send_releases_its_lock() -> Story:
    """REL-3d, REL-5: send-final releases the claim that was handed over."""
    return (
        *dispatched(), i.Claim(TARGET), i.Take(CALL), i.Deliver(RUN, 1, Plan.CONTROL_SOCKET, TARGET,
        TARGET, nonce(1)),
        i.Observe(RUN, 1, ReleaseEvent.SEND_FINAL),
    )  # fmt: skip


def a_spawn_releases_its_lock() -> Story:
    """REL-3e, REL-3f: not when it started, but when it was seen alive."""
    return (
        *dispatched(), i.Claim(TARGET), i.Take(CALL),
        i.Deliver(RUN, 1, Plan.BACKGROUND_SPAWN, TARGET, TARGET, nonce(1)), i.ChildRecorded(TARGET, nonce(1)),
        i.Observe(RUN, 1, ReleaseEvent.SPAWN_STARTED), i.Observe(RUN, 1, ReleaseEvent.SOCKET_ALIVE),
    )  # fmt: skip


def a_lock_is_retained_and_taken_over() -> Story:
    """REL-7e, REL-8b: reported without an observation; taken over on evidence, under a new nonce."""
    return i.Claim(TARGET), i.Unobserved(TARGET, nonce(1)), i.Takeover(TARGET, True, True, 0)
