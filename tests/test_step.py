"""`kernel(...)`: swap a row, guard, decision, wire, deed or setting, and it is another kernel (VER-1)."""

from dataclasses import replace
from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import Change, FollowUp, Kind
from dhruva.decide.admission import OutcomeSignal
from dhruva.decide.authority import Verdict
from dhruva.decide.plan import Plan
from dhruva.effects import AbortSignal, StartBody
from dhruva.machines import MACHINES
from dhruva.machines.instance import WaitKind
from dhruva.machines.scope import ScopeEvent, ScopeState
from dhruva.rules import RULES
from dhruva.rules.deeds import DEEDS
from dhruva.rules.follow_ups import HANDLERS
from dhruva.rules.guards import GUARDS
from dhruva.step import EPHEMERAL, Step, kernel, step
from dhruva.table import Refused
from dhruva.walk import DECISIONS, Settings
from dhruva.wiring import WIRING, Do, Does
from tests.rules.cast import (
    ANNA,
    ASKED_RUN,
    CALL,
    FLOW,
    NEXT,
    PAID,
    RUN,
    SCOPE,
    TARGET,
    TASK,
    admit,
    ask,
    handle,
    nonce,
    outcome,
    running,
    scope,
    signal,
    task,
    token,
    waits,
    wake,
)
from tests.rules.play import accept, begin, effects, refuse, state
from tests.stateful.world import World

# What comes in


@pytest.mark.cites("SHL-1b")
@pytest.mark.parametrize(
    "given", [None, 1, "succeed", (), object(), Change, RUN], ids=lambda x: type(x).__name__
)
def test_an_unknown_input_is_refused(given: Any) -> None:
    refused = World().give(given).answer
    assert isinstance(refused, Refused)
    assert refused == Refused("step", None, type(given).__name__, "SHL-1", "unknown_input")


@pytest.mark.cites("VER-1a")
def test_every_input_has_a_rule_and_every_rule_an_input() -> None:
    assert {kind.__name__ for kind in RULES} == set(i.__all__)


@pytest.mark.cites("VER-1a")
@pytest.mark.parametrize("kind", RULES, ids=lambda kind: kind.__name__)
def test_an_input_says_what_it_is_for(kind: Any) -> None:
    """Frozen values: enums, ints, ids, bools, refs and keys; nothing that could be changed later."""
    assert issubclass(kind, tuple)
    assert kind._fields


# What is swapped


def without_row(name: str, source: str, on: str) -> Step:
    """The kernel whose table lacks a row."""
    machine = MACHINES[name]
    rows = tuple(row for row in machine.rows if (row.source, row.on) != (source, on))
    return kernel(tables=MACHINES | {name: replace(machine, rows=rows)})


@pytest.mark.cites("VER-1b")
def test_a_row_that_is_gone_is_refused() -> None:
    sealed = without_row("scope", ScopeState.ATTACHED, ScopeEvent.SUSPEND)
    accept(begin(scope()), i.Suspend(SCOPE))
    assert refuse(begin(scope(), by=sealed), i.Suspend(SCOPE)).because == "no_row"


@pytest.mark.cites("VER-1b")
def test_a_row_that_leads_elsewhere_is_followed() -> None:
    machine = MACHINES["scope"]
    rows = tuple(
        replace(row, target=ScopeState.ATTACHED) if row.on == ScopeEvent.RESUME else row
        for row in machine.rows
    )
    other = kernel(tables=MACHINES | {"scope": replace(machine, rows=rows)})
    world = begin(scope(), i.Suspend(SCOPE), i.Resume(SCOPE), by=other)
    assert state(world, Kind.SCOPE, SCOPE) == "ATTACHED"


@pytest.mark.cites("VER-1b")
def test_a_guard_is_asked() -> None:
    lax = kernel(guards=GUARDS | {key: lambda *_: True for key in GUARDS if key[0] == "lock"})
    assert refuse(begin(i.Claim(TARGET)), i.Takeover(TARGET, True, False, 0)).because == "stale"
    accept(begin(i.Claim(TARGET), by=lax), i.Takeover(TARGET, True, False, 0))


@pytest.mark.cites("VER-1b")
def test_a_deed_is_done() -> None:
    idle = kernel(deeds=DEEDS | {Does.FREE_SLOT: lambda *_: None})
    world = begin(*running(), by=idle)
    accept(world, i.Succeed(RUN))
    assert world.cells[Kind.SCOPE, SCOPE].active == 1


@pytest.mark.cites("VER-1b")
def test_a_follow_up_is_handled_by_its_handler() -> None:
    deaf = kernel(handlers=HANDLERS | {FollowUp.ABORT_EACH: HANDLERS[FollowUp.READY]})
    world = begin(*running(), i.Dispose(SCOPE), by=deaf)
    assert not effects(accept(world, handle(FollowUp.ABORT_EACH, SCOPE)), AbortSignal)


@pytest.mark.cites("VER-1b")
def test_a_wire_that_is_gone_is_not_carried_out() -> None:
    deaf = kernel(
        wiring=tuple(wire for wire in WIRING if not (isinstance(wire, Do) and wire.does == Does.ASK_AGAIN))
    )
    world = begin(scope(retry=1), ask(), by=deaf)
    assert accept(world, i.Fail(world.cells[Kind.SCOPE, SCOPE].newest)).follow_ups == ()


@pytest.mark.cites("VER-5a")
def test_a_mutant_can_be_built_without_the_checks() -> None:
    nothing_follows = kernel(wiring=(), checked=False)
    change = nothing_follows(begin(*running()).cells.get, i.Succeed(RUN))
    assert isinstance(change, Change)
    assert list(change.writes) == [(Kind.ATTEMPT, RUN)]


# Decisions: each is asked, and its answer is honoured


def says(answer: Any) -> Any:
    return lambda *_: answer


ADMITTED = (*running(budget=2, max_depth=2), admit())
DECIDED: dict[str, tuple[Any, tuple[Any, ...], Any]] = {
    "authorize": (says(Verdict.SPAWN_LIMIT), (scope(),), ask()),
    "settle": (lambda *facts: DECISIONS.settle("pending", *facts[1:]), running(), i.Succeed(RUN)),
    "pressure": (says(3000), running(budget=1), admit()),
    "admit": (says("pressure_exceeded"), running(budget=1), admit()),
    "readmit": (
        says(DECISIONS.readmit("drop", 1, 1, 0, 0, 0, 0)),
        (*ADMITTED, i.CommitCarrier(RUN, 1), i.Take(CALL), i.Ack(CALL)),
        outcome(OutcomeSignal.RETRY),
    ),
    "cooperative_count": (says(2), running(budget=1), admit()),
    "tries_left": (says(False), (scope(retry=1), ask()), i.Fail(ASKED_RUN)),
    "satisfied": (says(True), (scope(), task(), task(NEXT, dependencies=1)), i.Depend(NEXT, TASK)),
    "first_lane": (says(None), (scope(), task()), wake()),
    "may_delete": (says(False), (scope(), task()), i.Delete(TASK)),
    "policy": (
        says("lock-missing"),
        (*ADMITTED, i.CommitCarrier(RUN, 1), i.Claim(TARGET)),
        i.Deliver(RUN, 1, Plan.CONTROL_SOCKET, TARGET, TARGET, nonce(1)),
    ),
    "stale": (says(True), (i.Claim(TARGET),), i.Takeover(TARGET, False, False, 3)),
    "freshness": (
        says("terminal"),
        (i.StartInstance(FLOW), waits(WaitKind.TIMER)),
        i.Signal(FLOW, signal(1), token(1)),
    ),
}


@pytest.mark.cites("VER-1b")
@pytest.mark.parametrize("name", DECISIONS._fields)
def test_each_decision_is_asked_and_its_answer_honoured(name: str) -> None:
    """The same world, the same input, another decision: another answer."""
    swapped, setup, given = DECIDED[name]
    cells = begin(*setup).cells
    other = kernel(decisions=DECISIONS._replace(**{name: swapped}))
    assert other(cells.get, given) != step(cells.get, given)


@pytest.mark.cites("LIF-9b", "DSP-6d", "WFL-22b")
@pytest.mark.parametrize(
    ("settings", "setup", "given"),
    [
        ({"reexecute_completed": False}, (*running(), i.Succeed(RUN)), i.Reset(TASK, None)),
        ({"reexecute_cancelled": True}, (scope(), task(), i.Cancel(TASK)), i.Reset(TASK, None)),
        ({"cooperative_unit": 1}, running(budget=1), i.Admit(RUN, 500, 0, 0, 0)),
        ({"cooperative_max": 0}, running(budget=1), i.Admit(RUN, 5000, 0, 0, 0)),
        ({"kept_max": 0}, (i.StartInstance(FLOW),), i.EarlySignal(FLOW, signal(1), PAID)),
    ],
    ids=lambda value: "".join(value) if isinstance(value, dict) else "",
)
def test_each_setting_matters(settings: dict[str, Any], setup: tuple[Any, ...], given: Any) -> None:
    cells = begin(*setup).cells
    assert kernel(settings=Settings(**settings))(cells.get, given) != step(cells.get, given)


# What is gone once it has ended


@pytest.mark.cites("ACT-8b")
def test_only_machines_that_end_are_forgotten() -> None:
    assert set(MACHINES) >= EPHEMERAL
    assert all(MACHINES[name].final for name in EPHEMERAL)


@pytest.mark.cites("ACT-17d", "LIF-20a", "WFL-12c")
def test_tasks_scopes_and_instances_stay_known() -> None:
    world = begin(
        scope(), task(), i.StartInstance(FLOW), i.CancelInstance(FLOW, ANNA), i.Cancel(TASK), i.Dispose(SCOPE)
    )
    assert [state(world, *key) for key in ((Kind.SCOPE, SCOPE), (Kind.TASK, TASK), (Kind.INSTANCE,
    FLOW))] == [
        "DISPOSED", "cancelled", "cancelled",
    ]  # fmt: skip


@pytest.mark.cites("ACT-14b", "ACT-14c", "SHL-1b")
def test_a_step_answers_from_its_arguments_alone() -> None:
    """Two kernels built apart, a copy of the world: the same answer."""
    cells = begin(scope(), task()).cells
    first, second = step(cells.get, wake()), kernel()(dict(cells).get, wake())
    assert first == second
    assert isinstance(first, Change)
    assert effects(first, StartBody)
