"""Scopes and one-off requests: registry, gate, queue (ACT-1 to ACT-7, ACT-11 to ACT-13, ACT-17)."""

from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import FollowUp, Kind
from dhruva.decide.authority import Verdict
from dhruva.effects import Rejected, StartBody
from dhruva.ids import OwnerId, Priority, Ref, RequestId
from dhruva.table import Refused
from tests.rules.cast import (
    ASKED,
    ASKED_LATER,
    ASKED_RUN,
    ASKED_TOO,
    NO_SCOPE,
    OTHER_SCOPE,
    SCOPE,
    ask,
    follow,
    handle,
    scope,
    task,
    wake,
)
from tests.rules.play import accept, alive, begin, drain, effects, moves, refuse, state
from tests.stateful.world import World

DISPOSED = Verdict.SCOPE_DISPOSED
IN_STATE: dict[str, tuple[Any, ...]] = {
    "INIT": (scope(mount=False),),
    "ATTACHED": (scope(),),
    "RUNNING": (scope(), ask()),
    "SUSPENDED": (scope(), i.Suspend(SCOPE)),
    "DISPOSING": (scope(), ask(), i.Dispose(SCOPE)),
    "DISPOSED": (scope(), i.Dispose(SCOPE)),
}


@pytest.mark.cites("ACT-17a")
def test_to_create_a_scope_mounts_it_unless_asked_not_to() -> None:
    assert state(begin(scope()), Kind.SCOPE, SCOPE) == "ATTACHED"
    assert state(begin(scope(mount=False)), Kind.SCOPE, SCOPE) == "INIT"


@pytest.mark.cites("ACT-17b")
def test_a_known_id_is_an_error_and_the_first_lives_on() -> None:
    world = begin(scope(max_concurrent=1))
    assert refuse(world, scope(max_concurrent=5)) == Refused(
        "scope", "ATTACHED", "create", "ACT-17", "known_id"
    )
    assert world.cells[Kind.POLICY, SCOPE].max_concurrent == 1


@pytest.mark.cites("ACT-13a")
def test_the_cap_is_set_once_and_before_the_scopes_under_it() -> None:
    assert refuse(World(), scope(capped=True)).because == "no_cap"
    assert refuse(begin(i.SetCap(1)), i.SetCap(2)) == Refused("scope", None, "set_cap", "ACT-13", "known_cap")
    assert refuse(begin(), i.SetCap(0)) == Refused("scope", None, "set_cap", "ACT-13", "limit")


LEGAL = {
    (i.Mount, "INIT"), (i.Suspend, "ATTACHED"), (i.Suspend, "RUNNING"), (i.Resume, "SUSPENDED"),
    *((i.Dispose, name) for name in IN_STATE),
}  # fmt: skip
EVENT = {i.Mount: "mounted", i.Suspend: "suspend", i.Resume: "resume", i.Dispose: "dispose"}


@pytest.mark.cites("ACT-5a", "ACT-5c", "ACT-5d", "ACT-5e", "ACT-5f", "ACT-5g", "ACT-5i", "ACT-5k", "ACT-11c")
@pytest.mark.parametrize("kind", EVENT, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", IN_STATE)
def test_the_table_decides_what_a_scope_accepts(kind: Any, name: str) -> None:
    world = begin(*IN_STATE[name])
    assert state(world, Kind.SCOPE, SCOPE) == name
    if (kind, name) in LEGAL:
        accept(world, kind(SCOPE))
    else:
        assert refuse(world, kind(SCOPE)) == Refused("scope", name, EVENT[kind], "ACT-5", "no_row")


@pytest.mark.cites("ACT-5k")
@pytest.mark.parametrize("kind", EVENT, ids=lambda kind: kind.__name__)
def test_an_input_for_a_scope_that_does_not_exist(kind: Any) -> None:
    assert refuse(begin(scope()), kind(NO_SCOPE)) == Refused("scope", None, EVENT[kind], "ACT-5", "absent")


REJECTED: dict[str, tuple[tuple[Any, ...], i.Ask]] = {
    "scope_not_found": ((), ask()),
    "scope_disposed": (IN_STATE["DISPOSED"], ask(ASKED_TOO)),
    "scope_suspended": (IN_STATE["SUSPENDED"], ask()),
    "scope_not_attached": (IN_STATE["INIT"], ask()),
    "spawn_limit": ((scope(max_spawns=1), ask(), i.Succeed(ASKED_RUN)), ask(ASKED_TOO)),
    "policy_window": ((scope(),), ask(late=True)),
    "concurrency_limit": ((scope(max_concurrent=1), ask()), ask(ASKED_TOO)),
    "queue_full": (
        (scope(max_concurrent=1, queues=True, max_queued=1), ask(), ask(ASKED_TOO)),
        ask(ASKED_LATER),
    ),
}


@pytest.mark.cites("ACT-2a", "ACT-2b", "ACT-2c", "ACT-2d", "ACT-2e", "ACT-3a", "ACT-3d", "ACT-4a", "ACT-17d")
@pytest.mark.parametrize("reason", REJECTED)
def test_each_rejection_has_one_reason_and_writes_nothing(reason: str) -> None:
    setup, asked = REJECTED[reason]
    world = begin(*setup)
    refused = refuse(world, asked)
    assert (refused.machine, refused.event, refused.rule) == ("scope", "ask", "ACT-3")
    assert refused.state == state(world, Kind.SCOPE, SCOPE)
    assert refused.because == reason


@pytest.mark.cites("ACT-3c")
def test_disposing_is_disposed_for_who_asks() -> None:
    assert refuse(begin(*IN_STATE["DISPOSING"]), ask(ASKED_TOO)).because == "scope_disposed"


@pytest.mark.cites("ACT-3b")
def test_the_first_broken_rule_is_the_reason() -> None:
    """Suspended, spent, late and full at once."""
    world = begin(scope(max_spawns=1, max_concurrent=1), ask(), i.Suspend(SCOPE))
    assert refuse(world, ask(ASKED_TOO, late=True)).because == "scope_suspended"
    accept(world, i.Resume(SCOPE))
    assert refuse(world, ask(ASKED_TOO, late=True)).because == "spawn_limit"


@pytest.mark.cites("ACT-1d")
def test_a_rejection_does_not_stop_the_requests_behind_it() -> None:
    world = begin(scope())
    refuse(world, ask(late=True))
    accept(world, ask(ASKED_TOO))


@pytest.mark.cites("ACT-1b", "ACT-1c", "ACT-5b", "ACT-7a", "ACT-7b", "ACT-7c", "ACT-7e")
def test_commit_is_one_step() -> None:
    """Slot, attempt under a new ref, ATTACHED to RUNNING, body scheduled."""
    world = begin(scope())
    change = accept(world, ask())
    assert effects(change, StartBody) == [StartBody(ASKED_RUN, ask().process)]
    assert moves(change, "scope") == [("ATTACHED", "task_started", "RUNNING")]
    assert alive(world) == [ASKED_RUN]
    cell = world.cells[Kind.SCOPE, SCOPE]
    assert (cell.active, cell.live, cell.spawned, cell.queued) == (1, 1, 1, 0)


@pytest.mark.cites("ACT-16e", "ACT-8a")
def test_a_request_that_runs_or_waits_is_known() -> None:
    world = begin(scope(max_concurrent=1, queues=True, max_queued=2), ask(), ask(ASKED_TOO))
    for again in (ask(), ask(ASKED_TOO)):
        refused = refuse(world, again)
        assert (refused.machine, refused.because) == ("request", "known_id")


def queue(most: int = 9) -> i.CreateScope:
    return scope(max_concurrent=1, queues=True, max_queued=most)


@pytest.mark.cites("ACT-13d", "ACT-13e", "LIF-6a")
def test_the_queue_goes_by_priority_then_first_come_and_never_preempts() -> None:
    order = (Priority.LOW, Priority.NORMAL, Priority.URGENT, Priority.NORMAL, Priority.HIGH)
    numbers = [RequestId(OwnerId(50 + n)) for n in range(len(order))]
    world = begin(queue(), ask(), *(ask(n, priority=p) for n, p in zip(numbers, order, strict=True)))
    assert alive(world) == [ASKED_RUN]
    started = []
    for _ in order:
        world.all(i.Succeed(alive(world)[0]), wake())
        started.append(alive(world)[0].owner)
    assert started == [52, 54, 51, 53, 50]


@pytest.mark.cites("ACT-13e")
def test_a_newcomer_does_not_overtake_who_waits_for_the_same_slot() -> None:
    world = begin(queue(), ask(), ask(ASKED_TOO), i.Succeed(ASKED_RUN))
    accept(world, ask(ASKED_LATER))
    accept(world, wake())
    assert alive(world) == [Ref(ASKED_TOO, 1, 1)]


@pytest.mark.cites("ACT-13f", "ACT-13g", "ACT-12a")
def test_a_queued_request_is_authorized_again_and_suspend_keeps_it() -> None:
    world = begin(queue(), ask(), ask(ASKED_TOO), i.Suspend(SCOPE), i.Succeed(ASKED_RUN), wake())
    assert alive(world) == []
    assert state(world, Kind.REQUEST, ASKED_TOO) == "queued"
    world.all(i.Resume(SCOPE), wake())
    assert alive(world) == [Ref(ASKED_TOO, 1, 1)]


@pytest.mark.cites("ACT-12b", "ACT-18a")
def test_what_runs_goes_on_through_a_suspension() -> None:
    world = begin(scope(), task(), wake(), i.Suspend(SCOPE))
    accept(world, i.Succeed(alive(world)[0]))
    assert state(world, Kind.TASK, task().task) == "completed"


@pytest.mark.cites("ACT-13g", "ACT-11e")
def test_dispose_rejects_each_queued_request() -> None:
    world = begin(queue(), ask(), ask(ASKED_TOO), ask(ASKED_LATER), i.Dispose(SCOPE), i.Succeed(ASKED_RUN))
    said = []
    for _ in range(2):
        said += effects(accept(world, handle(FollowUp.REJECT_QUEUED, SCOPE)), Rejected)
    assert said == [Rejected(ASKED_TOO, DISPOSED), Rejected(ASKED_LATER, DISPOSED)]
    assert state(world, Kind.SCOPE, SCOPE) == "DISPOSED"


@pytest.mark.cites("ACT-13h")
def test_a_queued_request_can_be_withdrawn_once() -> None:
    world = begin(queue(), ask(), ask(ASKED_TOO))
    accept(world, i.Withdraw(ASKED_TOO))
    assert world.cells[Kind.SCOPE, SCOPE].live == 1
    assert refuse(world, i.Withdraw(ASKED_TOO)) == Refused("request", None, "withdraw", "ACT-13", "absent")
    assert refuse(world, i.Withdraw(ASKED)) == Refused("request", None, "withdraw", "ACT-13", "absent")


@pytest.mark.cites("ACT-10d", "ACT-13")
@pytest.mark.parametrize(
    "late", [(), (i.Dispose(SCOPE),), (i.Suspend(SCOPE),)], ids=["", "disposed", "suspended"]
)
def test_a_request_that_is_about_to_ask_again_can_be_withdrawn(late: tuple[Any, ...]) -> None:
    world = begin(scope(retry=1), ask(), i.Fail(ASKED_RUN), *late)
    change = accept(world, i.Withdraw(ASKED))
    assert moves(change, "request")[-1] == ("queued", "withdraw", "withdrawn")
    assert change.writes == {follow(FollowUp.ASK_AGAIN, ASKED): None}
    assert refuse(world, i.Withdraw(ASKED)).because == "absent"


@pytest.mark.cites("ACT-2e", "ACT-13i")
def test_a_request_that_waited_too_long_is_rejected() -> None:
    world = begin(queue(), ask(), ask(ASKED_TOO))
    change = accept(world, i.WaitExpired(ASKED_TOO))
    assert effects(change, Rejected) == [Rejected(ASKED_TOO, Verdict.POLICY_WINDOW)]
    assert refuse(world, i.WaitExpired(ASKED_TOO)).because == "absent"


@pytest.mark.cites("ACT-13a")
def test_the_cap_counts_over_all_scopes_under_it() -> None:
    world = begin(i.SetCap(1), scope(capped=True), scope(OTHER_SCOPE, capped=True), ask())
    assert refuse(world, ask(ASKED_TOO, scope=OTHER_SCOPE)).because == "concurrency_limit"
    accept(world, i.Succeed(ASKED_RUN))
    accept(world, ask(ASKED_TOO, scope=OTHER_SCOPE))


@pytest.mark.cites("ACT-13a", "ACT-13e")
def test_a_request_that_waits_for_the_cap_is_woken() -> None:
    """It was lost: queued for the cap, it stood in no line when a slot of another scope was freed."""
    world = begin(
        i.SetCap(1), scope(capped=True), scope(OTHER_SCOPE, capped=True, queues=True, max_queued=1),
        ask(), ask(ASKED_TOO, scope=OTHER_SCOPE), wake(OTHER_SCOPE), i.Succeed(ASKED_RUN),
    )  # fmt: skip
    drain(world)
    accept(world, wake(OTHER_SCOPE))
    assert alive(world) == [Ref(ASKED_TOO, 1, 1)]


@pytest.mark.cites("ACT-13b")
def test_spawns_add_up_and_retries_are_in_the_count() -> None:
    world = begin(scope(max_spawns=2, retry=5), ask(), i.Fail(ASKED_RUN), handle(FollowUp.ASK_AGAIN, ASKED))
    accept(world, i.Fail(Ref(ASKED, 1, 2)))
    change = accept(world, handle(FollowUp.ASK_AGAIN, ASKED))
    assert effects(change, Rejected) == [Rejected(ASKED, Verdict.SPAWN_LIMIT)]


@pytest.mark.cites("SHL-3b")
def test_nothing_wakes_where_nothing_is_to_be_woken() -> None:
    world = begin(scope())
    assert refuse(world, wake()) == Refused("follow-up", None, "wake", "SHL-3", "absent")
    assert refuse(world, wake(NO_SCOPE)).because == "absent"


@pytest.mark.cites("ACT-12c")
def test_a_pending_task_asks_again_when_the_scope_resumes() -> None:
    world = begin(scope(), i.Suspend(SCOPE), task(), wake())
    assert follow(FollowUp.WAKE, SCOPE) not in world.cells
    world.all(i.Resume(SCOPE), wake())
    assert state(world, Kind.TASK, task().task) == "in_progress"


@pytest.mark.cites("ACT-5j")
def test_a_running_scope_stays_running_without_attempts() -> None:
    assert state(begin(scope(), ask(), i.Succeed(ASKED_RUN)), Kind.SCOPE, SCOPE) == "RUNNING"


@pytest.mark.cites("ACT-8a", "ACT-13d")
def test_a_request_that_asks_again_is_not_asked_for_a_second_time() -> None:
    """It was: two places in the queue under one id, and a scope that could never be disposed."""
    world = begin(scope(max_concurrent=1, retry=1, queues=True, max_queued=2), ask(), i.Fail(ASKED_RUN))
    world.all(ask(ASKED_TOO))
    world.give(ask())
    drain(world)
    world.all(i.Dispose(SCOPE))
    drain(world)
    world.all(*(i.Stopped(ref) for ref in alive(world)))
    assert state(world, Kind.SCOPE, SCOPE) == "DISPOSED"
