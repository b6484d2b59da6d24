"""The batch is the transaction: on each store, with the real step."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import Change, FollowUp, Kind
from dhruva.effects import AbortSignal, StartBody
from dhruva.ids import ExecutorId, OwnerId, Priority, ProcessId, Ref, RequestId, ScopeId, TaskId
from dhruva.runtime import batch
from dhruva.runtime.calls import Answer, Call, Done, Facts, Kernel, Outcome, PutAside
from dhruva.runtime.engine import Engine
from dhruva.runtime.replay import replay
from dhruva.runtime.store import StoreError
from dhruva.step import step
from dhruva.table import Refused
from tests.runtime.stores import DIGEST, KINDS, opener

ME = ProcessId(9)
SCOPE = ScopeId(1)
KERNEL = Kernel(step, DIGEST)


def request(number: int) -> RequestId:
    return RequestId(OwnerId(number))


def task(number: int) -> TaskId:
    return TaskId(OwnerId(number))


def ask(number: int, priority: Priority = Priority.NORMAL) -> i.Ask:
    return i.Ask(request(number), SCOPE, ME, priority)


def call(*given: Any) -> Call:
    return Call(lambda _facts: given, lambda _answer: None)


class Desk:
    """An engine, and the answers of the batches that it ran."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def batch(self, *calls: Sequence[Any]) -> Outcome:
        return self.engine.run([call(*each) for each in calls])

    def give(self, *given: Any) -> Answer:
        """One call, alone in its batch."""
        return self.batch(given).answers[0][1]

    def read(self, *key: Any) -> Any:
        transaction = self.engine.store.begin()
        cell = transaction.read(key)
        transaction.rollback()
        return cell

    @property
    def links(self) -> int:
        return len(list(self.engine.store.links()))


@pytest.fixture(params=KINDS)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    opened = Desk(Engine(opener(request.param, tmp_path)(), KERNEL, ME, True))
    yield opened
    opened.engine.store.close()


def refs(outcome: Outcome) -> list[Ref]:
    return [effect.ref for effect in outcome.effects if isinstance(effect, StartBody)]


@pytest.mark.cites("SHL-2a", "SHL-7a")
def test_a_batch_is_one_transaction_and_one_link(desk: Desk) -> None:
    outcome = desk.batch([i.CreateScope(SCOPE)], [ask(5)], [ask(6)])
    assert [type(answer) for _, answer in outcome.answers] == [Done, Done, Done]
    assert refs(outcome) == [Ref(request(5), 1, 1), Ref(request(6), 1, 1)]
    assert desk.links == 1
    assert desk.read(Kind.SCOPE, SCOPE).active == 2


@pytest.mark.cites("SHL-2b")
def test_an_input_sees_what_the_one_before_it_wrote(desk: Desk) -> None:
    outcome = desk.batch([i.CreateScope(SCOPE, max_concurrent=1)], [ask(5)], [ask(6)])
    refused = outcome.answers[2][1]
    assert isinstance(refused, Refused)
    assert refused.because == "concurrency_limit"


@pytest.mark.cites("SHL-7c", "ACT-4a", "ACT-1d")
def test_a_refusal_is_counted_and_leaves_neither_cell_nor_link(desk: Desk) -> None:
    outcome = desk.batch([ask(5)], [i.Suspend(SCOPE)])
    assert (outcome.refused, outcome.effects, desk.links) == (2, [], 0)
    assert list(desk.engine.store.cells()) == []


def test_the_inputs_of_a_call_happen_together_or_not_at_all(desk: Desk) -> None:
    desk.give(i.CreateScope(SCOPE))
    create, depend = i.CreateTask(task(7), SCOPE, ExecutorId(3), dependencies=1), i.Depend(task(7), task(99))
    outcome = desk.batch([create, depend], [ask(5)])
    assert isinstance(outcome.answers[0][1], Refused)
    assert isinstance(outcome.answers[1][1], Done)
    assert desk.read(Kind.TASK, 7) is None
    assert refs(outcome) == [Ref(request(5), 1, 1)]


@pytest.mark.cites("SHL-3a", "SHL-3e", "ACT-11")
def test_a_batch_drains_the_follow_ups_that_it_wrote(desk: Desk) -> None:
    desk.batch([i.CreateScope(SCOPE)], *([ask(n)] for n in range(5, 15)))
    outcome = desk.batch([i.Dispose(SCOPE)])
    assert sum(isinstance(effect, AbortSignal) for effect in outcome.effects) == 10
    assert desk.read(Kind.FOLLOW, FollowUp.ABORT_EACH, SCOPE) is None
    assert not desk.engine.more


@pytest.mark.cites("SHL-3b", "SHL-3d")
def test_what_is_over_the_bound_is_handled_in_the_next_batch(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "DRAINED_MAX", 3)
    desk.batch([i.CreateScope(SCOPE)], *([ask(n)] for n in range(5, 15)))
    told = [len(desk.batch([i.Dispose(SCOPE)]).effects)]
    while desk.engine.more:
        told.append(len(desk.batch().effects))
    assert told == [3, 3, 3, 1]


@pytest.mark.cites("SHL-3d", "SHL-3c")
def test_follow_ups_that_an_earlier_engine_left_are_handled(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "DRAINED_MAX", 0)
    desk.batch([i.CreateScope(SCOPE)], [ask(5)], [i.Dispose(SCOPE)])
    monkeypatch.setattr(batch, "DRAINED_MAX", 100)
    later = Engine(desk.engine.store, KERNEL, ME, True)
    later.resume()
    assert [type(effect) for effect in later.run(()).effects] == [AbortSignal]


@pytest.mark.cites("LIF-3", "LIF-6")
def test_a_task_starts_where_its_executor_is(desk: Desk) -> None:
    have, have_not = ExecutorId(3), ExecutorId(4)
    desk.engine.executors.add(have)
    outcome = desk.batch(
        [i.CreateScope(SCOPE)],
        [i.CreateTask(task(7), SCOPE, have_not)],
        [i.CreateTask(task(8), SCOPE, have)],
    )
    assert refs(outcome) == [Ref(task(8), 1, 1)]
    assert desk.read(Kind.EXECUTOR, have_not).first == 7
    desk.engine.executors.add(have_not)
    assert refs(desk.batch([i.Register(have_not)])) == [Ref(task(7), 1, 1)]


@pytest.mark.cites("LIF-6", "ACT-13")
def test_the_end_of_one_and_the_start_of_the_next_share_a_transaction(desk: Desk) -> None:
    desk.batch([i.CreateScope(SCOPE, max_concurrent=1, queues=True, max_queued=5)], [ask(5)], [ask(6)])
    before = desk.links
    assert refs(desk.batch([i.Succeed(Ref(request(5), 1, 1))])) == [Ref(request(6), 1, 1)]
    assert desk.links == before + 1


def raising(read: Any, given: Any) -> Change | Refused:
    """The step, but for one request that it cannot stand."""
    if isinstance(given, i.Ask) and given.request == 13:
        raise RuntimeError("thirteen")
    return step(read, given)


@pytest.mark.cites("SHL-5a", "SHL-5b", "SHL-5c")
@pytest.mark.parametrize("kind", KINDS)
def test_what_raises_is_parked_and_named_and_the_rest_goes_on(kind: str, tmp_path: Path) -> None:
    engine = Engine(opener(kind, tmp_path)(), Kernel(raising, DIGEST), ME, True)
    desk = Desk(engine)
    outcome = desk.batch([i.CreateScope(SCOPE)], [ask(5), ask(13)], [ask(6)])
    aside = outcome.answers[1][1]
    assert isinstance(aside, PutAside)
    assert aside.error == "RuntimeError: thirteen"
    assert refs(outcome) == [Ref(request(6), 1, 1)]
    assert desk.read(Kind.PARKED, aside.parked).state == "parked"
    transaction = engine.store.begin()
    stored = transaction.payload(f"parked:{aside.parked}")
    transaction.rollback()
    assert stored is not None
    assert b"thirteen" in stored
    engine.store.close()


def stuck(read: Any, given: Any) -> Change | Refused:
    if isinstance(given, i.Handle):
        raise RuntimeError("cannot be handled")
    return step(read, given)


@pytest.mark.cites("SHL-5a", "SHL-5c")
def test_a_follow_up_that_raises_is_parked_once() -> None:
    desk = Desk(Engine(opener("memory", Path())(), Kernel(stuck, DIGEST), ME, True))
    desk.batch([i.CreateScope(SCOPE)], [ask(5)], [i.Dispose(SCOPE)])
    assert not desk.engine.more
    desk.batch()
    parked = [key for key, _ in desk.engine.store.cells() if key[0] == Kind.PARKED]
    assert len(parked) == 1


def hopeless(_read: Any, _given: Any) -> Change | Refused:
    raise RuntimeError("nothing works")


def test_a_step_that_always_raises_is_answered(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(Engine(opener("memory", Path())(), Kernel(hopeless, DIGEST), ME, True))
    assert desk.give(ask(5)) == PutAside(None, "RuntimeError: nothing works")
    assert "could not be parked" in caplog.text


def test_a_call_may_look_at_what_its_batch_wrote(desk: Desk) -> None:
    seen: list[tuple[Any, bytes | None]] = []

    def plan(facts: Facts) -> list[Any]:
        seen.append((facts.read((Kind.SCOPE, SCOPE)), facts.payload("scope:a")))
        facts.put("scope:a", b"1")
        return [i.CreateScope(SCOPE)]

    twice = Call(plan, lambda _answer: None)
    outcome = desk.engine.run([twice, twice])
    assert isinstance(outcome.answers[1][1], Refused)
    assert seen[0] == (None, None)
    assert seen[1][0] is not None
    assert seen[1][1] == b"1"


def test_payloads_of_a_refused_call_are_not_written(desk: Desk) -> None:
    def plan(facts: Facts) -> list[Any]:
        facts.put("name", b"value")
        return [i.Suspend(SCOPE)]

    desk.engine.run([Call(plan, lambda _answer: None), call(i.CreateScope(SCOPE))])
    transaction = desk.engine.store.begin()
    assert transaction.payload("name") is None
    transaction.rollback()


@pytest.mark.cites("SHL-2c")
def test_a_store_that_cannot_begin_answers_every_call() -> None:
    store = opener("memory", Path())()
    desk = Desk(Engine(store, KERNEL, ME, True))
    held = store.begin()
    assert isinstance(desk.give(i.CreateScope(SCOPE)), StoreError)
    held.rollback()
    assert isinstance(desk.give(i.CreateScope(SCOPE)), Done)
    assert replay(store, KERNEL).links == 1
