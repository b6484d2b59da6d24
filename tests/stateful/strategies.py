"""Random small worlds, and random walks through them.

A walk is a list of numbers; each stands for an input that says something about the world as it is then.
So a failing walk shrinks to a short one, and every walk can be replayed.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from hypothesis import strategies as st

from dhruva import inputs as i
from dhruva.cells import Change, FollowUp, Kind
from dhruva.ids import Priority
from dhruva.step import Step
from tests.stateful.menu import EXECUTORS, INSTANCES, SCOPES, TASKS, THEMES, pick
from tests.stateful.world import Seen, World

TRIES = 6  # inputs that a number looks at, to find one that is accepted


@st.composite
def scopes(draw: st.DrawFn) -> list[Any]:
    """Scopes of different policies, under a cap or none."""
    caps: list[Any] = [i.SetCap(limit) for limit in draw(st.lists(st.integers(1, 2), max_size=1))]
    policies = [
        i.CreateScope(
            scope,
            mount=draw(st.integers(0, 4)) > 0,
            max_concurrent=draw(st.integers(1, 3)),
            max_spawns=draw(st.sampled_from((1000, 8, 3))),
            retry=draw(st.integers(0, 2)),
            retry_on_timeout=draw(st.booleans()),
            queues=draw(st.booleans()),
            max_queued=draw(st.integers(1, 2)),
            capped=bool(caps) and draw(st.booleans()),
        )
        for scope in SCOPES
    ]
    return [*caps, *policies]


@st.composite
def tasks(draw: st.DrawFn) -> list[Any]:
    """Three tasks, each depending on some of those before it."""
    found: list[Any] = []
    for at, task in enumerate(TASKS[:3]):
        on = [earlier for earlier in TASKS[:at] if draw(st.booleans())]
        found.append(
            i.CreateTask(
                task,
                draw(st.sampled_from(SCOPES)),
                draw(st.sampled_from(EXECUTORS)),
                draw(st.sampled_from(Priority)),
                dependencies=len(on),
                max_attempts=draw(st.integers(1, 3)),
                retry_on_timeout=draw(st.booleans()),
                budget=draw(st.integers(0, 2)),
                max_depth=draw(st.integers(0, 2)),
            )
        )
        found += [i.Depend(task, earlier, required=draw(st.booleans())) for earlier in on]
    return found


@st.composite
def settings_up(draw: st.DrawFn) -> tuple[Any, ...]:
    """Inputs that make a small world; all are accepted."""
    return (*draw(scopes()), *draw(tasks()), *(i.StartInstance(instance) for instance in INSTANCES[:2]))


class Supply(NamedTuple):
    """Ids that were handed out: ids come from one growing supply, and none comes twice."""

    given: set[Any]

    def allows(self, given: Any) -> bool:
        if isinstance(given, i.SetCap):
            return False
        new = _new_id(given)
        return new is None or new not in self.given

    def note(self, given: Any) -> None:
        new = _new_id(given)
        if new is not None:
            self.given.add(new)


def _new_id(given: Any) -> Any:
    if isinstance(given, i.CreateTask):
        return given.task
    return given.request if isinstance(given, i.Ask) else None


class Walk(NamedTuple):
    """A world, what the walk through it is about, and the numbers of its inputs."""

    setup: tuple[Any, ...]
    theme: str
    numbers: list[int]


def walks(most: int) -> st.SearchStrategy[Walk]:
    numbers = st.lists(st.integers(0, 2**24 - 1), min_size=most // 2, max_size=most)
    return st.builds(Walk, settings_up(), st.sampled_from(tuple(THEMES)), numbers)


def seen_on(walk: Walk, step: Step, honest: bool) -> Iterator[Seen]:
    """The steps of a walk. `honest`: only inputs that the outside may give."""
    setup = walk.setup
    world, supply = World(step).all(*setup), Supply(set())
    for given in setup:
        supply.note(given)
    for number in walk.numbers:
        given = _choose(world, walk.theme, number, supply if honest else None)
        for one in _call(world, given) if honest else (given,):
            if one is not None:
                supply.note(one)
                yield world.give(one)


def _call(world: World, given: Any) -> tuple[Any, ...]:
    """A re-execution is one call: the recall and the reset behind it, or neither (LIF-10)."""
    if not isinstance(given, i.Recall | i.Reset):
        return (given,)
    both = i.Recall(given.task, None), i.Reset(given.task, (Kind.FOLLOW, FollowUp.RECALL, given.task))
    tried = World(world.step, world.cells)
    return both if all(isinstance(tried.give(one).answer, Change) for one in both) else ()


def _choose(world: World, theme: str, number: int, supply: Supply | None) -> Any:
    """One in four is taken as it comes; the others are the first of a few that is accepted. 0 is none."""
    last = None
    if number == 0:
        return None
    for attempt in range(1 if number % 4 == 0 else TRIES):
        given = pick(world.cells, theme, number // 4 + attempt * 7919)
        if supply is not None and not (supply.allows(given) and world.may(given)):
            continue
        last = given
        if isinstance(world.step(world.cells.get, given), Change):
            break
    return last
