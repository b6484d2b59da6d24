"""Dispatch and effects (DSP-1 to DSP-11, SHL-4)."""

from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import EffectKind, FollowUp, Kind
from dhruva.decide.admission import OutcomeSignal
from dhruva.effects import Announce, Dropped, Perform
from dhruva.ids import Ref
from dhruva.machines.attempt import AbortReason
from dhruva.step import kernel
from dhruva.table import Refused
from dhruva.walk import Settings
from tests.rules.cast import (
    ANNA,
    ASKED_RUN,
    CALL,
    FLOW,
    FULL,
    NO_RUN,
    RUN,
    TASK,
    admit,
    ask,
    dispatched,
    handle,
    outcome,
    running,
    scope,
    version,
    wake,
)
from tests.rules.play import accept, begin, drain, effects, moves, refuse, state

RETRY, ESCALATE, DROP = OutcomeSignal.RETRY, OutcomeSignal.ESCALATE, OutcomeSignal.DROP
GROUP = (Kind.GROUP, RUN, 1)


def over(**spec: Any) -> tuple[Any, ...]:
    """TASK runs, and its first call is over."""
    return *dispatched(**spec), i.Take(CALL), i.Ack(CALL)


# Admission


@pytest.mark.cites("DSP-1a", "DSP-2a", "DSP-5a", "DSP-14a")
def test_an_admitted_attempt_has_one_idle_primary() -> None:
    world = begin(*running(budget=1), admit())
    assert state(world, *GROUP) == "idle"
    assert world.cells[Kind.DISPATCH, TASK].spawned == 1


NOT_ADMITTED: dict[str, tuple[tuple[Any, ...], i.Admit, str]] = {
    "a ref of nobody": (running(budget=1), admit(NO_RUN), "absent"),
    "a dead ref": ((*running(budget=1), i.Succeed(RUN)), admit(), "absent"),
    "a one-off request": ((scope(), ask()), admit(ASKED_RUN), "absent"),
    "an aborting attempt": ((*running(budget=1), i.Cancel(TASK)), admit(), "aborting"),
    "an attempt that was admitted": ((*running(budget=2), admit()), admit(), "known_group"),
}


@pytest.mark.cites("DSP-1a", "ACT-8b")
@pytest.mark.parametrize("name", NOT_ADMITTED)
def test_what_is_not_admitted(name: str) -> None:
    setup, given, because = NOT_ADMITTED[name]
    assert refuse(begin(*setup), given) == Refused("carrier-primary", None, "admit", "DSP-1", because)


DROPS: dict[str, tuple[dict[str, int], tuple[int, int, int]]] = {
    "spawn_budget_exhausted": ({"budget": 0, "max_depth": 0}, FULL),
    "pressure_exceeded": ({"budget": 1, "max_depth": 0}, (901, 900, 900)),
}


@pytest.mark.cites(
    "DSP-10a", "DSP-10c", "DSP-11a", "DSP-11b", "DSP-11c", "DSP-11e", "DSP-11f", "DSP-4b", "DSP-4c"
)
@pytest.mark.parametrize("reason", DROPS)
def test_a_drop_ends_the_run_and_is_on_record(reason: str) -> None:
    spec, pressure = DROPS[reason]
    world = begin(*running(max_attempts=5, **spec))
    change = accept(world, admit(pressure=pressure))
    (dropped,) = effects(change, Dropped)
    assert (dropped.ref, dropped.reason, dropped.budget) == (RUN, reason, spec["budget"])
    assert state(world, Kind.TASK, TASK) == "failed"


@pytest.mark.cites("DSP-10c", "DSP-10d", "DSP-10b")
def test_a_mean_at_the_threshold_is_admitted_and_parts_are_clamped() -> None:
    accept(begin(*running(budget=1)), admit(pressure=(900, 900, 900)))
    world = begin(*running(budget=1), admit(pressure=(5000, 850, 850)))
    assert state(world, *GROUP) == "idle"


@pytest.mark.cites("DSP-13")
def test_what_happens_to_a_dispatch_is_told() -> None:
    def told(change: Any) -> list[str]:
        return [announced.event for announced in effects(change, Announce)]

    world = begin(*running(budget=9, max_depth=9))
    assert told(accept(world, admit(cost=1000))) == ["admitted", "spawned", "cooperative_carry"]
    world = begin(*over(budget=9, max_depth=9))
    assert told(accept(world, outcome(RETRY))) == ["retry", "admitted", "spawned"]
    world = begin(*over(budget=9, max_depth=9))
    assert told(accept(world, outcome(ESCALATE, pressure=(1, 0, 0)))) == [
        "escalation",
        "pressure_changed",
        "admitted",
        "spawned",
    ]
    world = begin(*over(budget=1, max_depth=9))
    assert told(accept(world, outcome(RETRY))) == []  # a drop is told with its record


# Cooperatives


@pytest.mark.cites("DSP-6a", "DSP-6d", "DSP-6f", "DSP-6g")
@pytest.mark.parametrize(("cost", "helpers"), [(0, 0), (999, 0), (1000, 1), (2000, 2), (9000, 2)])
def test_cooperatives_by_load_up_to_two(cost: int, helpers: int) -> None:
    world = begin(*running(budget=1), admit(cost=cost))
    assert world.cells[GROUP].idle == helpers
    assert world.cells[Kind.DISPATCH, TASK].spawned == 1


@pytest.mark.cites("DSP-6d")
def test_no_setting_goes_beyond_four() -> None:
    world = begin(*running(budget=1), admit(cost=99_000), by=kernel(settings=Settings(cooperative_max=9)))
    assert world.cells[GROUP].idle == 4


@pytest.mark.cites("DSP-2d", "DSP-5b", "DSP-5c")
def test_the_primary_commits_when_its_cooperatives_have_withdrawn() -> None:
    world = begin(*running(budget=1), admit(cost=2000), i.WithdrawCooperative(RUN, 1, 1))
    refused = refuse(world, i.CommitCarrier(RUN, 1))
    assert refused == Refused(
        "carrier-primary", "idle", "commit", "DSP-2 DSP-3 DSP-5", "cooperatives_withdrawn"
    )
    again = refuse(world, i.WithdrawCooperative(RUN, 1, 1))
    assert again == Refused("carrier-cooperative", None, "withdraw", "DSP-5", "absent")
    world.all(i.WithdrawCooperative(RUN, 1, 2), i.CommitCarrier(RUN, 1))


# The primary


@pytest.mark.cites("DSP-2b", "DSP-3a", "DSP-3d", "DSP-3e")
def test_to_commit_and_to_issue_the_call_are_one_step() -> None:
    world = begin(*running(budget=1), admit())
    change = accept(world, i.CommitCarrier(RUN, 1))
    assert effects(change, Perform) == [Perform(CALL)]
    assert (state(world, *GROUP), state(world, *CALL)) == ("committed", "pending")
    assert refuse(world, i.CommitCarrier(RUN, 1)).because == "no_row"


FOREIGN = {
    "a spawn that is not there": i.CommitCarrier(RUN, 2),
    "a ref of nobody": i.CommitCarrier(NO_RUN, 1),
    "a ref of another attempt": i.CommitCarrier(Ref(TASK, 1, 2), 1),
}


@pytest.mark.cites("DSP-3d", "ACT-8b")
@pytest.mark.parametrize("given", FOREIGN.values(), ids=FOREIGN)
def test_no_call_is_issued_for(given: i.CommitCarrier) -> None:
    refused = refuse(begin(*running(budget=1), admit()), given)
    assert (refused.machine, refused.event) == ("carrier-primary", "commit")


@pytest.mark.cites("ACT-8b", "DSP-3d")
def test_no_call_is_issued_for_an_attempt_that_is_to_end() -> None:
    world = begin(*running(budget=1), admit(), i.Abort(RUN, AbortReason.TIMEOUT))
    assert refuse(world, i.CommitCarrier(RUN, 1)).because == "aborting"


@pytest.mark.cites("DSP-3a", "DSP-2e", "DSP-1b")
@pytest.mark.parametrize("end", [i.Ack, i.EffectFailed, i.Lost])
def test_the_carrier_is_void_however_its_call_ended(end: Any) -> None:
    world = begin(*dispatched(), i.Take(CALL), end(CALL))
    assert state(world, *GROUP) == "void"
    assert state(world, Kind.TASK, TASK) == "in_progress"


@pytest.mark.cites("DSP-12a", "DSP-2c")
@pytest.mark.parametrize("taken", [True, False])
@pytest.mark.parametrize("end", [(i.Succeed(RUN),), (i.Cancel(TASK), i.Stopped(RUN)), (i.OwnerGone(RUN),)])
def test_nothing_of_a_group_outlives_its_attempt_and_its_call(end: tuple[Any, ...], taken: bool) -> None:
    world = begin(*dispatched(), *((i.Take(CALL),) if taken else ()), *end)
    drain(world)
    if taken:
        accept(world, i.Ack(CALL))
    assert not [key for key in world.cells if key[0] in (Kind.GROUP, Kind.COOPERATIVE, Kind.EFFECT)]


# Outcome signals


NOT_OVER: dict[str, tuple[tuple[Any, ...], i.Outcome, str]] = {
    "an idle group": ((*running(budget=2, max_depth=1), admit()), outcome(RETRY), "not_over"),
    "a call on its way": (dispatched(), outcome(RETRY), "not_over"),
    "a spawn that is not there": (over(), outcome(RETRY, spawn=2), "absent"),
    "a spawn that is answered": ((*over(), outcome(RETRY)), outcome(RETRY), "absent"),
    "a dead ref": ((*over(), i.Succeed(RUN)), outcome(RETRY), "absent"),
}


@pytest.mark.cites("DSP-7a", "DSP-2e")
@pytest.mark.parametrize("name", NOT_OVER)
def test_a_signal_is_for_a_dispatch_that_is_over(name: str) -> None:
    setup, given, because = NOT_OVER[name]
    refused = refuse(begin(*setup), given)
    assert (refused.machine, refused.event, refused.rule) == ("carrier-primary", "retry", "DSP-7")
    assert refused.because == because


@pytest.mark.cites("DSP-8c", "DSP-8d", "DSP-9a", "DSP-1a")
@pytest.mark.parametrize(("signal", "urgency"), [(RETRY, 0), (ESCALATE, 1)])
def test_a_signal_is_honoured_one_deeper(signal: OutcomeSignal, urgency: int) -> None:
    world = begin(*over(), outcome(signal))
    counters = world.cells[Kind.DISPATCH, TASK]
    assert (counters.spawned, counters.depth, counters.urgency) == (2, 1, urgency)
    assert state(world, Kind.GROUP, RUN, 2) == "idle"
    assert GROUP not in world.cells


SIGNAL_DROPS: dict[str, tuple[dict[str, int], i.Outcome]] = {
    "signalled": ({"budget": 9, "max_depth": 9}, outcome(DROP)),
    "spawn_budget_exhausted": ({"budget": 1, "max_depth": 9}, outcome(ESCALATE)),
    "retry_depth_exhausted": ({"budget": 9, "max_depth": 0}, outcome(RETRY)),
    "pressure_exceeded": ({"budget": 9, "max_depth": 9}, outcome(ESCALATE, pressure=(850, 850, 850))),
}


@pytest.mark.cites("DSP-8c", "DSP-8e", "DSP-9c", "DSP-9e", "DSP-4c", "DSP-11c", "DSP-11d", "DSP-11f")
@pytest.mark.parametrize("reason", SIGNAL_DROPS)
def test_a_signal_that_is_not_honoured_drops(reason: str) -> None:
    spec, given = SIGNAL_DROPS[reason]
    world = begin(*over(max_attempts=5, **spec))
    (dropped,) = effects(accept(world, given), Dropped)
    assert dropped.reason == reason
    assert state(world, Kind.TASK, TASK) == "failed"
    assert state(world, *GROUP) is None


@pytest.mark.cites("DSP-9c", "DSP-9d")
def test_a_retry_under_the_same_pressure_is_honoured() -> None:
    """850 is below the threshold of level 0, above that of level 1."""
    accept(begin(*over(budget=9, max_depth=9)), outcome(RETRY, pressure=(850, 850, 850)))


@pytest.mark.cites("DSP-4b", "DSP-8a")
def test_counters_are_kept_over_attempts_of_a_run_and_begin_anew_with_the_next() -> None:
    spent = (*over(budget=1, max_attempts=2), i.Fail(RUN), i.Due(TASK, 1, 1), wake())
    world = begin(*spent)
    (dropped,) = effects(accept(world, admit(Ref(TASK, 1, 2))), Dropped)
    assert dropped.reason == "spawn_budget_exhausted"
    world.all(i.Reset(TASK, None), handle(FollowUp.RESET, TASK), wake(), admit(Ref(TASK, 2, 3)))
    assert world.cells[Kind.DISPATCH, TASK][:4] == (2, 1, 0, 0)


# Effects (SHL-4)


SLICE = (Kind.EFFECT, EffectKind.RUN_SLICE, FLOW, version(0))


@pytest.mark.cites("SHL-4b")
@pytest.mark.parametrize("given", [i.Ack(CALL), i.EffectFailed(CALL), i.Lost(CALL)])
def test_an_effect_ends_after_it_was_taken(given: Any) -> None:
    refused = refuse(begin(*dispatched()), given)
    assert (refused.machine, refused.state, refused.rule, refused.because) == (
        "effect",
        "pending",
        "SHL-4",
        "no_row",
    )


@pytest.mark.cites("SHL-4b")
def test_an_effect_is_taken_once() -> None:
    assert refuse(begin(*dispatched(), i.Take(CALL)), i.Take(CALL)).state == "taken"


NOT_AN_EFFECT = {
    "nothing": (),
    "no id": (Kind.EFFECT,),
    "a task": (Kind.TASK, TASK),
    "a call of nobody": (Kind.EFFECT, EffectKind.DISPATCH, NO_RUN, 1),
}


@pytest.mark.cites("SHL-4a")
@pytest.mark.parametrize("key", NOT_AN_EFFECT.values(), ids=NOT_AN_EFFECT)
@pytest.mark.parametrize("kind", [i.Take, i.Ack, i.EffectFailed, i.Lost])
def test_a_key_that_names_no_effect(kind: Any, key: tuple[Any, ...]) -> None:
    refused = refuse(begin(*dispatched()), kind(key))
    assert (refused.machine, refused.state, refused.rule, refused.because) == (
        "effect",
        None,
        "SHL-4",
        "absent",
    )


@pytest.mark.cites("SHL-4d")
def test_a_call_whose_ref_died_is_withdrawn() -> None:
    world = begin(*dispatched(), i.Abort(RUN, AbortReason.TIMEOUT))
    assert moves(accept(world, i.Take(CALL)), "effect") == [("pending", "withdraw", "withdrawn")]


@pytest.mark.cites("SHL-4f", "SHL-4c", "SHL-6a", "SHL-6b")
@pytest.mark.parametrize("done", [True, False])
def test_a_lost_call_is_indeterminate_until_there_is_evidence(done: bool) -> None:
    world = begin(*dispatched(), i.Take(CALL), i.Lost(CALL))
    assert state(world, *CALL) == "indeterminate"
    assert refuse(world, i.Resolve(CALL, done, None, True)).because == "override"
    assert refuse(world, i.Resolve(CALL, done, ANNA, False)).because == "override"
    accept(world, i.Resolve(CALL, done, ANNA, True))
    assert state(world, *CALL) is None


@pytest.mark.cites("SHL-4e")
def test_what_is_idempotent_by_key_is_performed_again_under_it() -> None:
    world = begin(i.StartInstance(FLOW), i.Take(SLICE))
    assert effects(accept(world, i.Lost(SLICE)), Perform) == [Perform(SLICE)]
    assert state(world, *SLICE) == "pending"
