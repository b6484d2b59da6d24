"""The wiring: what `check` refuses, and for each row a story that ends differently without it (VER-5).

A row whose symbol has no other wire cannot be taken away: building such a kernel is an error, which is how
its loss is noticed. Every other loss is noticed by what happens.
"""

from functools import cache

import pytest

from dhruva.cells import Change, FollowUp
from dhruva.machines import MACHINES
from dhruva.machines.attempt import AttemptEffect, AttemptEvent
from dhruva.machines.scope import ScopeEffect, ScopeEvent, ScopeState
from dhruva.machines.task import TaskEvent
from dhruva.step import Step, kernel, step
from dhruva.table import Refused
from dhruva.wiring import FOLLOW_UP, WIRING, Do, Does, Fire, Which, Wire, WiringError, check
from tests.rules.scenarios import Story
from tests.rules.stories import STORIES
from tests.stateful.world import World

Answers = list[Change | Refused]


def told(kernel_step: Step, story: Story) -> Answers:
    """What a kernel answers to a story."""
    world = World(kernel_step)
    return [world.give(given).answer for given in story]


@cache
def as_shipped(name: str) -> Answers:
    return told(step, STORIES[name]())


def name_of(wire: Wire) -> str:
    does = wire.does if isinstance(wire, Do) else f"{wire.to} {'/'.join(wire.events)} {wire.which}"
    return f"{wire.machine} {wire.on}: {does}"


def is_alone(wire: Wire) -> bool:
    """Whether a symbol of a table would hang in the air without this wire."""
    others = (other for other in WIRING if other is not wire)
    machine = MACHINES.get(wire.machine)
    symbols = {symbol for row in machine.rows for symbol in row.then} if machine else set()
    return wire.on in symbols and all((o.machine, o.on) != (wire.machine, wire.on) for o in others)


@pytest.mark.cites("VER-5a", "VER-5b")
@pytest.mark.parametrize("wire", WIRING, ids=name_of)
def test_a_missing_wire_is_noticed(wire: Wire) -> None:
    """Without this row no kernel can be built, or some story ends differently."""
    rest = tuple(other for other in WIRING if other is not wire)
    if is_alone(wire):
        with pytest.raises(WiringError, match=str(wire.on)):
            kernel(wiring=rest)
        return
    without = kernel(wiring=rest)
    assert any(told(without, story()) != as_shipped(name) for name, story in STORIES.items()), (
        f"no story notices that {name_of(wire)} is gone: tell one in tests/rules, or drop the row"
    )


@pytest.mark.cites("SHL-1b")
@pytest.mark.parametrize("name", STORIES)
def test_stories_are_accepted(name: str) -> None:
    """A story that is refused half-way would notice nothing."""
    refused = [answer for answer in as_shipped(name) if isinstance(answer, Refused)]
    assert not refused


@pytest.mark.cites("VER-5b")
def test_every_follow_up_is_in_some_story() -> None:
    """The stories write each kind of follow-up, so that its wires are carried out."""
    written = {
        key[1]
        for name in STORIES
        for answer in as_shipped(name)
        if isinstance(answer, Change)
        for key in answer.follow_ups
    }
    never = set(FollowUp) - written
    assert never <= {FollowUp.WAKE_STARVED, FollowUp.RETURN}, "these need no wire: lanes do it"


# What `check` refuses


def rewired(*more: Wire) -> tuple[Wire, ...]:
    return (*WIRING, *more)


@pytest.mark.cites("VER-1a")
def test_the_shipped_wiring_is_sound() -> None:
    check(MACHINES, WIRING)


@pytest.mark.cites("VER-1a")
def test_a_symbol_with_no_wire_is_caught() -> None:
    rest = tuple(wire for wire in WIRING if (wire.machine, wire.on) != ("attempt", AttemptEffect.FREE_SLOT))
    with pytest.raises(WiringError, match=r"attempt: nothing is wired to free_slot"):
        check(MACHINES, rest)


@pytest.mark.cites("VER-1a")
def test_a_wire_on_nothing_is_caught() -> None:
    """A symbol of another machine, or a state that no row enters."""
    with pytest.raises(WiringError, match="lock: no row has or enters abort_each"):
        check(MACHINES, rewired(Do("lock", ScopeEffect.ABORT_EACH, Does.REPORT, "REL-8")))
    with pytest.raises(WiringError, match="scope: no row has or enters INIT"):
        check(MACHINES, rewired(Do("scope", ScopeState.INIT, Does.WAKE, "ACT-5")))


@pytest.mark.cites("VER-1a")
def test_an_event_that_the_target_does_not_know_is_caught() -> None:
    strange = Fire("scope", ScopeState.DISPOSED, "lock", (TaskEvent.START,), Which.ITSELF, True, "ACT-5")
    with pytest.raises(WiringError, match="lock does not know"):
        check(MACHINES, rewired(strange))


@pytest.mark.cites("VER-1a")
def test_a_ring_is_caught() -> None:
    """The end of an attempt drains its scope, and that would end an attempt."""
    back = Fire("scope", ScopeState.DISPOSED, "attempt", (AttemptEvent.SUCCEED,), Which.ITSELF, True, "ACT-5")
    with pytest.raises(WiringError, match="ring"):
        check(MACHINES, rewired(back))


@pytest.mark.cites("VER-1a")
def test_a_ring_of_one_row_is_caught() -> None:
    """An optional wire is no way out: every step must end."""
    own = Fire("scope", ScopeEffect.WAKE_LANES, "scope", (ScopeEvent.RESUME,), Which.ITSELF, True, "ACT-5")
    with pytest.raises(WiringError, match="ring"):
        check(MACHINES, rewired(own))


@pytest.mark.cites("VER-1a")
def test_a_kernel_checks_its_wiring() -> None:
    """Nobody gets a step function out of a wiring that `check` refuses."""
    with pytest.raises(WiringError):
        kernel(wiring=())


@pytest.mark.cites("VER-1c")
def test_no_wire_stands_twice() -> None:
    assert len(set(WIRING)) == len(WIRING)


@pytest.mark.cites("VER-1a")
def test_every_wire_cites_a_requirement() -> None:
    assert all(wire.cites.split() for wire in WIRING)


@pytest.mark.cites("SHL-3a")
def test_follow_ups_ask_by_option_only() -> None:
    """A follow-up advances all the same: what it asks of the next cell may be refused."""
    asked = [wire for wire in WIRING if wire.machine == FOLLOW_UP]
    assert asked
    assert all(isinstance(wire, Fire) and wire.optional for wire in asked)
