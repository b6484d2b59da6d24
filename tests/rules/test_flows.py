"""Workflow instances between slices: tokens, versions, signals, open waits (WFL-12 to 14, 16, 21, 22)."""

from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import EffectKind, Kind
from dhruva.effects import ArmTimers, ClearTimers, Perform, Retain
from dhruva.ids import SignalName
from dhruva.machines.instance import WaitKind
from dhruva.step import kernel
from dhruva.table import Refused
from dhruva.walk import Settings
from tests.rules.cast import (
    ANNA,
    CHILD,
    FLOW,
    NO_FLOW,
    PAID,
    TASK,
    scope,
    signal,
    task,
    token,
    version,
    waits,
)
from tests.rules.play import accept, begin, effects, moves, refuse, state
from tests.stateful.world import World

START = i.StartInstance(FLOW)
TIMER = (START, waits(WaitKind.TIMER))
HELD = (*TIMER, i.Unavailable(FLOW))
ENDED: dict[str, tuple[Any, ...]] = {
    "completed": (START, i.SliceCompleted(FLOW, version(0))),
    "failed": (START, i.SliceFailed(FLOW, version(0))),
    "cancelled": (START, i.CancelInstance(FLOW, ANNA)),
}


def flow(world: World) -> Any:
    return world.cells[Kind.INSTANCE, FLOW]


def send(number: int = 1, of: int = 1, **more: Any) -> i.Signal:
    return i.Signal(FLOW, signal(number), token(of), **more)


# Slices and versions


@pytest.mark.cites("WFL-13a", "WFL-18", "WFL-21a")
def test_an_instance_begins_with_a_slice() -> None:
    world = begin()
    change = accept(world, START)
    assert effects(change, Perform) == [Perform((Kind.EFFECT, EffectKind.RUN_SLICE, FLOW, 0))]
    assert refuse(world, START) == Refused("instance", "running", "start", "WFL-21", "known_id")


@pytest.mark.cites("WFL-13a", "WFL-13b")
@pytest.mark.parametrize("of", [-1, 1])
@pytest.mark.parametrize("kind", [i.SliceCompleted, i.SliceFailed, i.SliceError])
def test_a_slice_of_another_version_is_thrown_away(kind: Any, of: int) -> None:
    refused = refuse(begin(START), kind(FLOW, version(of)))
    assert (refused.machine, refused.rule, refused.because) == ("instance", "WFL-13", "other_version")


@pytest.mark.cites("WFL-13a")
def test_every_commit_raises_the_version_by_one() -> None:
    world = begin(START)
    steps = (waits(WaitKind.TIMER), send(), i.SliceError(FLOW, version(2)), i.RetryInstance(FLOW, ANNA))
    for expected, given in enumerate((*steps, i.SliceCompleted(FLOW, version(4))), start=1):
        accept(world, given)
        assert flow(world).version == expected


@pytest.mark.cites("WFL-13b")
def test_of_two_coordinators_one_commits() -> None:
    world = begin(START, waits(WaitKind.TIMER))
    assert refuse(world, waits(WaitKind.TIMER)).because == "other_version"


@pytest.mark.cites("WFL-21c")
@pytest.mark.parametrize("name", ENDED)
def test_an_ended_instance_stays_as_it_is(name: str) -> None:
    world = begin(*ENDED[name])
    at = flow(world).version
    for given in (
        i.SliceCompleted(FLOW, at), i.CancelInstance(FLOW, ANNA), i.RetryInstance(FLOW, ANNA),
        i.Unavailable(FLOW),
        i.EarlySignal(FLOW, signal(1), PAID), send(),
    ):  # fmt: skip
        assert refuse(world, given).state == name


@pytest.mark.cites("WFL-17c", "WFL-17d")
def test_completion_clears_timers_and_begins_retention() -> None:
    change = accept(begin(START), i.SliceCompleted(FLOW, version(0)))
    assert effects(change, ClearTimers) == [ClearTimers(FLOW)]
    assert effects(change, Retain) == [Retain(FLOW)]


OF_NOBODY = (
    i.SliceCompleted(NO_FLOW, version(0)), i.Unavailable(NO_FLOW), i.EarlySignal(NO_FLOW, signal(1), PAID),
    i.RetryInstance(NO_FLOW, ANNA), i.CancelInstance(NO_FLOW, ANNA), waits(WaitKind.TIMER, flow=NO_FLOW),
)  # fmt: skip


@pytest.mark.cites("WFL-21a")
@pytest.mark.parametrize("given", OF_NOBODY, ids=lambda given: type(given).__name__)
def test_an_instance_that_nobody_knows(given: Any) -> None:
    refused = refuse(begin(START), given)
    assert (refused.machine, refused.state, refused.because) == ("instance", None, "absent")


# Signals and the stale rule


@pytest.mark.cites("WFL-12a", "WFL-16b", "WFL-16c")
def test_each_wait_has_a_token_of_its_own_and_its_timers() -> None:
    world = begin(START)
    for number in (1, 2, 3):
        change = accept(world, waits(WaitKind.RETRY, flow(world).version))
        assert effects(change, ArmTimers) == [ArmTimers(FLOW, token(number))]
        accept(world, send(number, number))


@pytest.mark.cites("WFL-12f", "WFL-12a")
def test_a_token_resumes_once() -> None:
    world = begin(*TIMER, send(1))
    assert state(world, Kind.INSTANCE, FLOW) == "running"
    assert refuse(world, send(2)).because == "other_token"


STALE: dict[str, tuple[tuple[Any, ...], i.Signal]] = {
    "dead_letter": (TIMER, i.Signal(NO_FLOW, signal(1), token(1))),
    "terminal": (ENDED["completed"], send()),
    "duplicate": ((*TIMER, send(1), waits(WaitKind.TIMER, 2)), send(1, 2)),
    "other_token": ((*TIMER, send(1), waits(WaitKind.TIMER, 2)), send(2, 1)),
    "other_version": (TIMER, send(expected=version(0))),
}


@pytest.mark.cites("WFL-12b", "WFL-12c", "WFL-12e")
@pytest.mark.parametrize("reason", STALE)
def test_a_stale_signal_is_ignored(reason: str) -> None:
    setup, given = STALE[reason]
    refused = refuse(begin(*setup), given)
    assert (refused.machine, refused.event, refused.rule) == ("instance", "signal", "WFL-12")
    assert refused.because == reason


@pytest.mark.cites("WFL-12d")
def test_the_stale_rule_has_an_order() -> None:
    """A known signal id before a foreign token, a foreign token before another version."""
    world = begin(*TIMER, send(1), waits(WaitKind.TIMER, 2))
    assert refuse(world, send(1, 1, expected=version(9))).because == "duplicate"
    assert refuse(world, send(2, 1, expected=version(9))).because == "other_token"


@pytest.mark.cites("WFL-6b", "WFL-21b")
@pytest.mark.parametrize("kind", WaitKind)
def test_each_kind_of_wait_stops_the_slice_until_its_signal(kind: WaitKind) -> None:
    named: dict[str, Any] = {"child": {"child": CHILD}, "task": {"task": TASK}, "signal": {"name": PAID}}
    world = begin(scope(), task(), START, waits(kind, **named.get(kind, {})))
    assert (flow(world).state, flow(world).waits, flow(world).token) == ("waiting", kind, 1)
    accept(world, send(name=flow(world).name))
    assert (flow(world).state, flow(world).waits) == ("running", None)


@pytest.mark.cites("WFL-6c")
def test_completion_has_no_token() -> None:
    assert flow(begin(*ENDED["completed"])).token == 0


# Early signals and errors


@pytest.mark.cites("WFL-22b", "WFL-22c", "WFL-13a")
def test_an_early_signal_is_consumed_by_the_commit_that_enters_its_wait() -> None:
    world = begin(START, i.EarlySignal(FLOW, signal(1), PAID))
    change = accept(world, waits(WaitKind.SIGNAL, name=PAID))
    assert [on for _, on, _ in moves(change, "instance")] == ["wait", "signal"]
    assert (flow(world).state, flow(world).version, flow(world).kept) == ("running", 1, 0)


@pytest.mark.cites("WFL-22b")
def test_one_signal_is_kept_per_name_and_not_without_end() -> None:
    world = begin(START, i.EarlySignal(FLOW, signal(1), PAID), by=kernel(settings=Settings(kept_max=2)))
    assert refuse(world, i.EarlySignal(FLOW, signal(2), PAID)).because == "store_full"
    accept(world, i.EarlySignal(FLOW, signal(2), SignalName(31)))
    assert refuse(world, i.EarlySignal(FLOW, signal(3), SignalName(32))).because == "store_full"


@pytest.mark.cites("WFL-22c")
def test_a_signal_of_another_name_stays_kept() -> None:
    world = begin(START, i.EarlySignal(FLOW, signal(1), PAID), waits(WaitKind.SIGNAL, name=SignalName(31)))
    assert (flow(world).state, flow(world).kept) == ("waiting", 1)


@pytest.mark.cites("WFL-12c", "WFL-22b")
def test_a_signal_that_was_heard_last_is_not_kept() -> None:
    """The same signal delivered twice, once by token and once by name."""
    world = begin(START, waits(WaitKind.SIGNAL, name=PAID), i.Signal(FLOW, signal(1), token(1), PAID))
    refused = refuse(world, i.EarlySignal(FLOW, signal(1), PAID))
    assert refused == Refused("instance", "running", "early_signal", "WFL-12", "duplicate")
    accept(world, i.EarlySignal(FLOW, signal(2), PAID))


@pytest.mark.cites("WFL-12c", "WFL-22c")
def test_a_kept_signal_that_was_heard_since_does_not_resume_its_wait() -> None:
    """It was kept under its name, then heard by another wait, by token: the commit drops it and waits."""
    world = begin(
        START, i.EarlySignal(FLOW, signal(1), PAID), waits(WaitKind.TIMER),
        i.Signal(FLOW, signal(1), token(1)),
    )  # fmt: skip
    change = accept(world, waits(WaitKind.SIGNAL, flow(world).version, name=PAID))
    assert [on for _, on, _ in moves(change, "instance")] == ["wait"]
    assert (flow(world).state, flow(world).kept) == ("waiting", 0)
    assert (Kind.KEPT, FLOW, PAID) not in world.cells


@pytest.mark.cites("WFL-3d")
def test_an_error_keeps_the_signal_of_the_wait_that_is_open() -> None:
    world = begin(*HELD, send(1), i.RetryInstance(FLOW, ANNA))
    accept(world, waits(WaitKind.TIMER, flow(world).version))
    assert (flow(world).state, flow(world).kept) == ("running", 0)


@pytest.mark.cites("WFL-12c", "WFL-12e")
def test_an_error_keeps_no_signal_of_an_earlier_wait() -> None:
    """It was kept, and resumed a later wait at once."""
    world = begin(*TIMER, send(1), waits(WaitKind.TIMER, 2), i.Unavailable(FLOW))
    assert refuse(world, send(2, 1)).because == "other_token"
    world.all(i.RetryInstance(FLOW, ANNA))
    accept(world, waits(WaitKind.TIMER, flow(world).version))
    assert flow(world).state == "waiting"


@pytest.mark.cites("WFL-12c")
def test_an_error_from_a_slice_keeps_nothing_by_token() -> None:
    world = begin(*TIMER, send(1), i.SliceError(FLOW, version(2)))
    assert refuse(world, send(2, 1)).because == "other_token"


@pytest.mark.cites("WFL-21d", "SHL-6b")
@pytest.mark.parametrize("kind", [i.RetryInstance, i.CancelInstance])
def test_an_error_is_left_by_someone(kind: Any) -> None:
    world = begin(*HELD)
    assert refuse(world, kind(FLOW, None)) == Refused(
        "instance",
        "recoverable_error",
        "retry" if kind == i.RetryInstance else "cancel",
        "WFL-21 SHL-6",
        "actor",
    )
    accept(world, kind(FLOW, ANNA))


@pytest.mark.cites("WFL-21d")
def test_there_is_nothing_to_retry_but_an_error() -> None:
    assert refuse(begin(*TIMER), i.RetryInstance(FLOW, ANNA)).because == "no_row"
    assert refuse(begin(START), i.Unavailable(FLOW)).because == "no_row"


@pytest.mark.cites("WFL-12c", "WFL-22c")
def test_a_signal_kept_for_a_wait_does_not_resume_another_one() -> None:
    """The retry took another way; the next timer is a wait of its own."""
    world = begin(*HELD, send(1), i.RetryInstance(FLOW, ANNA), waits(WaitKind.SIGNAL, 3, name=PAID))
    accept(world, send(2, 2, name=PAID))
    accept(world, waits(WaitKind.TIMER, flow(world).version))
    assert flow(world).state == "waiting"
