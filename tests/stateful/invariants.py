"""What holds in every world that is reached by inputs that the outside may give.

The claims of models/claims.py are asked over all that exists; beside them stand claims over the cells
that those models do not have: the cap, executors, dispatch, instances. Each names what is wrong.
"""

import inspect
from collections.abc import Callable, Hashable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from dhruva.cells import Change, FollowUp, Kind
from dhruva.explore import Model
from dhruva.explore.model import Always, AlwaysStep
from dhruva.ids import Ref
from dhruva.machines import MACHINES
from models import claims
from tests.stateful.world import Cells, Seen

FAMILIES: tuple[Callable[[Model, claims.Cast], None], ...] = tuple(
    family
    for name, family in vars(claims).items()
    if name.startswith("of_") and list(inspect.signature(family).parameters) == ["m", "cast"]
)


class Living(claims.Cast):
    """The cast of one step: all that exists before or after it."""

    cells: Cells

    @property
    def refs(self) -> tuple[Ref, ...]:
        return tuple({key[1]: None for key in self.cells if key[0] in (Kind.ATTEMPT, Kind.RESOURCE)})


def broken_claims(seen: Seen) -> Iterator[str]:
    """The claims of the models that do not hold of this step, by name."""
    both = seen.before | seen.after
    scopes, tasks, requests = (
        tuple(key[1] for key in both if key[0] == kind) for kind in (Kind.SCOPE, Kind.TASK, Kind.REQUEST)
    )
    cast = Living(scopes, tasks, requests, resources=most_resources(both))
    cast.cells = both
    model = Model("this step")
    for family in FAMILIES:
        family(model, cast)
    before, after = reading(seen.before), reading(seen.after)
    for claim in model.properties:
        if isinstance(claim, Always):
            speaks = claim.when is None or claim.when(after)
            if speaks and not claim.then(after):
                yield claim.name
        if isinstance(claim, AlwaysStep) and not claim.test(before, after, "", seen.answer):
            yield claim.name


def reading(cells: Cells) -> Callable[[Hashable], Any]:
    return lambda key: cells.get(key)  # type: ignore[call-overload]


def most_resources(cells: Cells) -> int:
    return max((key[2] for key in cells if key[0] == Kind.RESOURCE), default=0)


def of_kind(cells: Cells, kind: Kind) -> list[tuple[Any, Any]]:
    return [(key, cell) for key, cell in cells.items() if key[0] == kind]


def cap_counts_slots(cells: Cells) -> bool:
    """ACT-13a: the cap counts the attempts of the scopes under it, and is kept."""
    cap = cells.get((Kind.CAP,))
    held = sum(cells[Kind.SCOPE, cell.scope].capped for _, cell in of_kind(cells, Kind.ATTEMPT))
    return cap is None or (cap.active == held and cap.active <= cap.limit)


def starved_stand_in_line(cells: Cells) -> bool:
    """ACT-13: the line for the cap holds each starved scope once."""
    cap, line = cells.get((Kind.CAP,)), []
    at = None if cap is None else cap.first
    while at is not None and at not in line:
        line.append(at)
        at = cells[Kind.STARVED, at].behind if (Kind.STARVED, at) in cells else None
    starved = {key[1] for key, _ in of_kind(cells, Kind.STARVED)}
    return set(line) == starved and (cap is None or (line[-1] if line else None) == cap.last)


def executors_list_who_waits(cells: Cells) -> bool:
    """LIF-3g: a task that waits for an executor stands once in the list of that executor."""
    listed: set[Any] = set()
    for key, executor in of_kind(cells, Kind.EXECUTOR):
        owner, before = executor.first, None
        while owner is not None:
            waiter = cells.get((Kind.WAITER, owner))
            if waiter is None or waiter.executor != key[1] or waiter.before != before or owner in listed:
                return False
            listed.add(owner)
            before, owner = owner, waiter.behind
        if before != executor.last:
            return False
    return listed == {key[1] for key, cell in of_kind(cells, Kind.WAITER) if cell.executor is not None}


def attempts_are_linked(cells: Cells) -> bool:
    """SHL-3: from the newest attempt of a scope one comes to all of them, and back."""
    for key, scope in of_kind(cells, Kind.SCOPE):
        chain, at = [], scope.newest
        while at is not None and at not in chain and (Kind.ATTEMPT, at) in cells:
            chain.append(at)
            at = cells[Kind.ATTEMPT, at].older
        mine = {k[1] for k, attempt in of_kind(cells, Kind.ATTEMPT) if attempt.scope == key[1]}
        back = all(cells[Kind.ATTEMPT, older].newer == newer for newer, older in pairwise(chain))
        if at is not None or set(chain) != mine or not back:
            return False
    return True


def resources_end_with_their_attempt(cells: Cells) -> bool:
    """ACT-9b, ACT-16c: what outlives its attempt was told to end, or is about to be."""
    for key, resource in of_kind(cells, Kind.RESOURCE):
        attempt = cells.get((Kind.ATTEMPT, key[1]))
        ending = cells.get((Kind.FOLLOW, FollowUp.END_RESOURCES, key[1]))
        told = resource.state in ("terminating", "cancelling")
        if (attempt is None or attempt.state != "running") and not told and ending is None:
            return False
    return True


def unmet_counts_what_is_missing(cells: Cells) -> bool:
    """LIF-4: unmet is the number of dependencies not satisfied, not told of, or not yet linked."""
    links = [link for _, link in of_kind(cells, Kind.LINK)]
    for key, task in of_kind(cells, Kind.TASK):
        mine = [link for link in links if link.dependent == key[1]]
        missing = cells[Kind.SPEC, key[1]].dependencies - len(mine) + sum(not link.met for link in mine)
        if task.unmet != missing or task.dependencies != len(mine):
            return False
    return True


def dependents_are_counted(cells: Cells) -> bool:
    """LIF-20: what has dependents or children is known to have them."""
    parents = [spec.parent for _, spec in of_kind(cells, Kind.SPEC)]
    linked = [key[1] for key, _ in of_kind(cells, Kind.LINK)]
    return all(
        task.dependents == linked.count(key[1]) and task.children == parents.count(key[1])
        for key, task in of_kind(cells, Kind.TASK)
    )


def could_start(cells: Cells, task_id: Any, task: Any) -> bool:
    scope = cells[Kind.SCOPE, cells[Kind.SPEC, task_id].scope]
    return task.status == "pending" and task.unmet == 0 and task.due and scope.state in claims.ALIVE


def who_can_start_waits(cells: Cells) -> bool:
    """LIF-3, LIF-6: an accepted task that nothing keeps from starting is not lost."""
    return all(
        (Kind.WAITER, key[1]) in cells or not could_start(cells, key[1], task)
        for key, task in of_kind(cells, Kind.TASK)
    )


def who_waits_could_start(cells: Cells) -> bool:
    """LIF-3: in an open scope, a task in a lane is pending, due, and has nothing unmet."""
    for key, waiter in of_kind(cells, Kind.WAITER):
        task = cells.get((Kind.TASK, key[1]))
        if waiter.kind == "request":
            if (Kind.REQUEST, key[1]) not in cells:
                return False
        elif task is None or task.status != "pending" or task.unmet != 0 or not task.due:
            return False
    return True


def groups_count_cooperatives(cells: Cells) -> bool:
    """DSP-5: a group knows how many of its cooperatives are idle; one primary at a time is committed."""
    committed = [key[1] for key, group in of_kind(cells, Kind.GROUP) if group.state == "committed"]
    helpers = [key[1:3] for key, _ in of_kind(cells, Kind.COOPERATIVE)]
    return len(committed) == len(set(committed)) and all(
        group.idle == helpers.count(key[1:3]) for key, group in of_kind(cells, Kind.GROUP)
    )


def dispatch_within_budget(cells: Cells) -> bool:
    """DSP-4, DSP-8: never more primaries than the budget, never deeper than the depth."""
    for key, counters in of_kind(cells, Kind.DISPATCH):
        spec = cells[Kind.SPEC, key[1]]
        if counters.spawned > spec.budget or counters.depth > spec.max_depth or counters.urgency > 4:
            return False
    return True


def no_call_without_carrier(cells: Cells) -> bool:
    """DSP-3: a call that was not taken yet belongs to a committed carrier."""
    return all(
        cells.get((Kind.GROUP, key[2], key[3])) == ("committed", 0)
        for key, effect in of_kind(cells, Kind.EFFECT)
        if key[1] == "dispatch" and effect.state in ("pending", "taken")
    )


def kept_signals_are_counted(cells: Cells) -> bool:
    """WFL-22b: an instance knows how many signals it keeps."""
    keepers = [key[1] for key, _ in of_kind(cells, Kind.KEPT)]
    return all(cell.kept == keepers.count(key[1]) for key, cell in of_kind(cells, Kind.INSTANCE))


def waits_have_a_kind(cells: Cells) -> bool:
    """WFL-21b: an instance that waits does so in some way."""
    return all(cell.state != "waiting" or cell.waits is not None for _, cell in of_kind(cells, Kind.INSTANCE))


def human_tasks_are_waited_for(cells: Cells) -> bool:
    """WFL-14: an active human task is that of the newest wait of an instance that has not ended."""
    for key, human in of_kind(cells, Kind.HUMAN):
        instance = cells[Kind.INSTANCE, key[1]]
        if instance.state in ("completed", "failed", "cancelled"):
            return False
        if instance.waits != "human" or instance.token != human.token:
            return False
    return True


def watched_tasks_exist(cells: Cells) -> bool:
    """WFL-7d: an instance that waits for a task watches it, or the task is about to tell it."""
    for key, instance in of_kind(cells, Kind.INSTANCE):
        if instance.state != "waiting" or instance.waits != "task" or instance.task is None:
            continue
        watch = cells.get((Kind.WATCH, instance.task))
        if watch != (key[1], instance.token) or (Kind.TASK, instance.task) not in cells:
            return False
    return True


INVARIANTS: tuple[Callable[[Cells], bool], ...] = (
    cap_counts_slots,
    starved_stand_in_line,
    executors_list_who_waits,
    attempts_are_linked,
    resources_end_with_their_attempt,
    unmet_counts_what_is_missing,
    dependents_are_counted,
    who_can_start_waits,
    who_waits_could_start,
    groups_count_cooperatives,
    dispatch_within_budget,
    no_call_without_carrier,
    kept_signals_are_counted,
    waits_have_a_kind,
    human_tasks_are_waited_for,
    watched_tasks_exist,
)


def wrong(seen: Seen) -> list[str]:
    """The names of all claims that this step breaks."""
    return [*broken_claims(seen), *(claim.__name__ for claim in INVARIANTS if not claim(seen.after))]


# Edges


class Fault(NamedTuple):
    """An edge that does not fit, and what was there."""

    what: str
    edge: Any
    state: Any


def misfits(seen: Seen) -> Iterator[Fault]:
    """Edges that are not rows of their table, or do not lead from the cell before to the cell after."""
    assert isinstance(seen.answer, Change)
    states: dict[Any, Any] = {}
    ended: set[Any] = set()
    for edge in seen.answer.edges:
        was = states.get(edge.key, _state(seen.before, edge.key))
        if (edge.source or None) != (None if edge.key in ended else was):
            yield Fault("does not start where the cell was", edge, was)
        if edge.source is not None and not _is_row(edge):
            yield Fault("is no row", edge, was)
        states[edge.key] = edge.target
        if _is_final(edge):
            ended.add(edge.key)
        else:
            ended.discard(edge.key)
    for key, state in states.items():
        now = _state(seen.after, key)
        if now != state and not (now is None and key in ended):
            yield Fault("does not end where the cell is", key, (state, now))
    for key in seen.answer.writes:
        if key not in states and key[0] in MOVED_BY_EDGES:
            before, after = _state(seen.before, key), _state(seen.after, key)
            if after is not None and before != after:
                yield Fault("moved without an edge", key, (before, after))


MOVED_BY_EDGES = frozenset(
    {
        Kind.SCOPE, Kind.REQUEST, Kind.ATTEMPT, Kind.RESOURCE, Kind.TASK, Kind.GROUP, Kind.COOPERATIVE,
        Kind.DELIVERY, Kind.LOCK, Kind.EFFECT, Kind.INSTANCE, Kind.HUMAN, Kind.PARKED,
    }
)  # fmt: skip
"""Kinds whose first field is the state of a machine."""


def _state(cells: Cells, key: Any) -> Any:
    """A lock that nobody ever claimed is free."""
    cell = cells.get(key)
    if cell is None:
        return "free" if key[0] == Kind.LOCK else None
    return cell[0]


def _is_row(edge: Any) -> bool:
    return any(
        (row.source, row.on, row.target) == (edge.source, edge.on, edge.target)
        for row in MACHINES[edge.machine].rows
    )


def _is_final(edge: Any) -> bool:
    return edge.machine in MACHINES and edge.target in MACHINES[edge.machine].final
