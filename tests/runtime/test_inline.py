"""The short way of a single input in memory comes to the same as a batch: answers, effects, cells, links."""

import asyncio
import logging
import random
from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.ids import OwnerId, ProcessId, Ref, RequestId, ScopeId
from dhruva.runtime import codec
from dhruva.runtime.calls import Answer, Done, Kernel, PutAside
from dhruva.runtime.engine import Engine
from dhruva.runtime.inline import InlineShell
from dhruva.runtime.memory import MemoryStore
from dhruva.runtime.running import Said
from dhruva.runtime.shipped import shipped
from dhruva.runtime.store import StoreError
from dhruva.table import Refused

SCOPES = (ScopeId(1), ScopeId(2))


class Roundabout(MemoryStore):
    """A store of which the shell does not know that it is one of dicts."""


class Desk:
    """A shell, what it answered and what it gave to be performed."""

    def __init__(self, store: MemoryStore, kernel: Kernel | None = None) -> None:
        self.shell = InlineShell(Engine(store, kernel or shipped(), ProcessId(9), True))
        asyncio.run(self.shell.start())
        self.heard: list[Any] = []
        self.shell.perform = lambda effect: self.heard.append(effect)

    def say(self, given: Any) -> None:
        self.shell.submit(Said(given, self._answered))

    def _answered(self, answer: Answer) -> None:
        self.heard.append(answer.changes if isinstance(answer, Done) else answer)


def inputs(chance: random.Random, so_far: int) -> Any:
    """Whatever comes; most of it fits."""
    ref = Ref(OwnerId(chance.randrange(10, 11 + so_far)), 1, chance.randrange(1, 3))
    scope = chance.choice(SCOPES)
    lot = chance.random()
    if lot < 0.5:
        return i.Ask(RequestId(OwnerId(10 + so_far)), scope, ProcessId(9), chance.choice((0, 2)))  # type: ignore[arg-type]
    if lot < 0.85:
        return chance.choice((i.Succeed, i.Fail, i.AddWorker, i.AddStream, i.Stopped))(ref)
    if lot < 0.95:
        return codec.make(i.Abort, ref, chance.choice(("user", "timeout")))
    return chance.choice((i.Suspend, i.Resume, i.Dispose))(scope)


@pytest.mark.cites("SHL-1a", "SHL-2")
@pytest.mark.parametrize("seed", range(8))
def test_the_short_way_comes_to_the_same(seed: int) -> None:
    chance, desks = random.Random(seed), (Desk(MemoryStore()), Desk(Roundabout()))
    assert desks[0].shell._alone is not None
    assert desks[1].shell._alone is None
    given: list[Any] = [i.SetCap(5)]
    given += [
        i.CreateScope(scope, True, 3, retry=1, queues=True, max_queued=3, capped=True) for scope in SCOPES
    ]
    given += [inputs(chance, number) for number in range(300)]
    for each in given:
        for desk in desks:
            desk.say(each)
        assert desks[0].heard == desks[1].heard, each
    cells = [list(desk.shell.engine.store.cells()) for desk in desks]
    assert cells[0] == cells[1]
    assert desks[0].shell.refused == desks[1].shell.refused > 0
    assert sum(isinstance(heard, Refused) for heard in desks[0].heard) == desks[0].shell.refused


def test_an_input_whose_step_raises_is_put_aside() -> None:
    def step(read: Any, given: Any) -> Any:
        if isinstance(given, i.Suspend):
            raise ZeroDivisionError("planted")
        return shipped().step(read, given)

    desk = Desk(MemoryStore(), Kernel(step, shipped().tables))
    for given in (i.CreateScope(SCOPES[0]), i.Suspend(SCOPES[0]), i.Dispose(SCOPES[0])):
        desk.say(given)
    assert isinstance(desk.heard[1], PutAside)
    assert desk.heard[1].error == "ZeroDivisionError: planted"
    assert not isinstance(desk.heard[2], Refused)


def test_who_raises_when_it_hears_keeps_nobody_from_hearing(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(MemoryStore())

    def raises(_what: Any) -> None:
        raise ValueError("planted")

    with caplog.at_level(logging.ERROR):
        desk.shell.submit(Said(i.CreateScope(SCOPES[0]), raises))
        desk.shell.perform = raises
        desk.say(i.Ask(RequestId(OwnerId(10)), SCOPES[0], ProcessId(9)))
    assert [record.exc_text is not None for record in caplog.records] == [True, True]
    desk.say(i.Succeed(Ref(OwnerId(10), 1, 1)))
    assert len(desk.heard) == 2


def test_a_call_made_while_another_is_answered_comes_after_it() -> None:
    desk, order = Desk(MemoryStore()), []
    desk.shell.perform = lambda effect: order.append(type(effect).__name__)

    def answered(_answer: Answer) -> None:
        order.append("answered")
        desk.shell.submit(Said(i.Suspend(SCOPES[0]), lambda _answer: order.append("suspended")))

    desk.say(i.CreateScope(SCOPES[0]))
    desk.shell.submit(Said(i.Ask(RequestId(OwnerId(10)), SCOPES[0], ProcessId(9)), answered))
    assert order == ["answered", "StartBody", "suspended"]


def test_a_closed_shell_says_so() -> None:
    desk = Desk(MemoryStore())
    asyncio.run(desk.shell.close())
    desk.say(i.CreateScope(SCOPES[0]))
    assert isinstance(desk.heard[0], StoreError)
