"""One attempt of a task in this process: its body, and how its end is told (LIF-8, LIF-19)."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from dhruva.cells import Kind
from dhruva.ids import Ref, ScopeId, TaskStatus
from dhruva.inputs import Abort, Fail, Stopped, Succeed
from dhruva.limits import MILLI
from dhruva.records import TaskDefinition
from dhruva.runtime import codec, plain
from dhruva.runtime.bodies import BEGUN, begun, run_plain
from dhruva.runtime.calls import Answer, Call, Facts, PutAside
from dhruva.runtime.child import run_in_child
from dhruva.runtime.context import Context
from dhruva.runtime.environment import Cancellable
from dhruva.runtime.executors import Executor, faults
from dhruva.runtime.fields import Said
from dhruva.runtime.outcomes import Aborted, Ended, Failed, Held, Succeeded, WasParked
from dhruva.runtime.running import Insisted, Living, Running
from dhruva.runtime.store import StoreError, TaskRow
from dhruva.table import Refused

TIMEOUT_MS: Final = "timeout_ms"  # of a task's parameters


class TaskHome:
    """Where the bodies of tasks live, as their contexts see it."""

    id: Any = ScopeId(0)
    timeout: float | None = None
    queue_wait: float | None = None

    def __init__(self, name: str) -> None:
        self.name = name

    def began(self, living: Living) -> None:
        """The store knows what lives."""

    def ended(self, living: Living) -> None:
        """And what has ended."""


class TaskContext(Context):
    """What the body of a task is given besides its inputs."""

    __slots__ = ("_loop", "_told", "_waiting")

    def __init__(self, running: Running, ref: Ref, name: str) -> None:
        super().__init__(running, TaskHome(name), ref)
        self._loop = asyncio.get_running_loop()
        self._waiting: float | None = None
        self._told = True

    def progress(self, share: float) -> None:
        """How far it has come, 0 to 1. Shown in the record; the newest value wins. Also from a thread."""
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"progress is {share}; it must be from 0 to 1")
        self._loop.call_soon_threadsafe(self._say, share)

    def _say(self, share: float) -> None:
        self._waiting = share
        if self._told:
            self._told = False
            self.running.shell.submit(Call(_nothing, self._stored, self._set))

    def _set(self, facts: Facts, _changes: Sequence[Any]) -> None:
        """Only of the attempt that runs; an event under a dead ref changes nothing (ACT-8)."""
        share, self._waiting = self._waiting, None
        task, state = facts.read((Kind.TASK, self.ref.owner)), facts.state(self.ref.owner)
        runs = task is not None and task.number == self.ref.number and task.status == TaskStatus.IN_PROGRESS
        if runs and state is not None and share is not None:
            updated = max(facts.now, state.updated)
            facts.put_state(self.ref.owner, state._replace(progress=round(share * MILLI), updated=updated))

    def _stored(self, _answer: Answer) -> None:
        self._told = True
        if self._waiting is not None:
            self._say(self._waiting)

    async def results(self) -> "dict[str, Any]":
        """What the tasks that this one depends on came to, by their ids: result, or error (LIF-4)."""
        found: dict[str, Any] = {}

        def look(facts: Facts) -> tuple[()]:
            row = facts.task(self.ref.owner)
            definition = None if row is None else TaskDefinition.model_validate_json(row.definition)
            for dependency in () if definition is None else definition.dependencies:
                number = facts.find(dependency.id.bytes)
                state = None if number is None else facts.state(number)
                if state is not None:
                    result = None if state.result is None else plain.decoded(state.result)
                    found[str(dependency.id)] = state.error if result is None else result
            return ()

        heard: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.running.give(look, lambda answer: None if heard.done() else heard.set_result(answer))
        await heard
        return found


def _nothing(_facts: Facts) -> tuple[()]:
    return ()


class Execution:
    """One attempt, from StartBody until the store knows how it ended."""

    def __init__(self, running: Running, executor: Executor | None, ref: Ref, row: TaskRow) -> None:
        self._running, self._executor, self._row, self.ref = running, executor, row, ref
        self._context = TaskContext(running, ref, row.name)
        self._task: asyncio.Task[None] | None = None
        self._timer: Cancellable | None = None
        self._over: asyncio.Future[Ended[Any]] = asyncio.get_running_loop().create_future()
        self._saw: Ended[Any] = Aborted("")

    @property
    def held(self) -> Held:
        executor = self._executor
        unstoppable = executor is not None and executor.unstoppable
        return Held("attempt", self._row.name, self.ref, self._context.signal.said, unstoppable)

    def start(self, ref: Ref) -> None:
        if ref != self.ref or self._task is not None:
            return
        definition = plain.decoded(self._row.definition)
        self._task = begun(asyncio.get_running_loop(), self._run(definition["inputs"]))
        timeout = definition["params"].get(TIMEOUT_MS)
        seconds = self._executor.timeout if timeout is None and self._executor else timeout and timeout / 1000
        if seconds is not None:
            abort = codec.make(Abort, ref, "timeout")
            self._timer = self._running.environment.later(seconds, lambda: self._running.say(abort))

    def signalled(self, ref: Ref, reason: str) -> None:
        """It is asked to end. A child process never looks at a signal: cancelled, its run ends it (LIF-8)."""
        if ref != self.ref or self._task is None or self._context.signal.said is not None:
            return
        self._context.signal.ask(reason, self._task)

    def rejected(self, reason: str) -> None:
        """A task is never rejected: it stays pending."""

    def end(self, reason: str) -> None:
        """Where the store takes nothing, the body is asked all the same, and the rest left to recovery."""

        def answered(answer: Answer) -> None:
            if isinstance(answer, StoreError):
                self.signalled(self.ref, reason)

        abort = codec.make(Abort, self.ref, reason)
        self._running.give(lambda _facts: (abort,), answered)

    async def outcome(self) -> Ended[Any]:
        return await asyncio.shield(self._over)

    async def _run(self, inputs: dict[str, Any]) -> None:
        """Whatever the body does is the end of this attempt, and none of the process."""
        given: Any
        try:
            await BEGUN
            result = plain.encoded(await self._body(inputs), plain.RESULT_MAX, "the result")
            given, said, self._saw = Succeed(self.ref), Said(result=result), Succeeded(None)
        except asyncio.CancelledError as fault:
            self._saw = Failed(fault)
            if self._context.signal.said is None:
                given, said = Fail(self.ref), Said(error=_error(fault))
            else:  # it ended because it was asked to: the reason says it all
                given, said = Stopped(self.ref), Said()
        except (plain.NotPlain, ValidationError, _NoBody) as fault:  # trying again would change nothing
            given, said, self._saw = Fail(self.ref, False), Said(error=_error(fault)), Failed(fault)
        except GeneratorExit:  # the loop is gone, and with it whoever could be told
            raise
        except BaseException as fault:  # it is the body's, and told in its record
            given, said, self._saw = Fail(self.ref), Said(error=_error(fault)), Failed(fault)
            if isinstance(fault, KeyboardInterrupt):
                self._end(given, said)
                raise
        self._end(given, said)

    def _end(self, given: Any, said: Said) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._running.shell.submit(_Seen(self._running, given, self._stored, said))

    async def _body(self, inputs: dict[str, Any]) -> Any:
        executor = self._executor
        if executor is None:
            raise _NoBody(f"this process has no executor named {self._row.executor!r}")
        if executor.where == "process":
            executor.taken(inputs)
            inherit = self._running.inherited
            return await run_in_child(executor.function, [inputs], inherit=inherit, limit=plain.RESULT_MAX)
        arguments = [executor.taken(inputs), *((self._context,) if executor.takes_context else ())]
        if executor.where == "thread":
            return await run_plain(executor.function, *arguments)
        return await executor.function(*arguments)

    def _stored(self, answer: Answer) -> None:
        """The end is durable; or it came too late, was put aside, or is left to recovery."""
        if isinstance(answer, StoreError):
            self._saw = Failed(answer)
        elif isinstance(answer, PutAside):
            self._saw = Failed(WasParked(answer.parked, answer.error))
        elif isinstance(answer, Refused) or self._context.signal.said is not None:
            self._saw = Aborted(self._context.signal.said or "")
        if self._running.handles.get(self.ref.owner) is self:
            del self._running.handles[self.ref.owner]
        if not self._over.done():
            self._over.set_result(self._saw)


class _NoBody(Exception):
    """There is nothing to run here."""


class _Seen(Insisted):
    """The end of a body, with what its record is to say."""

    def __init__(self, running: Running, given: Any, then: Any, said: Said) -> None:
        super().__init__(running, then)
        self._given, self._said = given, said

    def inputs(self, facts: Facts) -> Sequence[Any]:
        facts.say(*self._said)
        return (self._given,)


def _error(fault: BaseException) -> str:
    if isinstance(fault, ValidationError):
        return "inputs: " + "; ".join(faults(fault))
    return f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
