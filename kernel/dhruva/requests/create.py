"""Create a task or a tree: validation first, then parents before children, then dependencies (LIF-17)."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from dhruva.ids import ExecutorId, OwnerId, Priority, ScopeId, TaskId
from dhruva.inputs import CreateTask, Depend
from dhruva.records import TaskDefinition
from dhruva.requests.refusals import Fault, Invalid, Refusal, refusal
from dhruva.requests.shapes import Given, Shape, outline
from dhruva.requests.tree import Lookup, faults


class Facts(NamedTuple):
    """What the shell knows, and this call does not.

    `known` answers for ids that people use; `first_id` is the first of as many unused ids as there are
    tasks, from the one growing supply; `executor` gives the id under which a name is kept, whether or not
    anyone has registered it (LIF-3), and None for a name that this installation does not take; `retries`
    is what the scope's policy says instead of the tasks' own (ACT-13, LIF-14), None if it says nothing.
    """

    known: Lookup
    first_id: int
    scope: ScopeId
    executor: Callable[[str], ExecutorId | None]
    retries: int | None = None


class Created(NamedTuple):
    """The inputs, in their order, and the id that each task has from now on."""

    inputs: tuple[CreateTask | Depend, ...]
    ids: dict[UUID, TaskId]


def create(given: Sequence[Given], facts: Facts) -> Created | Refusal:
    """The inputs that create these tasks, or every fault of them at once.

    Tasks are created in the order given, but for parents, which come before their children: this order
    is the one in which equals start and are told (LIF-6). All tasks come before the first dependency.
    """
    read = outline(given)
    errors = [*read.errors, *faults(read.shapes, facts.known), *_executors(read.shapes, facts)]
    if not given:
        errors.append(Invalid(Fault.NO_TASK, None, "tasks", ()))
    if errors:
        return refusal(errors)
    assert len(read.definitions) == len(given), "a rule of TaskDefinition that the checks do not know"
    tasks = _parents_first(read.definitions)
    numbered = _Numbered(tasks, facts)
    return Created((*numbered.creations(), *numbered.dependencies()), numbered.ids())


def _executors(shapes: Sequence[Shape], facts: Facts) -> Iterator[Invalid]:
    for task in shapes:
        if task.executor is not None and facts.executor(task.executor) is None:
            yield Invalid(Fault.NO_EXECUTOR, task.id, "executor", (task.executor,))


def _parents_first(definitions: Sequence[TaskDefinition]) -> list[TaskDefinition]:
    """In the order given, each preceded by those above it that have not come yet."""
    waiting = {task.id.int: task for task in definitions}
    order: list[TaskDefinition] = []
    for task in definitions:
        climbed: list[TaskDefinition] = []
        here = waiting.pop(task.id.int, None)
        while here is not None:
            climbed.append(here)
            here = None if here.parent is None else waiting.pop(here.parent.int, None)
        order.extend(reversed(climbed))
    return order


class _Numbered:
    """Tasks in the order of their creation, with their new ids, found by the integer of the old ones."""

    def __init__(self, tasks: Sequence[TaskDefinition], facts: Facts) -> None:
        self._facts = facts
        self._tasks = [(TaskId(OwnerId(new)), task) for new, task in enumerate(tasks, facts.first_id)]
        self._new = {task.id.int: new for new, task in self._tasks}

    def ids(self) -> dict[UUID, TaskId]:
        return {task.id: new for new, task in self._tasks}

    def creations(self) -> Iterator[CreateTask]:
        retries = self._facts.retries
        for new, task in self._tasks:
            executor = self._facts.executor(task.executor)
            assert executor is not None
            yield CreateTask(
                task=new,
                scope=self._facts.scope,
                executor=executor,
                priority=Priority(task.priority),
                parent=None if task.parent is None else self._named(task.parent),
                dependencies=len(task.dependencies),
                max_attempts=task.retry.max_attempts if retries is None else 1 + retries,
                retry_on_timeout=task.retry.on_timeout,
                budget=0 if task.dispatch is None else task.dispatch.spawn_budget,
                max_depth=0 if task.dispatch is None else task.dispatch.max_retry_depth,
            )

    def dependencies(self) -> Iterator[Depend]:
        for new, task in self._tasks:
            for dependency in task.dependencies:
                yield Depend(new, self._named(dependency.id), dependency.required)

    def _named(self, id_: UUID) -> TaskId:
        """A task of this call, or one that exists; the checks have seen that it is one of them."""
        inside = self._new.get(id_.int)
        if inside is not None:
            return inside
        outside = self._facts.known(id_)
        assert outside is not None
        return outside.task
