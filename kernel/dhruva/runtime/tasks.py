"""Durable tasks as people hold them: `Task`, and the calls that create, find, list and change them (LIF).

What a call means is decided in `dhruva.requests`, whether it may happen by `step`; here facts are fetched in
the transaction, rows are written beside the cells, and refusals become errors with their codes.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID

from dhruva import requests
from dhruva.cells import Change, Kind
from dhruva.ids import ENDED, OwnerId, ScopeId, TaskId, TaskStatus
from dhruva.limits import MILLI
from dhruva.records import TaskDefinition, TaskRecord
from dhruva.requests import LinkTo, Refusal, Skipped
from dhruva.requests.execution import Dependency, blocked
from dhruva.requests.shapes import Given
from dhruva.runtime import plain
from dhruva.runtime.calls import Answer, Call, Done, Facts, Outcome, PutAside
from dhruva.runtime.creating import Creation, bounded, lookup
from dhruva.runtime.engine import Engine
from dhruva.runtime.errors import NotFound, of_refusal, of_refused
from dhruva.runtime.executions import Execution
from dhruva.runtime.executors import Executors
from dhruva.runtime.listing import from_cursor, to_cursor
from dhruva.runtime.running import Running, error_of, look
from dhruva.runtime.store import Query, State, StoreError, TaskRow
from dhruva.runtime.timers import Timers
from dhruva.runtime.waits import Waits, why_of
from dhruva.table import Refused

T = TypeVar("T")
PAGE_MAX: Final = 1_000  # tasks on one page


class Page(NamedTuple):
    """A part of a listing. `next`: give it as `after` for what follows; None: nothing does."""

    tasks: "tuple[Task, ...]"
    next: str | None


class Tasks:
    """The tasks of a store, for one process: who is told of their starts, ends and timers."""

    def __init__(self, running: Running, executors: Executors) -> None:
        self.running, self.executors = running, executors
        self._timers = Timers(running.shell.submit, running.environment)
        self._waiting: dict[int, list[asyncio.Future[State | None]]] = {}
        running.shell.told = self._told

    def start(self) -> None:
        """The store is open: what is due is said, and executors made known."""
        self.executors.start()
        self._timers.look()

    def close(self) -> None:
        self._timers.close()

    @property
    def _engine(self) -> Engine:
        return self.running.shell.engine

    def _told(self, outcome: Outcome) -> None:
        for ref, row in outcome.bodies.items():
            executor = self.executors.by_name.get(row.executor)
            self.running.handles[ref.owner] = Execution(self.running, executor, ref, row)
        if outcome.timers:
            self._timers.look()
        if self._waiting:
            for task in self._waiting.keys() & outcome.changed.keys():
                for heard in self._waiting[task]:
                    if not heard.done():
                        heard.set_result(outcome.changed[task])

    async def ended(self, task: "Task") -> TaskRecord:
        """The record once the task has ended. Cancelling the wait changes nothing else."""
        loop, awaited = asyncio.get_running_loop(), self._engine.awaited
        waiting = self._waiting.setdefault(task.number, [])
        awaited[task.number] = awaited.get(task.number, 0) + 1
        state: State | None = None
        try:
            heard: asyncio.Future[State | None] = loop.create_future()
            waiting.append(heard)
            row, state = await self.look(lambda facts: _rows(facts, task))
            while state is not None and state.status not in ENDED:
                state = await heard
                waiting.remove(heard)
                heard = loop.create_future()
                waiting.append(heard)
        finally:
            waiting.remove(heard)
            awaited[task.number] -= 1
            if not awaited[task.number]:
                del awaited[task.number]
                self._waiting.pop(task.number, None)
        if state is None:
            raise NotFound(f"task {task} was deleted")
        return record(row, state)

    async def look(self, reads: Callable[[Facts], T]) -> T:
        """What this returns, called in a transaction of its own; it may set nothing."""
        return await look(self.running, reads)

    async def answer(
        self,
        inputs: Callable[[Facts], Sequence[Any]],
        then: Callable[[Facts, Sequence[Change]], None] | None = None,
    ) -> Answer:
        heard: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.running.shell.submit(
            Call(inputs, lambda answer: None if heard.done() else heard.set_result(answer), then)
        )
        return await heard

    async def create(self, given: Sequence[Given], scope: ScopeId | None) -> "tuple[Task, ...]":
        """All of these, or none and every fault of them. Answered once they are durable."""
        for each in given:
            bounded(each)
        self.executors.tell()
        asked = Creation(given, scope, tuple(self.executors.by_name))
        answer = await self.answer(asked.inputs, asked.then)
        if asked.refused is not None:
            raise asked.refused
        if not isinstance(answer, Done):
            raise _error(answer, "the new task")
        return tuple(Task(self, id_, number, name) for id_, number, name in asked.named())

    async def find(self, id_: UUID) -> "Task":
        def look(facts: Facts) -> tuple[int, str]:
            number = facts.find(id_.bytes)
            row = None if number is None else facts.task(number)
            if number is None or row is None:
                raise of_refusal(requests.refusals.unknown(id_))
            return number, row.name

        number, name = await self.look(look)
        return Task(self, id_, TaskId(OwnerId(number)), name)

    async def page(self, query: Query, after: str | None) -> Page:
        if not 1 <= query.limit <= PAGE_MAX:
            raise ValueError(f"limit is {query.limit}; it must be from 1 to {PAGE_MAX}")
        asked = query._replace(after=from_cursor(after))

        def look(facts: Facts) -> tuple[list[tuple[int, TaskRow]], str | None]:
            found = facts.page(asked)
            rows = ((number, facts.task(number)) for number in found.tasks)
            return [(number, row) for number, row in rows if row is not None], to_cursor(found.after)

        rows, onward = await self.look(look)
        return Page(tuple(self._task(number, row) for number, row in rows), onward)

    def _task(self, number: int, row: TaskRow) -> "Task":
        return Task(self, UUID(bytes=row.uuid), TaskId(OwnerId(number)), row.name)

    async def change(
        self,
        task: "Task",
        asks: Callable[[Facts], Sequence[Any] | Refusal],
        then: Callable[[Facts, Sequence[Change]], None] | None = None,
    ) -> None:
        """The inputs of a request about this task, or its refusal as an error."""
        refused: list[Refusal] = []

        def inputs(facts: Facts) -> Sequence[Any]:
            asked = asks(facts)
            if isinstance(asked, Refusal):
                refused.append(asked)
                return ()
            return asked

        answer = await self.answer(inputs, lambda f, c: then(f, c) if then and not refused else None)
        if refused:
            raise of_refusal(refused[0], {task.id: task.name})
        if not isinstance(answer, Done):
            raise _error(answer, f"task {task}")


class Task:
    """A task of a store. It is only a name for it: what it says is read when it is asked."""

    __slots__ = ("_tasks", "id", "name", "number")

    def __init__(self, tasks: Tasks, id_: UUID, number: TaskId, name: str) -> None:
        self._tasks, self.id, self.number, self.name = tasks, id_, number, name

    def __repr__(self) -> str:
        return f"<Task {self.name!r} {self.id}>"

    def __str__(self) -> str:
        return f"{self.name!r} ({self.id})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    async def record(self) -> TaskRecord:
        """The task as it stands."""
        row, state = await self._tasks.look(lambda facts: _rows(facts, self))
        return record(row, state)

    async def ended(self) -> TaskRecord:
        """Its record, once it is completed, failed or cancelled, wherever it runs."""
        return await self._tasks.ended(self)

    async def cancel(self, message: str | None = None) -> None:
        """Cancelled at once; a body that runs is asked to end, and holds its slot until it has (LIF-8)."""

        def asks(facts: Facts) -> Sequence[Any] | Refusal:
            facts.say(error=message)
            return requests.cancel(self.id, lookup(facts))

        await self._tasks.change(self, asks)

    async def reexecute(self, cascade: bool = True) -> tuple[Skipped, ...]:
        """A new run, and of all that depend on it (LIF-9, LIF-10). Those that are not reset are returned."""
        skipped: list[Skipped] = []

        def asks(facts: Facts) -> Sequence[Any] | Refusal:
            plan = requests.reexecute(self.id, lookup(facts), requests.around(facts.read), cascade)
            if isinstance(plan, Refusal):
                return plan
            skipped[:] = plan.skipped
            return plan.inputs

        await self._tasks.change(self, asks)
        return tuple(skipped)

    async def delete(self) -> None:
        """Only a task that is pending or ended, with nothing alive, below or after it (LIF-20)."""

        def asks(facts: Facts) -> Sequence[Any] | Refusal:
            def links(number: TaskId) -> list[LinkTo]:
                return [LinkTo(TaskId(OwnerId(on)), at) for on, at in facts.links(number)]

            return requests.delete(self.id, lookup(facts), links)

        def then(facts: Facts, _changes: Sequence[Change]) -> None:
            facts.put_task(self.number, None)
            facts.put_state(self.number, None)

        await self._tasks.change(self, asks, then)

    async def why(self) -> Waits:
        """What it waits for, and who could move it on (SHL-8)."""
        return await self._tasks.look(lambda facts: why_of(facts, (Kind.TASK, self.number)))

    async def still_runs(self) -> bool:
        """Whether a body of it runs, also after it was cancelled (LIF-8)."""
        return await self._tasks.look(lambda facts: bool(_cell(facts, self).alive))

    async def blocked(self) -> "tuple[Task, ...]":
        """From this task to what keeps it from ever starting as things stand, the cause last (LIF-5)."""

        def look(facts: Facts) -> list[tuple[int, TaskRow]]:
            if _cell(facts, self).status != TaskStatus.PENDING:
                return []
            chain = blocked(self.number, lambda task: _dependencies(facts, task))
            rows = ((number, facts.task(number)) for number in chain)
            return [(number, row) for number, row in rows if row is not None]

        return tuple(self._tasks._task(number, row) for number, row in await self._tasks.look(look))


def _rows(facts: Facts, task: Task) -> tuple[TaskRow, State]:
    row, state = facts.task(task.number), facts.state(task.number)
    if row is None or state is None:
        raise of_refusal(requests.refusals.unknown(task.id), {task.id: task.name})
    return row, state


def _cell(facts: Facts, task: Task) -> Any:
    cell = facts.read((Kind.TASK, task.number))
    if cell is None:
        raise of_refusal(requests.refusals.unknown(task.id), {task.id: task.name})
    return cell


def _dependencies(facts: Facts, task: TaskId) -> list[Dependency]:
    found = []
    for on, number in facts.links(task):
        link, cell = facts.read((Kind.LINK, on, number)), facts.read((Kind.TASK, on))
        if link is not None and cell is not None:
            found.append(Dependency(TaskId(OwnerId(on)), link.required, cell.status))
    return found


def record(row: TaskRow, state: State) -> TaskRecord:
    """The rows as people see them; its own checks say whether the fields fit the status (LIF-16)."""
    return TaskRecord(
        definition=TaskDefinition.model_validate_json(row.definition),
        status=TaskStatus(state.status),
        progress=state.progress / MILLI,
        result=None if state.result is None else plain.decoded(state.result),
        error=state.error,
        created_at=_stamp(state.created),
        started_at=None if state.started is None else _stamp(state.started),
        completed_at=None if state.completed is None else _stamp(state.completed),
        updated_at=_stamp(state.updated),
    )


def _stamp(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _error(answer: Refused | PutAside | StoreError, what: str) -> Exception:
    """As everywhere, but that a refusal about a task has a code (LIF-18)."""
    return of_refused(what, answer) if isinstance(answer, Refused) else error_of(answer, what)
