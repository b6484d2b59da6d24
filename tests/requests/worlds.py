"""Trees and worlds for the tests of requests: definitions by number, and cells that real steps move."""

from collections.abc import Callable, Iterable
from itertools import count
from random import Random
from typing import Any
from uuid import UUID

from dhruva.cells import Change, FollowUp, Key, Kind
from dhruva.ids import ENDED, ExecutorId, ProcessId, Ref, ScopeId, TaskId, TaskStatus
from dhruva.inputs import (
    Abort,
    Cancel,
    CreateScope,
    Due,
    Fail,
    Handle,
    OwnerGone,
    Register,
    Stopped,
    Succeed,
    Wake,
)
from dhruva.machines.attempt import AbortReason, AttemptState
from dhruva.records import DependsOn, RetryPolicy, TaskDefinition
from dhruva.requests import Created, Facts, Known, LinkTo, create
from dhruva.step import Step
from dhruva.step import step as shipped
from dhruva.table import Refused

SCOPE = ScopeId(1)
PROCESS = ProcessId(2)
EXECUTORS = {"load": ExecutorId(3), "clean": ExecutorId(4)}
ONCE = RetryPolicy(max_attempts=1)


def uid(number: int) -> UUID:
    """A UUID of version 4 that says its number."""
    return UUID(int=number << 80, version=4)


def define(number: int, needs: Iterable[int] = (), parent: int | None = None, **more: Any) -> TaskDefinition:
    fields: dict[str, Any] = {"name": f"task {number}", "executor": "load", "retry": ONCE}
    fields["dependencies"] = tuple(DependsOn(id=uid(need)) for need in needs)
    fields["parent"] = None if parent is None else uid(parent)
    return TaskDefinition(id=uid(number), **(fields | more))


def facts(known: dict[UUID, Known] | None = None, first_id: int = 100, retries: int | None = None) -> Facts:
    return Facts((known or {}).get, first_id, SCOPE, EXECUTORS.get, retries)


class World:
    """Cells, and whether what happened to them was allowed to happen."""

    def __init__(self, step: Step = shipped) -> None:
        self.step = step
        self.cells: dict[Key, Any] = {}
        self.ids: dict[UUID, TaskId] = {}
        self.starts = 0
        self.walk: frozenset[TaskId] = frozenset()  # the tasks of one walk, to see that it keeps its order
        self._first_id = count(100, 100)
        assert self.apply((CreateScope(SCOPE),)) is None

    def known(self, id_: UUID) -> Known | None:
        task = self.ids.get(id_)
        cell = None if task is None else self.cells.get((Kind.TASK, task))
        return None if task is None or cell is None else Known(task, cell.status)

    def create(self, definitions: list[TaskDefinition]) -> Created:
        made = create(definitions, Facts(self.known, next(self._first_id), SCOPE, EXECUTORS.get))
        assert isinstance(made, Created), made
        assert self.apply(made.inputs) is None
        self.ids |= made.ids
        return made

    def apply(self, inputs: Iterable[Any]) -> Refused | None:
        """All inputs in one transaction, or none of them."""
        before = dict(self.cells)
        for given in inputs:
            answer = self.step(self.cells.get, given)
            if isinstance(answer, Refused):
                self.cells = before
                return answer
            self._starts_are_sound(answer)
            self._resets_are_in_order(answer)
            self._write(answer)
        return None

    def _write(self, change: Change) -> None:
        for key, cell in change.writes.items():
            if cell is None:
                self.cells.pop(key, None)
            else:
                self.cells[key] = cell

    def _starts_are_sound(self, change: Change) -> None:
        """LIF-3, LIF-4, LIF-10: on satisfied dependencies, none of which was recalled to be reset."""
        for edge in change.edges:
            if edge.machine != "task" or edge.on != "start":
                continue
            self.starts += 1
            for on, link in self.needs(edge.key[1]):
                assert self.satisfied(on, link.required), f"{edge.key} starts on {self.cells[Kind.TASK, on]}"
                assert not self.is_half_reset(on), f"{edge.key} starts on {on}, which is about to be reset"

    def _resets_are_in_order(self, change: Change) -> None:
        """LIF-10: dependents before what they depend on."""
        for edge in change.edges:
            if edge.machine == "reexecution" and edge.key[1] in self.walk:
                later = [on for on in self.dependents(edge.key[1]) & self.walk if self.waits_for_reset(on)]
                assert not later, f"{edge.key} is reset before its dependents {later}"

    def dependents(self, task: TaskId) -> set[TaskId]:
        """All that depend on a task, directly or not."""
        found: set[TaskId] = set()
        ring = {task}
        while ring:
            links = [(key[1], cell.dependent) for key, cell in self.cells.items() if key[0] == Kind.LINK]
            ring = {dependent for on, dependent in links if on in ring} - found
            found |= ring
        return found

    def waits_for_reset(self, task: TaskId) -> bool:
        return (Kind.FOLLOW, FollowUp.RESET, task) in self.cells

    def is_half_reset(self, task: TaskId) -> bool:
        recalled = (Kind.FOLLOW, FollowUp.RECALL, task) not in self.cells
        return recalled and self.waits_for_reset(task)

    def task(self, number: int) -> Any:
        return self.cells[Kind.TASK, self.ids[uid(number)]]

    def needs(self, task: TaskId) -> list[tuple[TaskId, Any]]:
        """The links by which a task depends on others."""
        links = ((key[1], cell) for key, cell in self.cells.items() if key[0] == Kind.LINK)
        return [(on, link) for on, link in links if link.dependent == task]

    def links(self, task: TaskId) -> list[LinkTo]:
        found = ((key, cell) for key, cell in self.cells.items() if key[0] == Kind.LINK)
        return [LinkTo(key[1], key[2]) for key, link in found if link.dependent == task]

    def satisfied(self, on: TaskId, required: bool) -> bool:
        cell = self.cells[Kind.TASK, on]
        return not cell.alive and (cell.status == TaskStatus.COMPLETED if required else cell.status in ENDED)

    def follow_ups(self, wake: bool = True) -> list[Any]:
        """The inputs that handle what is to be done."""
        keys = [key for key in self.cells if key[0] == Kind.FOLLOW]
        handles: list[Any] = [Handle(key) for key in keys if key[1] != FollowUp.WAKE]
        return [*handles, Wake(SCOPE, PROCESS)] if wake and len(handles) < len(keys) else handles

    def bodies(self) -> list[Ref]:
        return [key[1] for key in self.cells if key[0] == Kind.ATTEMPT]

    def drain(self, random: Random, wake: bool = False) -> None:
        """Handle follow-ups in any order until none is left; some of them can always be handled."""
        while todo := self.follow_ups(wake):
            random.shuffle(todo)
            assert any(self.apply((given,)) is None for given in todo), f"stuck: {todo}"

    def finish(self, random: Random) -> None:
        """Let everything run to its end, well."""
        while True:
            self.drain(random, wake=True)
            events = [*map(self._well, self.bodies()), *self.returns()]
            if not events:
                return
            assert self.apply((random.choice(events),)) is None

    def _well(self, ref: Ref) -> Any:
        aborting = self.cells[Kind.ATTEMPT, ref].state == AttemptState.ABORTING
        return Stopped(ref) if aborting else Succeed(ref)

    def returns(self) -> list[Any]:
        """Timers that go off, and executors that come."""
        tasks = [(key[1], cell) for key, cell in self.cells.items() if key[0] == Kind.TASK]
        waiting = [(t, cell) for t, cell in tasks if cell.status == TaskStatus.PENDING and not cell.due]
        timers = [Due(task, cell.run, cell.tries) for task, cell in waiting]
        missed = [key[1] for key in self.cells if key[0] == Kind.EXECUTOR]
        return [*timers, *(Register(executor) for executor in missed)]

    def counts_are_right(self, settled: bool) -> None:
        """`unmet` counts links that are not met; once all is told, those are the ones not satisfied."""
        for key, cell in self.cells.items():
            if key[0] != Kind.TASK:
                continue
            links = self.needs(key[1])
            assert cell.dependencies == len(links)
            assert cell.unmet == sum(1 for _, link in links if not link.met), key
            if settled:
                assert all(link.met == self.satisfied(on, link.required) for on, link in links), key

    def disturb(self, random: Random) -> None:
        """Something that may happen happens: a follow-up, a start, an end, a timer, a cancel."""
        kinds = (
            (24, self.follow_ups()),
            (4, [Wake(SCOPE, PROCESS, executor=False)]),
            (8, [end(ref) for ref in self.bodies() for end in ENDS]),
            (8, self.returns()),
            (1, [Cancel(task) for task in self.ids.values()]),
        )
        possible = [(weight, inputs) for weight, inputs in kinds if inputs]
        ((_, inputs),) = random.choices(possible, [weight for weight, _ in possible])
        self.apply((random.choice(inputs),))


ENDS: tuple[Callable[[Ref], Any], ...] = (
    Succeed,
    Succeed,
    Succeed,
    Fail,
    Stopped,
    OwnerGone,
    lambda ref: Abort(ref, AbortReason.SHUTDOWN),
    lambda ref: Abort(ref, AbortReason.TIMEOUT),
)


def random_tree(random: Random, size: int, first: int = 1, chance: float = 0.4) -> list[TaskDefinition]:
    """One root, parents and dependencies at random, no faults; the order is random too."""
    numbers = list(range(first, first + size))
    hidden = random.sample(numbers, size)  # the order in which dependencies point backwards
    tree = []
    for place, number in enumerate(hidden):
        needs = [earlier for earlier in hidden[:place] if random.random() < chance]
        dependencies = tuple(DependsOn(id=uid(need), required=random.random() < 0.6) for need in needs)
        parent = None if place == 0 else random.choice(hidden[:place])
        retry = RetryPolicy(max_attempts=random.choice((1, 1, 2)))
        tree.append(define(number, parent=parent, dependencies=dependencies, retry=retry))
    random.shuffle(tree)
    return tree
