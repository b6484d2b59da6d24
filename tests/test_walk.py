"""The mechanism of a step: cells as they stand, and the firing of events. It holds no rule."""

from collections import Counter
from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import Change, FollowUp, Key, Kind
from dhruva.machines.attempt import AbortReason
from dhruva.machines.instance import WaitKind
from dhruva.machines.resources import WorkerEvent
from dhruva.step import step
from dhruva.table import Refused
from dhruva.walk import DECISIONS, NOTHING, SETTINGS, Book, Given, Move, Walk
from tests.rules.cast import FLOW, RUN, SCOPE, TASK, handle, running, scope, signal, task, token, waits, wake
from tests.rules.play import accept, begin, moves, refuse


def a_book(*, guard: bool = True, inner: Refused | None = None, ends: bool = False) -> Book:
    """One machine with one row: off -flip-> on, with one guard and one wire."""

    def wire(walk: Walk, _key: Key, _cell: Any, _given: Given) -> Refused | None:
        walk.put(("other",), (1,))
        walk.effect("said")  # type: ignore[arg-type]
        return inner

    row = Move("on", False, ends, (("asked", lambda *_: guard),), (wire,), "SHL-1")
    refuse_ = {"lamp": lambda state, event: Refused("lamp", state, event, "SHL-1", "no_row")}
    return Book({"lamp": {("off", "flip"): row}}, refuse_, {}, DECISIONS, SETTINGS, {}, {})


LAMP: Key = ("lamp",)


class Lamp(tuple[Any, ...]):
    """A cell of one field."""


def lamp(state: str = "off") -> Any:
    return Lamp((state,))


def walk_of(book: Book, cells: dict[Key, Any]) -> Walk:
    return Walk(book, cells.get)


@pytest.mark.cites("SHL-1b")
def test_a_row_moves_its_cell_and_carries_out_its_wires() -> None:
    walk = walk_of(a_book(), {LAMP: lamp()})
    assert walk.fire("lamp", LAMP, "flip", NOTHING) is None
    change = walk.change()
    assert change.writes == {LAMP: ("on",), ("other",): (1,)}
    assert list(map(str, change.effects)) == ["said"]
    assert [edge[2:] for edge in change.edges] == [("off", "flip", "on")]


@pytest.mark.cites("ACT-8b")
def test_a_cell_that_ended_is_gone() -> None:
    walk = walk_of(a_book(ends=True), {LAMP: lamp()})
    walk.fire("lamp", LAMP, "flip", NOTHING)
    assert walk.change().writes[LAMP] is None


REFUSED = {
    "no cell": (a_book(), {}, Refused("lamp", None, "flip", "SHL-1", "absent")),
    "no row": (a_book(), {LAMP: lamp("on")}, Refused("lamp", "on", "flip", "SHL-1", "no_row")),
    "a guard": (a_book(guard=False), {LAMP: lamp()}, Refused("lamp", "off", "flip", "SHL-1", "asked")),
}


@pytest.mark.cites("SHL-1b", "ACT-5k")
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_and_why(name: str) -> None:
    book, cells, answer = REFUSED[name]
    for ask in (Walk.fire, Walk.allows, Walk.try_fire):
        walk = walk_of(book, cells)
        assert ask(walk, "lamp", LAMP, "flip", NOTHING) == answer
        assert walk.change() == Change({}, (), (), (), ())


@pytest.mark.cites("SHL-1b")
def test_to_ask_whether_a_row_may_be_taken_does_nothing() -> None:
    walk = walk_of(a_book(), {LAMP: lamp()})
    assert walk.allows("lamp", LAMP, "flip", NOTHING) is None
    assert walk.change() == Change({}, (), (), (), ())


INNER = Refused("inside", None, "no", "SHL-1", "no")


@pytest.mark.cites("SHL-1b")
def test_a_refusal_inside_refuses_the_whole() -> None:
    assert walk_of(a_book(inner=INNER), {LAMP: lamp()}).fire("lamp", LAMP, "flip", NOTHING) == INNER


@pytest.mark.cites("SHL-1b")
def test_an_optional_event_that_is_refused_leaves_no_trace() -> None:
    walk = walk_of(a_book(inner=INNER), {LAMP: lamp()})
    walk.put(("before",), (0,))
    assert walk.try_fire("lamp", LAMP, "flip", NOTHING) == INNER
    assert walk.change() == Change({("before",): (0,)}, (), (), (), ())
    assert walk.get(LAMP) == ("off",)
    assert walk.get(("other",)) is None


@pytest.mark.cites("SHL-1a")
def test_a_step_sees_what_it_has_put() -> None:
    walk = walk_of(a_book(), {LAMP: lamp()})
    walk.put(LAMP, lamp("on"))
    assert walk.get(LAMP) == ("on",)
    walk.put(LAMP, None)
    assert walk.get(LAMP) is None


@pytest.mark.cites("SHL-1a")
def test_what_comes_and_goes_within_a_step_is_not_said() -> None:
    walk = walk_of(a_book(), {})
    walk.put(LAMP, lamp())
    walk.put(LAMP, None)
    walk.get(("looked", "at"))
    assert walk.change().writes == {}


@pytest.mark.cites("SHL-3b")
def test_follow_ups_that_are_written_are_announced() -> None:
    walk = walk_of(a_book(), {(Kind.FOLLOW, FollowUp.WAKE, 2): ("old",)})
    walk.put((Kind.FOLLOW, FollowUp.WAKE, 1), ("new",))
    walk.put((Kind.FOLLOW, FollowUp.WAKE, 2), None)
    assert walk.change().follow_ups == ((Kind.FOLLOW, FollowUp.WAKE, 1),)


@pytest.mark.cites("SHL-3b")
@pytest.mark.parametrize(("left", "goes_on"), [(("old",), True), (None, False)])
def test_a_follow_up_that_was_handled_is_announced_while_it_goes_on(left: Any, goes_on: bool) -> None:
    here = (Kind.FOLLOW, FollowUp.WAKE, 1)
    walk = walk_of(a_book(), {here: ("old",)})
    walk.handled = here
    if walk.get(here) != left:
        walk.put(here, left)
    assert walk.change().follow_ups == ((here,) if goes_on else ())


# The same, seen from outside


@pytest.mark.cites("SHL-1b")
def test_a_refused_inner_event_refuses_the_whole_step() -> None:
    """The person completes, but the instance is past that wait: nothing is completed."""
    world = begin(i.StartInstance(FLOW), waits(WaitKind.HUMAN), i.AssignHuman(FLOW, 1), i.Unavailable(FLOW))  # type: ignore[arg-type]
    world.all(i.RetryInstance(FLOW, 1))  # type: ignore[arg-type]
    assert refuse(world, i.CompleteHuman(FLOW, 1)).machine == "instance"  # type: ignore[arg-type]
    assert (Kind.HUMAN, FLOW) in world.cells


@pytest.mark.cites("ACT-8c")
def test_an_optional_inner_event_is_passed_over() -> None:
    """The worker fails after its attempt ended: its own end is accepted, no attempt aborts."""
    world = begin(*running(), i.AddWorker(RUN), i.ResourceEvent(RUN, 1, WorkerEvent.START), i.Succeed(RUN))
    change = accept(world, i.ResourceEvent(RUN, 1, WorkerEvent.FAIL))
    assert moves(change, "worker") == [("running", "fail", "failed")]
    assert moves(change, "attempt") == []


@pytest.mark.cites("ACT-14a")
@pytest.mark.parametrize(
    ("setup", "given"),
    [
        ((scope(), task()), wake()),
        (running(), i.Succeed(RUN)),
        (running(), i.Abort(RUN, AbortReason.TIMEOUT)),
        ((*running(), i.Dispose(SCOPE)), handle(FollowUp.ABORT_EACH, SCOPE)),
        ((i.StartInstance(FLOW), waits(WaitKind.TIMER)), i.Signal(FLOW, signal(1), token(1))),
        ((scope(), task()), i.Cancel(TASK)),
    ],
    ids=lambda value: (
        type(value).__name__ if not isinstance(value, tuple) or hasattr(value, "_fields") else ""
    ),
)
def test_a_cell_is_asked_for_a_few_times_at_most(setup: tuple[Any, ...], given: Any) -> None:
    cells, asked = begin(*setup).cells, Counter[Key]()

    def read(key: Key) -> Any:
        asked[key] += 1
        return cells.get(key)

    assert isinstance(step(read, given), Change)
    assert max(asked.values()) <= 3
