"""The facts of authorization come from cells; a commit and its end keep counters and list (ACT-2, ACT-7)."""

from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import Kind
from dhruva.decide.authority import Facts, Verdict
from dhruva.ids import OwnerId, Ref, RequestId, ScopeId
from dhruva.limits import UNBOUNDED
from dhruva.machines.scope import ScopeState
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from tests.rules.cast import (
    ASKED,
    ASKED_LATER,
    ASKED_RUN,
    ASKED_TOO,
    OTHER_SCOPE,
    SCOPE,
    ask,
    scope,
    task,
    wake,
)
from tests.rules.play import accept, alive, begin, refuse
from tests.stateful.world import World

POLICY: dict[str, Any] = {"max_concurrent": 2, "max_spawns": 7, "retry": 3, "queues": True, "max_queued": 4}


def asking(*setup: Any, given: Any) -> Facts:
    """What the authority is told when this input comes."""
    told: list[Facts] = []

    def authorize(facts: Facts) -> Verdict:
        told.append(facts)
        return DECISIONS.authorize(facts)

    world = begin(*setup, by=kernel(decisions=DECISIONS._replace(authorize=authorize)))
    told.clear()
    world.give(given)
    return told[-1]


@pytest.mark.cites("ACT-2a", "ACT-2d", "ACT-2f", "ACT-13c")
def test_a_request_is_judged_by_its_scope_and_policy() -> None:
    facts = asking(scope(**POLICY), ask(), given=ask(ASKED_TOO, late=True))
    assert facts == Facts(
        ScopeState.RUNNING, active=1, max_concurrent=2, active_overall=0, max_overall=UNBOUNDED, spawned=1,
        max_spawns=7, tries=0, max_tries=4, waited_too_long=True, queues=True, queued=0, max_queued=4,
    )  # fmt: skip


@pytest.mark.cites("ACT-2f")
def test_a_task_is_judged_by_its_tries() -> None:
    facts = asking(scope(), task(max_attempts=3), given=wake())
    assert (facts.tries, facts.max_tries) == (0, 3)


@pytest.mark.cites("ACT-13a")
def test_a_scope_under_the_cap_is_judged_by_it() -> None:
    setup = (i.SetCap(5), scope(capped=True), scope(OTHER_SCOPE, capped=True), scope(ScopeId(3)), ask())
    capped = asking(*setup, given=ask(ASKED_TOO, scope=OTHER_SCOPE))
    assert (capped.active_overall, capped.max_overall) == (1, 5)
    free = asking(*setup, given=ask(ASKED_TOO, scope=ScopeId(3)))
    assert free.max_overall == UNBOUNDED


@pytest.mark.cites("ACT-2b")
def test_no_scope_is_a_fact_too() -> None:
    assert asking(given=ask()).scope is None


def chained(world: World) -> list[Ref]:
    """The attempts of SCOPE, newest first, by their links."""
    found, at = [], world.cells[Kind.SCOPE, SCOPE].newest
    while at is not None:
        found.append(at)
        at = world.cells[Kind.ATTEMPT, at].older
    return found


@pytest.mark.cites("ACT-7b", "ACT-16b", "SHL-3a")
@pytest.mark.parametrize("end", [ASKED, ASKED_TOO, ASKED_LATER])
def test_whichever_ends_the_others_stay_linked(end: RequestId) -> None:
    world = begin(scope(), ask(), ask(ASKED_TOO), ask(ASKED_LATER), i.Succeed(Ref(end, 1, 1)))
    assert chained(world) == list(reversed(alive(world)))
    assert world.cells[Kind.SCOPE, SCOPE].active == 2


@pytest.mark.cites("ACT-16e", "ACT-8a")
def test_a_commit_under_a_known_ref_is_refused() -> None:
    world = begin(scope(), ask())
    assert refuse(world, ask()).because == "known_id"
    assert alive(world) == [ASKED_RUN]


@pytest.mark.cites("ACT-14a")
def test_the_cost_of_an_activation_does_not_grow_with_what_there_is() -> None:
    """Two hundred tasks and attempts more, the same number of cells."""
    few, many = World().all(scope(), ask()), World().all(scope(), ask())
    for number in range(200):
        many.all(ask(RequestId(OwnerId(1000 + number))))
    touched = [len(world.give(ask(ASKED_TOO)).footprint) for world in (few, many)]
    assert touched[0] == touched[1]


@pytest.mark.cites("ACT-13a", "ACT-16b")
def test_the_cap_is_held_and_freed_with_the_slot() -> None:
    world = begin(i.SetCap(2), scope(capped=True), ask())
    assert world.cells[(Kind.CAP,)].active == 1
    accept(world, i.Fail(ASKED_RUN))
    assert world.cells[(Kind.CAP,)].active == 0
