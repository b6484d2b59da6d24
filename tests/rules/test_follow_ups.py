"""Follow-ups: one cell at a time, interleaved with everything; what was put aside (SHL-3, SHL-5, LIF-10)."""

from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import FollowUp, Kind
from dhruva.ids import OwnerId, ParkedId, Ref, TaskId
from dhruva.machines.attempt import AbortReason
from dhruva.rules.follow_ups import HANDLERS
from dhruva.table import Refused
from tests.rules.cast import (
    ANNA,
    ASKED_LATER,
    ASKED_TOO,
    LAST,
    NEXT,
    RUN,
    SCOPE,
    TASK,
    ask,
    follow,
    handle,
    running,
    scope,
    task,
    wake,
)
from tests.rules.play import accept, alive, begin, drain, moves, refuse, run_all, state
from tests.stateful.world import World

NOTHING = {
    "no key": (),
    "no kind": (Kind.FOLLOW,),
    "no follow-up": (Kind.TASK, TASK),
    "an unknown kind": (Kind.FOLLOW, "phone", TASK),
    "one that is not there": follow(FollowUp.TELL, TASK),
    "one that only Wake can handle": follow(FollowUp.WAKE, SCOPE),
}


@pytest.mark.cites("SHL-3b")
@pytest.mark.parametrize("key", NOTHING.values(), ids=NOTHING)
def test_what_is_no_follow_up_is_not_handled(key: tuple[Any, ...]) -> None:
    world = begin(scope(), task())
    assert refuse(world, i.Handle(key)) == Refused("follow-up", None, "handle", "SHL-3", "absent")


@pytest.mark.cites("SHL-3a")
def test_every_follow_up_has_a_handler() -> None:
    assert set(HANDLERS) == set(FollowUp) - {FollowUp.WAKE}


# Dispose


@pytest.mark.cites("ACT-11a", "ACT-11d", "SHL-3c", "SHL-3d")
def test_dispose_goes_from_attempt_to_attempt_while_others_end() -> None:
    """The attempt at which the walk stands ends before its turn; the walk goes on with the rest."""
    world = begin(scope(), ask(), ask(ASKED_TOO), ask(ASKED_LATER), i.Dispose(SCOPE))
    newest = Ref(ASKED_LATER, 1, 1)
    assert world.cells[follow(FollowUp.ABORT_EACH, SCOPE)].ref == newest
    accept(world, i.Succeed(newest))
    drain(world)
    assert {world.cells[Kind.ATTEMPT, ref].reason for ref in alive(world)} == {"dispose"}
    world.all(*(i.Stopped(ref) for ref in alive(world)))
    assert state(world, Kind.SCOPE, SCOPE) == "DISPOSED"


@pytest.mark.cites("SHL-3c")
def test_to_handle_a_follow_up_moves_one_cell() -> None:
    world = begin(scope(), ask(), ask(ASKED_TOO), i.Dispose(SCOPE))
    assert len(moves(accept(world, handle(FollowUp.ABORT_EACH, SCOPE)), "attempt")) == 1


@pytest.mark.cites("ACT-13g")
def test_tasks_of_a_disposed_scope_stay_pending_and_wait_nowhere() -> None:
    world = begin(scope(), task(), i.Dispose(SCOPE))
    drain(world)
    assert state(world, Kind.TASK, TASK) == "pending"
    assert (Kind.WAITER, TASK) not in world.cells


# Telling dependents


@pytest.mark.cites("LIF-19c", "SHL-3c", "LIF-6c")
def test_dependents_are_told_one_by_one() -> None:
    world = begin(
        scope(), task(), task(NEXT, dependencies=1), i.Depend(NEXT, TASK), task(LAST, dependencies=1),
        i.Depend(LAST, TASK), wake(), i.Succeed(RUN),
    )  # fmt: skip
    seen = []
    while follow(FollowUp.TELL, TASK) in world.cells:
        accept(world, handle(FollowUp.TELL, TASK))
        seen.append((world.cells[Kind.TASK, NEXT].unmet, world.cells[Kind.TASK, LAST].unmet))
    assert seen == [(1, 1), (0, 1), (0, 0)]


@pytest.mark.cites("LIF-4a", "SHL-3d")
def test_a_dependency_that_is_told_of_twice_is_counted_once() -> None:
    """The dependent was linked after the end, while the follow-up was on its way."""
    world = begin(*running(), task(LAST, dependencies=1), i.Depend(LAST, TASK), i.Succeed(RUN))
    world.all(task(NEXT, dependencies=1), i.Depend(NEXT, TASK))
    drain(world)
    assert world.cells[Kind.TASK, NEXT].unmet == 0


@pytest.mark.cites("SHL-3d", "LIF-20a")
def test_a_follow_up_about_something_deleted_is_over() -> None:
    world = begin(*running(), task(NEXT, dependencies=1), i.Depend(NEXT, TASK), i.Succeed(RUN))
    world.all(i.Unlink(NEXT, TASK, 1), i.Delete(TASK))
    drain(world)
    assert not [key for key in world.cells if key[0] == Kind.FOLLOW and TASK in key]


# The cascade (LIF-10)


RECALL, RESET = FollowUp.RECALL, FollowUp.RESET


def chain(*ends: Any) -> World:
    """TASK, then NEXT that needs it, both ended; LAST needs NEXT and is pending in its lane."""
    world = begin(scope(), task(), task(NEXT, dependencies=1), i.Depend(NEXT, TASK), wake(), i.Succeed(RUN))
    world.all(task(LAST, dependencies=1), i.Depend(LAST, NEXT))
    drain(world)
    world.all(wake(), *(ends or (i.Succeed(Ref(NEXT, 1, 1)),)))
    drain(world)
    return world


def cascade(world: World) -> World:
    """The walk of LIF-10: both recalled, then NEXT reset before TASK."""
    return world.all(
        i.Recall(TASK, None), i.Recall(NEXT, follow(RECALL, TASK)), i.Reset(NEXT, follow(RECALL, NEXT)),
        i.Reset(TASK, follow(RESET, NEXT)),
    )  # fmt: skip


@pytest.mark.cites("LIF-10b", "LIF-10c", "LIF-10d")
def test_the_walk_goes_in_its_order() -> None:
    world = cascade(chain())
    for early in ((RECALL, NEXT), (RESET, NEXT), (RESET, TASK)):
        refused = refuse(world, handle(*early))
        assert (refused.machine, refused.rule, refused.because) == ("follow-up", "LIF-10", "not_yet")
    drain(world)
    assert [world.cells[Kind.TASK, t].run for t in (TASK, NEXT, LAST)] == [2, 2, 1]


@pytest.mark.cites("LIF-10c", "LIF-10e")
def test_nothing_starts_on_a_tree_that_is_half_reset() -> None:
    """Once the first pass is over, a wake between any two steps of the walk starts neither NEXT nor LAST."""
    world = cascade(chain())
    for key in ((RECALL, TASK), (RECALL, NEXT), (RESET, NEXT), (RESET, TASK)):
        while follow(*key) in world.cells:
            accept(world, handle(*key))
            if follow(RECALL, NEXT) not in world.cells:
                world.give(wake())
                assert {ref.owner for ref in alive(world)} <= {TASK}
    assert alive(world) == [Ref(TASK, 2, 2)]


@pytest.mark.cites("LIF-10a", "LIF-10e")
def test_after_the_walk_all_run_again_in_order() -> None:
    world = cascade(chain())
    drain(world)
    assert run_all(world) == [TASK, NEXT, LAST]


@pytest.mark.cites("LIF-10f")
def test_without_the_cascade_direct_dependents_still_count_it_as_unmet() -> None:
    world = chain().all(i.Recall(TASK, None), i.Reset(TASK, follow(RECALL, TASK)))
    drain(world)
    assert (state(world, Kind.TASK, NEXT), world.cells[Kind.TASK, NEXT].unmet) == ("completed", 1)
    run_all(world)
    assert (state(world, Kind.TASK, NEXT), world.cells[Kind.TASK, NEXT].unmet) == ("completed", 0)


@pytest.mark.cites("LIF-10c", "LIF-4a")
def test_a_link_made_during_the_walk_is_not_satisfied() -> None:
    world = cascade(chain())
    new = TaskId(OwnerId(25))
    world.all(task(new, dependencies=1), i.Depend(new, TASK))
    assert world.cells[Kind.TASK, new].unmet == 1


@pytest.mark.cites("LIF-10c", "SHL-3d")
def test_dependents_are_told_of_an_end_before_they_are_told_of_the_reset() -> None:
    world = begin(
        *running(), task(NEXT, dependencies=1), i.Depend(NEXT, TASK), i.Succeed(RUN), i.Recall(TASK, None)
    )
    assert refuse(world, handle(RECALL, TASK)).because == "not_yet"
    drain(world)
    assert world.cells[Kind.TASK, NEXT].unmet == 1


# Parking


@pytest.mark.cites("SHL-5a", "SHL-6b")
@pytest.mark.parametrize(
    ("kind", "event", "end"),
    [(i.ResumeParked, "resume", "resumed"), (i.DiscardParked, "discard", "discarded")],
)
def test_what_is_parked_is_taken_up_by_someone(kind: Any, event: str, end: str) -> None:
    parked = ParkedId(1)
    world = begin(i.Park(parked))
    assert refuse(world, i.Park(parked)).because == "known_id"
    for nobody in (kind(parked, None, True), kind(parked, ANNA, False)):
        assert refuse(world, nobody) == Refused("parked", "parked", event, "SHL-5 SHL-6", "override")
    assert moves(accept(world, kind(parked, ANNA, True)), "parked") == [("parked", event, end)]
    assert refuse(world, kind(parked, ANNA, True)) == Refused("parked", None, event, "SHL-5", "absent")


@pytest.mark.cites("SHL-5b")
def test_the_rest_goes_on() -> None:
    world = begin(*running(), i.Park(ParkedId(1)))
    accept(world, i.Succeed(RUN))
    assert state(world, Kind.PARKED, ParkedId(1)) == "parked"


@pytest.mark.cites("ACT-18e", "LIF-14a")
def test_a_late_follow_up_of_a_shutdown_does_not_cut_a_backoff_short() -> None:
    """A doubled timer starts the task first; the follow-up is of an attempt that is no longer the newest."""
    second, third = Ref(TASK, 1, 2), Ref(TASK, 1, 3)
    world = begin(*running(max_attempts=3), i.Fail(RUN), i.Due(TASK, 1, 1), wake())
    world.all(
        i.Abort(second, AbortReason.SHUTDOWN), i.Stopped(second), i.Due(TASK, 1, 1), wake(), i.Fail(third)
    )
    assert not world.cells[Kind.TASK, TASK].due
    accept(world, handle(FollowUp.READY, TASK))
    assert not world.cells[Kind.TASK, TASK].due
