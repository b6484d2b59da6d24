"""`Authority`: the root of everything that runs, in memory or on a file.

    async with Authority(limit=2) as authority: ...
    async with Authority.open("work.db", limit=4) as authority: ...

Leaving it asks what still runs to end, with the reason shutdown, and waits. Nothing is disposed by that.
Tasks that were cut short start again at the next start.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar, overload
from uuid import UUID

from pydantic import ValidationError

from dhruva.cells import Kind
from dhruva.ids import Priority, ScopeId, TaskStatus
from dhruva.inputs import CreateScope, SetCap
from dhruva.records import DependsOn, RetryPolicy, TaskDefinition
from dhruva.requests.shapes import Given
from dhruva.runtime import retention
from dhruva.runtime.calls import Answer, Facts, Kernel
from dhruva.runtime.child_main import only_loads
from dhruva.runtime.creating import ROOT
from dhruva.runtime.environment import Environment, RealEnvironment
from dhruva.runtime.errors import InvalidDependency, InvalidTask, NotFound
from dhruva.runtime.executions import TIMEOUT_MS
from dhruva.runtime.executors import Executors, Where, faults, made
from dhruva.runtime.inline import InlineShell
from dhruva.runtime.outcomes import Rejected
from dhruva.runtime.running import Running, answer_of
from dhruva.runtime.scopes import Scope, Terms
from dhruva.runtime.serving import Served, in_memory
from dhruva.runtime.shell import CLOSED, Shell, ThreadShell
from dhruva.runtime.shipped import shipped, unnamed
from dhruva.runtime.store import Query, StoreError, StoreFull
from dhruva.runtime.tasks import Page, Task, Tasks
from dhruva.runtime.timers import milliseconds

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
After = Task | UUID | DependsOn


class Authority:
    """Authorizes requests and tasks, under one limit over all its scopes, and runs their bodies.

    `limit`: bodies at a time over all scopes, and over all processes of a file. `environment`: clock, ids and
    timers. `kernel`: other tables, for tests. `journal`: in memory, too, every transaction leaves a link.
    It is entered once; what is asked of it before or afterwards is a StoreError.
    """

    _entered = False

    def __init__(
        self,
        limit: int | None = None,
        *,
        environment: Environment | None = None,
        kernel: Kernel | None = None,
        journal: bool = False,
        shell: Shell | None = None,
    ) -> None:
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit!r}; it must be at least 1, or None for no limit")
        self.kernel = kernel or (shipped() if journal else unnamed())
        self._limit = limit
        self._environment = environment or RealEnvironment()
        if shell is None:
            shell = InlineShell(in_memory(self.kernel, journal, _clock(self._environment)))
        self._running = Running(shell, self._environment)
        self._executors = Executors(self._running)
        self._tasks = Tasks(self._running, self._executors)

    @classmethod
    def open(
        cls,
        path: str | Path,
        limit: int | None = None,
        *,
        environment: Environment | None = None,
        kernel: Kernel | None = None,
        create: bool = True,
    ) -> "Authority":
        """An authority on this file, which several processes may serve. `create=False`: it must be there."""
        runs, outside = kernel or shipped(), environment or RealEnvironment()
        shell = ThreadShell(lambda: Served(Path(path), runs, _clock(outside), create))
        return cls(limit, environment=outside, kernel=runs, shell=shell)

    @property
    def refused(self) -> int:
        """Inputs that the tables refused so far. Each was answered; none left a trace in the journal."""
        return self._running.shell.refused

    def on_rejected(self, listener: Callable[[Rejected], None]) -> None:
        """Call this with every rejection: of a new request, of one that waited, of a retry (ACT-4)."""
        self._running.on_rejected.append(listener)

    def scope(
        self,
        name: str,
        *,
        limit: int | None = None,
        spawns: int | None = None,
        retry: int | None = None,
        retry_on_timeout: bool | None = None,
        queue: int | None = None,
        timeout: float | None = None,
        queue_wait: float | None = None,
        mount: bool = True,
        raises: bool = False,
    ) -> Scope:
        """A scope of that name, to be entered with `async with`, or opened and disposed by hand.

        `limit`: attempts at a time; `spawns`: attempts ever; `retry`: new attempts after an error, and
        after a timeout with `retry_on_timeout`; `queue`: requests that may wait, 0 rejects them;
        `timeout`: seconds for each attempt; `queue_wait`: seconds in the queue. A living scope of that
        name keeps what it was created with: to be opened on other terms is OtherTerms.
        `mount=False`: it takes no request before `mount()`. `raises`: a rejection is raised, as NotRun.
        """
        terms = Terms(limit, spawns, retry, retry_on_timeout, queue, timeout, queue_wait)
        return Scope(self._running, self.kernel.step, name, terms, mount, raises)

    # Durable tasks.

    @overload
    def executor(self, function: F) -> F: ...

    @overload
    def executor(
        self, *, name: str | None = ..., where: Where | None = ..., timeout: float | None = ...
    ) -> Callable[[F], F]: ...

    def executor(
        self,
        function: F | None = None,
        *,
        name: str | None = None,
        where: Where | None = None,
        timeout: float | None = None,
    ) -> F | Callable[[F], F]:
        """Register this function to run tasks. `where`: on the event loop for an async function, in a thread
        for a plain one, unless it is said; a thread cannot be stopped. `timeout`: seconds from its start."""

        def register(given: F) -> F:
            self._executors.add(made(given, name, where, timeout))
            return given

        return register if function is None else register(function)

    def define(
        self,
        title: str,
        executor: str | Callable[..., Any],
        inputs: Any = None,
        *,
        after: Iterable[After | TaskDefinition] = (),
        parent: Task | TaskDefinition | UUID | None = None,
        priority: Priority = Priority.NORMAL,
        retry: RetryPolicy | int | None = None,
        user: str | None = None,
        timeout: float | None = None,
    ) -> TaskDefinition:
        """What a task is to be, with a new id; nothing is stored. For `create_tree`."""
        called = self._executors.called(executor)
        known = self._executors.by_name.get(called)
        if timeout is not None and not 0 < timeout < float("inf"):
            raise InvalidTask(f"task {title!r:.100}: timeout is {timeout}; it must be above 0, in seconds")
        try:
            return TaskDefinition(
                id=self._environment.new_uuid(),
                name=title,
                executor=called,
                parent=None if parent is None else _id(parent),
                user_id=user,
                priority=priority,
                inputs=(inputs or {}) if known is None else known.checked(inputs),
                params={} if timeout is None else {TIMEOUT_MS: round(timeout * 1000)},
                dependencies=tuple(
                    each if isinstance(each, DependsOn) else DependsOn(id=_id(each)) for each in after
                ),
                retry=retry if isinstance(retry, RetryPolicy) else _policy(retry),
            )
        except ValidationError as caught:
            raise InvalidTask(f"task {title!r:.100}: {'; '.join(faults(caught))}") from None

    async def create(
        self,
        title: str,
        executor: str | Callable[..., Any],
        inputs: Any = None,
        *,
        after: Iterable[After] = (),
        parent: Task | UUID | None = None,
        priority: Priority = Priority.NORMAL,
        retry: RetryPolicy | int | None = None,
        scope: Scope | None = None,
        user: str | None = None,
        timeout: float | None = None,
    ) -> Task:
        """A new task; answered once it is durable. It starts when all in `after` have completed.

        `after`: tasks, or DependsOn for those that may end otherwise. `retry`: how often it is tried at most,
        or a whole policy; three times by default. `timeout`: seconds from its start.
        """
        definition = self.define(
            title,
            executor,
            inputs,
            after=after,
            parent=parent,
            priority=priority,
            retry=retry,
            user=user,
            timeout=timeout,
        )
        return (await self.create_tree([definition], scope=scope))[0]

    async def create_tree(self, tasks: Sequence[Given], *, scope: Scope | None = None) -> tuple[Task, ...]:
        """All these tasks in one transaction, or none: then the error has every fault of them (LIF-17)."""
        if self._running.closing:
            raise StoreError(CLOSED)
        if self._running.shell.full:
            raise StoreFull("store_full: too much waits to be written")
        if scope is None:
            return await self._tasks.create(tasks, None)
        return await self._tasks.create([_within(each, scope.timeout) for each in tasks], ScopeId(scope.id))

    async def task(self, id_: UUID | str) -> Task:
        """The task that people know under this id; NotFound if there is none."""
        try:
            wanted = id_ if isinstance(id_, UUID) else UUID(id_)
        except (ValueError, TypeError, AttributeError):
            raise NotFound(f"id is {id_!r:.100}; the id of a task is a UUID") from None
        return await self._tasks.find(wanted)

    async def tasks(
        self,
        *,
        status: TaskStatus | str | None = None,
        name: str | None = None,
        parent: Task | UUID | None = None,
        executor: str | None = None,
        newest: bool = False,
        after: str | None = None,
        limit: int = 100,
    ) -> Page:
        """A page of tasks in the order of creation; by name, if the beginning of a `name` is given."""
        above = None if parent is None else parent if isinstance(parent, Task) else await self.task(parent)
        if status is not None and status not in [*TaskStatus]:
            raise ValueError(f"status is {status!r}; it is one of {', '.join(TaskStatus)}")
        query = Query(
            status=None if status is None else str(status),
            name=name,
            parent=None if above is None else above.number,
            executor=executor,
            newest=newest,
            limit=limit,
        )
        return await self._tasks.page(query, after)

    async def forget(self, older_than: timedelta) -> int:
        """Delete the tasks that ended so long ago and on which nothing hangs; how many that were (SHL-10)."""
        return await retention.forget(self._tasks, older_than)

    async def checkpoint(self) -> None:
        """Drop the journal so far: replay begins at the cells as they are (SHL-10). Costs what is stored."""
        await retention.checkpoint(self._tasks)

    # For tools: the same transaction that everything goes through.

    async def look(self, reads: Callable[[Facts], T]) -> T:
        """What this returns, called in a transaction; it sets nothing and gives no input."""
        return await self._tasks.look(reads)

    async def say(self, inputs: Callable[[Facts], Sequence[Any]]) -> Answer:
        """Give the inputs that this returns, all or none, in one transaction."""
        return await self._tasks.answer(inputs)

    # Opening and leaving.

    async def __aenter__(self) -> "Authority":
        program = only_loads()
        if program is not None:
            raise RuntimeError(
                f"{program} is loaded by a child process for one of its functions, and opened an authority:"
                ' put what is not to run there under `if __name__ == "__main__":`'
            )
        if self._entered:
            raise RuntimeError("this authority was entered before; an authority is entered once")
        self._entered = True
        try:
            await self._running.shell.start()
            await self._found()
        except BaseException:
            await self._running.shell.close()
            raise
        self._tasks.start()
        return self

    async def _found(self) -> None:
        """A new store gets its limit and its root scope; a known one keeps what it has."""
        stored: list[int | None] = []

        def inputs(facts: Facts) -> tuple[Any, ...]:
            if facts.payload(ROOT) is not None:
                cap = facts.read((Kind.CAP,))
                stored.append(None if cap is None else cap.limit)
                return ()
            root = ScopeId(facts.new_id())
            facts.put(ROOT, str(root).encode())
            capped = () if self._limit is None else (SetCap(self._limit),)
            return (*capped, CreateScope(root, capped=bool(capped)))

        answer = await answer_of(self._running, inputs)
        if isinstance(answer, StoreError):
            raise answer
        self._running.inherited = self._running.shell.inherited
        if self._limit is not None and stored and stored[-1] != self._limit:
            was = "no limit" if stored[-1] is None else f"limit {stored[-1]}"
            raise StoreError(f"this store was created with {was}, and is opened with {self._limit}")

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.closing = True
        self._tasks.close()
        try:
            await answer_of(self._running, self._serves_no_more)  # who asked before has been answered
            await self._running.shut_down()
        finally:
            await self._running.shell.close()

    def _serves_no_more(self, _facts: Facts) -> tuple[()]:
        """From here on nothing starts in this process; what waits in lanes is left to others."""
        self._running.shell.engine.serving = False
        return ()


def _clock(environment: Environment) -> Callable[[], int]:
    return lambda: milliseconds(environment.now())


def _id(of: Task | TaskDefinition | UUID) -> UUID:
    if not isinstance(of, UUID | Task | TaskDefinition):
        raise InvalidDependency(f"{of!r:.100} is no task: give a Task, a TaskDefinition, or the UUID of one")
    return of if isinstance(of, UUID) else of.id


def _within(given: Given, timeout: float | None) -> Given:
    """A task that says nothing of a timeout has that of its scope (ACT-13)."""
    if timeout is None:
        return given
    default = {TIMEOUT_MS: round(timeout * 1000)}
    if isinstance(given, TaskDefinition):
        return given.model_copy(update={"params": default | given.params})
    params = given.get("params", {})
    return {**given, "params": default | params} if isinstance(params, dict) else given


def _policy(attempts: int | None) -> RetryPolicy:
    return RetryPolicy() if attempts is None else RetryPolicy(max_attempts=attempts)
