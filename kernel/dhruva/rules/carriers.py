"""Dispatch and effects: their inputs and their deeds (DSP, SHL-4)."""

from typing import Any, Final

from dhruva.cells import Cooperative, Dispatch, EffectCell, EffectKind, Group, Key
from dhruva.decide.admission import Admission, OutcomeSignal
from dhruva.effects import Announce, Dropped, Happened, Perform
from dhruva.ids import Ref
from dhruva.inputs import (
    Ack,
    Admit,
    CommitCarrier,
    EffectFailed,
    Lost,
    Outcome,
    Resolve,
    Take,
    WithdrawCooperative,
)
from dhruva.machines.attempt import AttemptEvent, AttemptState
from dhruva.machines.carrier import CarrierEvent, CarrierState
from dhruva.machines.effect import EffectEvent, EffectState
from dhruva.rules import authority, keys
from dhruva.table import Refused
from dhruva.walk import ABSENT, NOTHING, Given, Rule, Walk, Wired
from dhruva.wiring import Does

FRESH: Final = Dispatch(0, 0, 0, 0, None)
DROP: Final = Given(dropped=True)


def _refused(event: str, rule: str, because: str, state: str | None = None) -> Refused:
    return Refused("carrier-primary", state, event, rule, because)


# Admission and outcome signals


def admit(walk: Walk, given: Admit) -> Refused | None:
    """The first dispatch of an attempt (DSP-1, DSP-10)."""
    attempt, spec = walk[keys.ATTEMPT, given.ref], walk[keys.SPEC, given.ref.owner]
    if attempt is None or spec is None:
        return _refused("admit", "DSP-1", ABSENT)
    if attempt.state != AttemptState.RUNNING or attempt.spawn != 0:
        return _refused("admit", "DSP-1", "known_group" if attempt.spawn else attempt.state)
    counters = _counters(walk, given.ref)
    total = walk.book.decide.pressure(given.memory, given.queue_depth, given.saturation)
    answer = walk.book.decide.admit(
        counters.spawned, spec.budget, counters.depth, spec.max_depth, total, counters.urgency
    )
    return _go_on(walk, given, answer, counters, total)


def outcome(walk: Walk, given: Outcome) -> Refused | None:
    """A signal for the newest dispatch, once its carrier is void (DSP-7, DSP-8, DSP-9)."""
    attempt, spec = walk[keys.ATTEMPT, given.ref], walk[keys.SPEC, given.ref.owner]
    group = walk[keys.GROUP, given.ref, given.spawn]
    if attempt is None or spec is None or group is None:
        return _refused(given.signal, "DSP-7", ABSENT)
    if (
        attempt.state != AttemptState.RUNNING
        or attempt.spawn != given.spawn
        or group.state != CarrierState.VOID
    ):
        return _refused(given.signal, "DSP-7", "not_over", group.state)
    counters = _counters(walk, given.ref)
    total = walk.book.decide.pressure(given.memory, given.queue_depth, given.saturation)
    answer = walk.book.decide.readmit(
        given.signal,
        counters.spawned,
        spec.budget,
        counters.depth,
        spec.max_depth,
        total,
        counters.urgency,
    )
    walk[keys.GROUP, given.ref, given.spawn] = None
    told = TOLD.get(given.signal)
    if told is not None and answer.admission == Admission.DISPATCH:
        walk.effect(Announce(told, given.ref, given.spawn))
    onward = counters._replace(depth=answer.depth, urgency=answer.urgency)
    return _go_on(walk, given, answer.admission, onward, total)


TOLD: Final = {OutcomeSignal.RETRY: Happened.RETRY, OutcomeSignal.ESCALATE: Happened.ESCALATION}


def _counters(walk: Walk, ref: Ref) -> Dispatch:
    """Counters are per run; those of an earlier run count no more (DSP-4)."""
    found = walk[keys.DISPATCH, ref.owner]
    if found is None or found.run != ref.run:
        return FRESH._replace(run=ref.run)
    known: Dispatch = found
    return known


def _go_on(
    walk: Walk, given: Admit | Outcome, answer: Admission, counters: Dispatch, total: int
) -> Refused | None:
    if counters.pressure is not None and counters.pressure != total:
        walk.effect(Announce(Happened.PRESSURE_CHANGED, given.ref, counters.spawned))
    counters = counters._replace(pressure=total)
    if answer == Admission.DISPATCH:
        _spawn(walk, given, counters, total)
        return None
    walk[keys.DISPATCH, given.ref.owner] = counters
    spec = walk[keys.SPEC, given.ref.owner]
    budget = 0 if spec is None else spec.budget
    walk.effect(Dropped(given.ref, answer, counters.depth, counters.spawned, budget, total))
    return walk.fire("attempt", keys.attempt(given.ref), AttemptEvent.ERROR, DROP)


def _spawn(walk: Walk, given: Admit | Outcome, counters: Dispatch, total: int) -> None:
    """A primary, and as many cooperatives as the load asks for, all idle (DSP-5, DSP-6)."""
    attempt, spec = walk[keys.ATTEMPT, given.ref], walk[keys.SPEC, given.ref.owner]
    settings = walk.book.settings
    spawn = counters.spawned + 1
    helpers = walk.book.decide.cooperative_count(
        given.cost, total, counters.depth, spec.max_depth, settings.cooperative_unit, settings.cooperative_max
    )
    walk[keys.DISPATCH, given.ref.owner] = counters._replace(spawned=spawn)
    walk[keys.ATTEMPT, given.ref] = attempt._replace(spawn=spawn)
    walk.create("carrier-primary", (keys.GROUP, given.ref, spawn), Group(CarrierState.IDLE, helpers))
    for event, tells in (
        (Happened.ADMITTED, True),
        (Happened.SPAWNED, True),
        (Happened.COOPERATIVE_CARRY, helpers > 0),
    ):
        if tells:
            walk.effect(Announce(event, given.ref, spawn))
    for number in NUMBERS:
        if number <= helpers:
            key = (keys.COOPERATIVE, given.ref, spawn, number)
            walk.create("carrier-cooperative", key, Cooperative(CarrierState.IDLE))


NUMBERS: Final = (1, 2, 3, 4)


def withdraw_cooperative(walk: Walk, given: WithdrawCooperative) -> Refused | None:
    key = (keys.COOPERATIVE, given.ref, given.spawn, given.number)
    return walk.fire("carrier-cooperative", key, CarrierEvent.WITHDRAW, NOTHING)


def commit_carrier(walk: Walk, given: CommitCarrier) -> Refused | None:
    """Only for a living attempt that is not asked to end: no call is issued for a dead ref (ACT-8, DSP-3)."""
    attempt = walk[keys.ATTEMPT, given.ref]
    if attempt is None or attempt.state != AttemptState.RUNNING or attempt.spawn != given.spawn:
        return _refused(CarrierEvent.COMMIT, "ACT-8", ABSENT if attempt is None else attempt.state)
    return walk.fire("carrier-primary", (keys.GROUP, given.ref, given.spawn), CarrierEvent.COMMIT, NOTHING)


# Effects


def _fire(walk: Walk, key: Key, event: EffectEvent, given: Given) -> Refused | None:
    """Only a key of an effect names one."""
    if len(key) < 2 or key[0] != keys.EFFECT:
        return Refused("effect", None, event, "SHL-4", ABSENT)
    return walk.fire("effect", key, event, given)


def take(walk: Walk, given: Take) -> Refused | None:
    """A dispatch whose ref died before it was taken is withdrawn instead (SHL-4)."""
    key = given.key
    if len(key) == 4 and key[1] == EffectKind.DISPATCH and not authority.runs(walk, key[2]):
        return _fire(walk, key, EffectEvent.WITHDRAW, NOTHING)
    return _fire(walk, key, EffectEvent.TAKE, NOTHING)


def ack(walk: Walk, given: Ack) -> Refused | None:
    return _fire(walk, given.key, EffectEvent.ACK, NOTHING)


def effect_failed(walk: Walk, given: EffectFailed) -> Refused | None:
    return _fire(walk, given.key, EffectEvent.FAIL, NOTHING)


def lost(walk: Walk, given: Lost) -> Refused | None:
    """Only what is idempotent by key may be performed again (SHL-4, DSP-3)."""
    effect = walk[given.key]
    again = given.key[:1] == (keys.EFFECT,) and effect is not None and effect.idempotent
    return _fire(walk, given.key, EffectEvent.LOST_IDEMPOTENT if again else EffectEvent.LOST, NOTHING)


def resolve(walk: Walk, given: Resolve) -> Refused | None:
    event = EffectEvent.RESOLVE_DONE if given.done else EffectEvent.RESOLVE_FAILED
    return _fire(walk, given.key, event, Given(actor=given.actor, reasoned=given.reasoned))


RULES: Final[dict[type, Rule]] = {
    Admit: admit,
    Outcome: outcome,
    WithdrawCooperative: withdraw_cooperative,
    CommitCarrier: commit_carrier,
    Take: take,
    Ack: ack,
    EffectFailed: effect_failed,
    Lost: lost,
    Resolve: resolve,
}

# Deeds


def dispatch(walk: Walk, key: Key, _group: Any, _given: Given) -> None:
    """One call, under one key, which is never used again (DSP-3)."""
    effect = (keys.EFFECT, EffectKind.DISPATCH, key[1], key[2])
    walk.create("effect", effect, EffectCell(EffectState.PENDING, False))
    walk.effect(Perform(effect))


def forget_group(walk: Walk, key: Key, _group: Any, _given: Given) -> None:
    """A signal is only heard for an attempt that runs: without one, the group is of no use (DSP-12).

    Nor is a delivery that holds no lock, which has nothing to release.
    """
    if authority.runs(walk, key[1]):
        return
    walk[key] = None
    delivery = (keys.DELIVERY, key[1], key[2])
    held = walk[delivery]
    if held is not None and held.nonce is None:
        walk[delivery] = None


def cooperative_left(walk: Walk, key: Key, _cooperative: Any, _given: Given) -> None:
    group_key = (keys.GROUP, key[1], key[2])
    group = walk[group_key]
    if group is not None:
        walk[group_key] = group._replace(idle=group.idle - 1)


def perform(walk: Walk, key: Key, _effect: Any, _given: Given) -> None:
    walk.effect(Perform(key))


DEEDS: Final[dict[Does, Wired]] = {
    Does.DISPATCH: dispatch,
    Does.FORGET_GROUP: forget_group,
    Does.COOPERATIVE_LEFT: cooperative_left,
    Does.PERFORM: perform,
}
