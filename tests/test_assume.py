"""What the outside may do: each assumption is named, can be broken, and asks without ever failing (VER-6)."""

from typing import Any

import pytest
from hypothesis import given

from dhruva import inputs as i
from dhruva.assume import ASSUMPTIONS, broken, may
from dhruva.cells import Kind
from dhruva.decide.plan import Plan
from dhruva.machines.instance import WaitKind
from dhruva.machines.release import ReleaseEvent
from dhruva.rules import RULES
from dhruva.step import step
from tests.rules.cast import (
    ASKED,
    FLOW,
    PAID,
    RUN,
    SCOPE,
    TARGET,
    TASK,
    ask,
    nonce,
    running,
    scope,
    signal,
    task,
    waits,
)
from tests.rules.play import begin
from tests.stateful.strategies import Walk, seen_on, walks
from tests.stateful.world import World

GHOST = "ghost"
BROKEN: dict[str, tuple[dict[Any, Any], Any]] = {
    "an id is handed out once": ({(GHOST, "used", ASKED): True}, ask()),
    "a process called gone is gone": (
        dict(begin(*running()).cells) | {(GHOST, "process", 9): "up"},
        i.OwnerGone(RUN),
    ),
    "an early signal is for no wait that is open": (
        begin(i.StartInstance(FLOW), waits(WaitKind.SIGNAL, name=PAID)).cells,
        i.EarlySignal(FLOW, signal(1), PAID),
    ),
    "a lock that is granted is held by nobody": (
        dict(begin(i.Claim(TARGET)).cells) | {(GHOST, "up", TARGET, 1): True},
        i.Takeover(TARGET, True, True, 0),
    ),
    "a claim is given back only before it is handed over": (
        {(GHOST, "handed", TARGET, 1): True},
        i.Release(TARGET, nonce(1)),
    ),
    "a claim is handed to who claimed it": (
        {(GHOST, "claimant", TARGET, 1): "another"},
        i.Deliver(RUN, 1, Plan.CONTROL_SOCKET, TARGET, TARGET, nonce(1)),
    ),
    "a target that answers is not spawned": (
        {(GHOST, "answers", TARGET): True},
        i.Deliver(RUN, 1, Plan.BACKGROUND_SPAWN, TARGET, TARGET, nonce(1)),
    ),
    "what a transport saw has happened": (
        {(GHOST, "seen", RUN, 1): (ReleaseEvent.SPAWN_STARTED,)},
        i.Observe(RUN, 1, ReleaseEvent.SOCKET_ALIVE),
    ),
}


@pytest.mark.cites("VER-6b")
@pytest.mark.parametrize("name", [assumption.name for assumption in ASSUMPTIONS])
def test_each_assumption_can_be_broken_and_is_named(name: str) -> None:
    cells, given_ = BROKEN[name]
    assert broken(cells.get, given_) == name
    assert not may(cells.get, given_)


@pytest.mark.cites("VER-6b", "SHL-7d")
@pytest.mark.parametrize("name", BROKEN)
def test_where_nothing_speaks_against_it_the_same_input_may_come(name: str) -> None:
    assert World().may(BROKEN[name][1])


@pytest.mark.cites("VER-6b")
def test_each_assumption_has_a_name_a_guarantor_and_inputs() -> None:
    names = [assumption.name for assumption in ASSUMPTIONS]
    assert len(set(names)) == len(names)
    assert all(assumption.who and set(assumption.of) <= set(RULES) for assumption in ASSUMPTIONS)


@pytest.mark.cites("ACT-8a")
@pytest.mark.parametrize(
    ("setup", "given_"),
    [
        ((scope(), task()), i.Ask(TASK, SCOPE, 9)),  # type: ignore[arg-type]
        ((scope(), ask()), i.CreateTask(ASKED, SCOPE, 5)),  # type: ignore[arg-type]
    ],
)
def test_tasks_and_requests_share_one_supply_of_ids(setup: tuple[Any, ...], given_: Any) -> None:
    assert broken(begin(*setup).cells.get, given_) == "an id is handed out once"


@pytest.mark.cites("VER-6b", "SHL-7d")
@given(walks(30))
def test_to_ask_never_fails_and_reads_few_cells(walk: Walk) -> None:
    """Whatever the input and the world: yes or no, over few cells, and the same again."""
    for seen in seen_on(walk, step, honest=False):
        asked: list[Any] = []

        def read(key: Any, asked: list[Any] = asked, cells: dict[Any, Any] = seen.before) -> Any:
            asked.append(key)
            return cells.get(key)

        answer = broken(read, seen.given)
        assert answer is None or answer in BROKEN
        assert broken(seen.before.get, seen.given) == answer
        assert len(asked) <= 6


@pytest.mark.cites("SHL-4b")
@pytest.mark.parametrize("key", [(), (Kind.CAP,), (Kind.TASK, TASK), (Kind.EFFECT,)], ids=str)
@pytest.mark.parametrize("kind", [i.Take, i.Ack, i.EffectFailed, i.Lost])
def test_a_key_that_names_no_effect_is_no_trap(kind: Any, key: tuple[Any, ...]) -> None:
    """It was: a cell without a state made `may` fail."""
    cells = begin(i.SetCap(1), scope(), task()).cells
    assert broken(cells.get, kind(key)) is None
