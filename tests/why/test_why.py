"""`why` on single worlds: what it says in plain words, what it costs, whose rules it follows."""

from __future__ import annotations

from typing import Any

import pytest

from dhruva.cells import Change, Key, Kind
from dhruva.ids import ExecutorId, OwnerId, Priority, ProcessId, Ref, RequestId, ScopeId, TaskId
from dhruva.inputs import (
    Abort,
    Ask,
    Cancel,
    CreateScope,
    CreateTask,
    Depend,
    Dispose,
    Fail,
    Handle,
    Park,
    SetCap,
    Suspend,
    Wake,
)
from dhruva.machines import MACHINES
from dhruva.machines.attempt import AbortReason
from dhruva.step import BOOK, book, step
from dhruva.table import Row
from dhruva.walk import Book
from dhruva.why import NAMED_MAX, Reason, Who, line, way_line, why
from dhruva.why.tasks import LOOKED_AT_MAX
from tests.why.worlds import World

SCOPE, PROCESS, EXECUTOR = ScopeId(1), ProcessId(9), ExecutorId(5)


def task(number: int) -> TaskId:
    return TaskId(OwnerId(number))


def request(number: int) -> RequestId:
    return RequestId(OwnerId(number))


def world(*inputs: Any, rules: Book = BOOK) -> World:
    """The cells after these inputs."""
    cells: dict[Key, Any] = {}
    for given in inputs:
        answer = step(cells.get, given)
        assert isinstance(answer, Change), (given, answer)
        cells = World(cells, rules).after(answer.writes).cells
    return World(cells, rules)


def drained(here: World) -> World:
    """With every follow-up handled, and whatever may start started."""
    while True:
        for key in [key for key in here.cells if key[0] == Kind.FOLLOW]:
            given = Wake(key[2], PROCESS) if str(key[1]) == "wake" else Handle(key)
            answer = here.step(given)
            if isinstance(answer, Change):
                here = here.after(answer.writes)
                break
        else:
            return here


OPEN = (CreateScope(SCOPE, max_concurrent=1),)
PAIR = (
    *OPEN,
    CreateTask(task(20), SCOPE, EXECUTOR),
    CreateTask(task(21), SCOPE, EXECUTOR, dependencies=1),
    Depend(task(21), task(20)),
)
NAMES = {(Kind.TASK, 20): '"load sales"', (Kind.TASK, 21): '"report"', (Kind.SCOPE, 1): "the root scope"}


def said(here: World, key: Key) -> str:
    return line(here.why(key), lambda found: NAMES.get(found, str(found[1])))


@pytest.mark.cites("SHL-8a")
def test_in_plain_words() -> None:
    first = world(*PAIR)
    assert said(first, (Kind.TASK, 20)) == '"load sales" may start now'
    assert said(first, (Kind.TASK, 21)) == '"report" waits for "load sales" to complete'
    running = drained(first)
    assert said(running, (Kind.TASK, 20)).startswith('"load sales" runs as')
    ref = Ref(OwnerId(20), 1, 1)
    cut = drained(world_after(running, Fail(ref)))
    assert said(cut, (Kind.TASK, 21)) == '"report" is blocked: it needs "load sales", which is failed'
    assert said(cut, (Kind.TASK, 20)) == '"load sales" has ended (failed)'
    assert [way_line(way) for way in cut.why((Kind.TASK, 21)).ways] == [
        "re-execution, from whoever asks for it"
    ]


def world_after(here: World, given: Any) -> World:
    answer = here.step(given)
    assert isinstance(answer, Change), answer
    return here.after(answer.writes)


@pytest.mark.cites("SHL-8a", "LIF-8")
def test_a_cancelled_task_whose_body_goes_on_is_named() -> None:
    here = world_after(drained(world(*PAIR)), Cancel(task(20)))
    answer = here.why((Kind.TASK, 20))
    assert (answer.reason, answer.on) == (Reason.STOPPING, ((Kind.ATTEMPT, Ref(OwnerId(20), 1, 1)),))
    stopping = here.why(answer.on[0])
    assert stopping.because == "user"
    assert {way.who for way in stopping.ways} == {Who.BODY, Who.SYSTEM, Who.OPERATOR}


@pytest.mark.cites("SHL-8a", "LIF-5")
def test_the_cause_of_a_block_is_found_through_others() -> None:
    chain = [CreateTask(task(n), SCOPE, EXECUTOR, dependencies=1) for n in range(21, 24)]
    links = [Depend(task(n), task(n - 1)) for n in range(21, 24)]
    here = world(*OPEN, CreateTask(task(20), SCOPE, EXECUTOR), *chain, *links, Cancel(task(20)))
    answer = drained(here).why((Kind.TASK, 23))
    assert (answer.reason, answer.because, answer.on, answer.more) == (
        Reason.BLOCKED,
        "cancelled",
        ((Kind.TASK, 20),),
        2,
    )
    assert line(answer) == "task 23 is blocked: it needs task 20, which is cancelled (2 between)"


@pytest.mark.cites("SHL-8a", "ACT-10")
def test_a_request_that_is_about_to_ask_again() -> None:
    here = world(CreateScope(SCOPE, retry=1), Ask(request(10), SCOPE, PROCESS), Fail(Ref(OwnerId(10), 1, 1)))
    answer = here.why((Kind.REQUEST, 10))
    assert answer.reason == Reason.ASKING_AGAIN
    assert line(answer) == "request 10 failed, and is about to ask again"


@pytest.mark.cites("SHL-8a", "ACT-11")
def test_a_body_that_ignores_its_signal_keeps_its_scope_and_is_named() -> None:
    here = drained(world(*OPEN, Ask(request(10), SCOPE, PROCESS), Dispose(SCOPE)))
    answer = here.why((Kind.SCOPE, 1))
    assert line(answer) == "scope 1 is being disposed of, and waits for attempt 10.1.1 to end"


@pytest.mark.cites("SHL-8a", "ACT-5")
def test_a_scope_in_plain_words() -> None:
    key = (Kind.SCOPE, 1)
    used_up = CreateScope(SCOPE, max_concurrent=2, max_spawns=1)
    busy = world(used_up, Ask(request(10), SCOPE, PROCESS), CreateTask(task(20), SCOPE, EXECUTOR))
    assert [
        line(here.why(key))
        for here in (
            world(CreateScope(SCOPE, mount=False)),
            world(*OPEN),
            world(*OPEN, Suspend(SCOPE)),
            world(*OPEN, Ask(request(10), SCOPE, PROCESS)),
            busy,
            world(*OPEN, Dispose(SCOPE)),
        )
    ] == [
        "scope 1 waits to be mounted",
        "scope 1 waits for nothing: what is asked here may start",
        "scope 1 is suspended, and waits to be resumed",
        "scope 1 is full: its slots are held by attempt 10.1.1",
        "scope 1 starts nothing any more: the spawns of the scope are used up",
        "scope 1 has ended (DISPOSED)",
    ]
    assert line(busy.why((Kind.TASK, 20))) == (
        "task 20 will not start any more: the spawns of the scope are used up"
    )


@pytest.mark.cites("SHL-8a", "SHL-5")
def test_what_was_put_aside_waits_for_someone() -> None:
    answer = world(Park(7)).why((Kind.PARKED, 7))  # type: ignore[arg-type]
    assert [type(way.input).__name__ for way in answer.ways] == ["ResumeParked", "DiscardParked"]
    assert way_line(answer.ways[0]) == "resume, from an operator, with a reason"


@pytest.mark.cites("SHL-8a", "ACT-13")
def test_many_holders_are_named_up_to_a_bound_and_then_counted() -> None:
    """Asking about one costs the same, whatever holds the slots."""
    reads = {}
    for many in (20, 2_000):
        asked = [Ask(request(100 + n), SCOPE, PROCESS) for n in range(many)]
        here = world(CreateScope(SCOPE, max_concurrent=many, queues=True, max_queued=1), *asked)
        here = world_after(here, Ask(request(50), SCOPE, PROCESS, Priority.URGENT))
        seen: list[Key] = []

        def read(key: Key, here: World = here, seen: list[Key] = seen) -> Any:
            seen.append(key)
            return here.read(key)

        answer = why(read, (Kind.REQUEST, 50))
        assert (answer.reason, len(answer.on), answer.more) == (Reason.SLOT, NAMED_MAX, many - NAMED_MAX)
        reads[many] = len(seen)
    assert reads[20] == reads[2_000]


@pytest.mark.cites("SHL-8a", "ACT-13")
def test_a_full_cap_is_not_a_full_scope() -> None:
    capped = CreateScope(SCOPE, queues=True, max_queued=1, capped=True)
    here = world(SetCap(1), capped, Ask(request(10), SCOPE, PROCESS), Ask(request(11), SCOPE, PROCESS))
    assert drained(here).why((Kind.REQUEST, 11)).reason == Reason.CAP


@pytest.mark.cites("SHL-8a", "VER-1")
def test_it_follows_the_rules_that_it_is_given() -> None:
    """A book whose start needs no authorization: its step starts in a suspended scope, and `why` says so."""
    start = next(row for row in MACHINES["task"].rows if str(row.on) == "start")
    unguarded = Row(start.source, start.on, start.target, start.when[:-1], start.then, start.cites)
    rows = [unguarded if row is start else row for row in MACHINES["task"].rows]
    other = book(MACHINES | {"task": MACHINES["task"].unchecked(rows)}, checked=False)
    here = world(*PAIR, Suspend(SCOPE))
    assert here.why((Kind.TASK, 20)).reason == Reason.SUSPENDED
    assert World(here.cells, other).why((Kind.TASK, 20)).reason == Reason.MAY_START


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ((Kind.TASK, 99), Reason.ABSENT),
        ((Kind.SCOPE, 99), Reason.ABSENT),
        ((Kind.REQUEST, 99), Reason.ABSENT),
        ((Kind.ATTEMPT, Ref(OwnerId(99), 1, 1)), Reason.ABSENT),
        ((Kind.RESOURCE, Ref(OwnerId(99), 1, 1), 1), Reason.ABSENT),
        ((Kind.PARKED, 99), Reason.ABSENT),
        ((Kind.LOCK, 99), Reason.ABSENT),
        ((Kind.INSTANCE, 99), Reason.ABSENT),
        ((Kind.HUMAN, 99), Reason.ABSENT),
        ((Kind.CAP,), Reason.ABSENT),
        ((Kind.FOLLOW, "tell", 99), Reason.ABSENT),
        ((Kind.EFFECT, "dispatch", 99), Reason.ABSENT),
    ],
    ids=lambda value: str(value[0]) if isinstance(value, tuple) else "",
)
def test_what_is_not_known_is_said_not_to_be(key: Key, reason: Reason) -> None:
    answer = world().why(key)
    assert (answer.reason, answer.state) == (reason, None)


def test_a_key_that_nothing_waits_under_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match="kind 'policy'; kinds that do: task, request"):
        world().why((Kind.POLICY, 1))


@pytest.mark.cites("SHL-8a", "ACT-16")
def test_a_timeout_is_named_as_the_reason_to_end() -> None:
    here = world(*OPEN, Ask(request(10), SCOPE, PROCESS), Abort(Ref(OwnerId(10), 1, 1), AbortReason.TIMEOUT))
    assert "asked to end (timeout)" in line(here.why((Kind.ATTEMPT, Ref(OwnerId(10), 1, 1))))


@pytest.mark.cites("SHL-8a", "LIF-5")
@pytest.mark.parametrize(("wide", "deep"), [(3_000, 1), (1, 3_000), (50, 100)])
def test_a_large_tree_of_dependencies_is_looked_at_up_to_a_bound(wide: int, deep: int) -> None:
    """Layers of tasks, each of which needs one of the layer before; the last needs all of the last layer."""
    count = wide * deep
    above = {n: [n - wide] for n in range(wide, count)} | {count: list(range(count - wide, count))}
    cells: dict[Key, Any] = {}
    cells |= world(*OPEN).cells
    for n in range(count + 1):
        unmet = len(above.get(n, ()))
        for given in [
            CreateTask(task(n), SCOPE, EXECUTOR, dependencies=unmet),
            *(Depend(task(n), task(on)) for on in above.get(n, ())),
        ]:
            cells.update(step(cells.get, given).writes)  # type: ignore[union-attr]
    links = {(cell.dependent, key[1]): key[2] for key, cell in cells.items() if key[0] == Kind.LINK}
    seen: list[Key] = []

    def read(key: Key) -> Any:
        seen.append(key)
        return cells.get(key)

    answer = why(read, (Kind.TASK, count), lambda at: [(task(on), links[at, on]) for on in above.get(at, ())])
    assert answer.reason == Reason.DEPENDENCIES
    assert len(answer.on) + answer.more == wide
    assert len(set(seen)) <= 8 * LOOKED_AT_MAX
