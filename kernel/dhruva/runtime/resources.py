"""Workers and handlers of an attempt, as they run in this process (ACT-9).

Each is a cell of its own and follows its own table. To be asked to end is an effect; that one has ended
is observed, and said as its own event, whatever became of the attempt meanwhile (ACT-8).
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, get_args

from dhruva.cells import Kind
from dhruva.inputs import AddHandler, AddStream, AddWorker, ResourceEvent
from dhruva.runtime import codec
from dhruva.runtime.bodies import BEGUN, begun, is_async, named, run_plain
from dhruva.runtime.calls import Answer, Done, Facts
from dhruva.runtime.child import found_again, run_in_child
from dhruva.runtime.outcomes import Aborted, AttemptAborted, Failed, Held, Succeeded
from dhruva.runtime.running import error_of

if TYPE_CHECKING:
    from dhruva.runtime.context import Context

T = TypeVar("T")
Add = type[AddWorker] | type[AddHandler] | type[AddStream]
WorkerKind = Literal["coroutine", "process", "thread"]
ENDED: str = "the attempt has ended"


class Resource:
    """One of them, from its cell's beginning to its end."""

    what: str
    unwanted: str  # the event that ends it where nobody ever used it
    number = 0
    asked = False

    def __init__(self, context: "Context", name: str) -> None:
        self.context, self.name = context, name
        self._over: asyncio.Event = asyncio.Event()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} of {tuple(self.context.ref)}>"

    @property
    def unstoppable(self) -> bool:
        return False

    @property
    def held(self) -> Held:
        reason = self.reason if self.asked else None
        return Held(self.what, self.name, self.context.ref, reason, self.unstoppable)

    @property
    def reason(self) -> str:
        """Why it was asked to end."""
        return self.context.signal.said or ENDED

    def event(self, word: str) -> Any:
        return codec.make(ResourceEvent, self.context.ref, self.number, word)

    async def add(self, kind: Add, *words: str) -> None:
        """Its cell is there, and these events have happened to it; or NotAllowed, and nothing has."""
        heard: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.context.running.give(partial(self._added, kind, words), partial(self._answered, heard))
        answer = await heard
        if not isinstance(answer, Done):
            raise error_of(answer, f"a {self.what} of {tuple(self.context.ref)}")

    def _added(self, kind: Add, words: Sequence[str], facts: Facts) -> Sequence[Any]:
        """Resources of an attempt are numbered in the order in which they come."""
        attempt = facts.read((Kind.ATTEMPT, self.context.ref))
        self.number = 1 if attempt is None else attempt.resources + 1
        return (kind(self.context.ref), *map(self.event, words))

    def _answered(self, heard: "asyncio.Future[Answer]", answer: Answer) -> None:
        """Whoever was cancelled before the answer wants it no longer: its cell is there, and ends at once."""
        if isinstance(answer, Done):
            self.context.running.resources[self.context.ref, self.number] = self
            self.context.home.began(self)
            if heard.done():
                self.context.running.observe(self.event(self.unwanted), lambda _answer: self.over())
            else:
                self.begin()
        if not heard.done():
            heard.set_result(answer)

    def begin(self) -> None:
        """It runs."""

    def asked_to_end(self) -> None:
        """Told by an effect."""
        self.asked = True

    def over(self) -> None:
        """Nothing of it is left."""
        self.context.running.resources.pop((self.context.ref, self.number), None)
        self.context.home.ended(self)
        self._over.set()

    async def gone(self) -> None:
        """Returns when nothing of it is left."""
        await self._over.wait()


class Run(Resource, Generic[T]):
    """A resource that is a run of a function: its end is observed, and said until the store has it."""

    words: tuple[str, str, str]  # it returned, it raised, it ended because it was asked to

    def __init__(self, context: "Context", function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        super().__init__(context, named(function))
        self._function, self._arguments = function, arguments
        self._task: asyncio.Task[None] | None = None
        self._ended: Succeeded[T] | Failed | Aborted | None = None

    def __await__(self) -> Generator[Any, None, T]:
        return self._result().__await__()

    async def _result(self) -> T:
        ended = await self.outcome()
        if isinstance(ended, Succeeded):
            return ended.value
        raise AttemptAborted(ended.reason) if isinstance(ended, Aborted) else ended.error

    async def outcome(self) -> Succeeded[T] | Failed | Aborted:
        """How it ended, as a value."""
        await self._over.wait()
        assert self._ended is not None
        return self._ended

    def begin(self) -> None:
        self._task = begun(asyncio.get_running_loop(), self._run())

    def asked_to_end(self) -> None:
        """A coroutine is cancelled, a child process terminated; a thread can only look at the signal."""
        self.asked = True
        if self._task is None:  # it never ran, so to be asked was its end
            self._ended = Aborted(self.reason)
            self.over()
        elif not self.unstoppable:
            self._task.cancel()

    async def _run(self) -> None:
        try:
            await BEGUN
            value = await self.call()
        except asyncio.CancelledError as fault:
            word, ended = (2, Aborted(self.reason)) if self.asked else (1, Failed(fault))
            self._say(word, ended)
        except GeneratorExit:  # the loop is gone, and with it whoever could be told
            raise
        except BaseException as fault:  # it is the function's, and told to who awaits it
            self._say(1, Failed(fault))
            if isinstance(fault, KeyboardInterrupt):
                raise
        else:
            self._say(0, Succeeded(value))

    async def call(self) -> Any:
        return await self._function(*self._arguments)

    def _say(self, word: int, ended: Succeeded[T] | Failed | Aborted) -> None:
        self._ended = ended
        self.context.running.observe(self.event(self.words[word]), self._observed)

    def _observed(self, _answer: Answer) -> None:
        """However the store took it, this process has seen it end."""
        self.over()


class Worker(Run[T]):
    """Await it for what it returned. One that fails aborts its attempt; one that is left ends with it."""

    what = "worker"
    unwanted = "finish"
    words = ("finish", "fail", "exited")

    def __init__(
        self,
        context: "Context",
        work: Callable[..., Any],
        arguments: tuple[Any, ...],
        kind: WorkerKind | None,
    ) -> None:
        super().__init__(context, work, arguments)
        self.kind: WorkerKind = kind or ("coroutine" if is_async(work) else "thread")
        if self.kind not in get_args(WorkerKind):
            raise ValueError(f"kind is {kind!r}; a worker is one of {', '.join(get_args(WorkerKind))}")
        if self.kind == "coroutine" and not is_async(work):
            raise ValueError(f"{self.name} is no async function, and cannot be a worker of kind 'coroutine'")
        if self.kind == "process":
            found_again(work)

    @property
    def unstoppable(self) -> bool:
        return self.kind == "thread"

    async def spawned(self) -> "Worker[T]":
        await self.add(AddWorker, "start")
        return self

    async def call(self) -> Any:
        if self.kind == "coroutine":
            return await self._function(*self._arguments)
        if self.kind == "thread":
            return await run_plain(self._function, *self._arguments)
        return await run_in_child(self._function, self._arguments, inherit=self.context.running.inherited)


class Handler(Run[T]):
    """Call it once, while its attempt lives. One that fails aborts its attempt."""

    what = "handler"
    unwanted = "cancel"
    words = ("complete", "fail", "stopped")

    def __init__(self, context: "Context", handle: Callable[..., Awaitable[T]]) -> None:
        super().__init__(context, handle, ())
        if not is_async(handle):
            raise ValueError(f"{self.name} is no async function, and cannot be a handler")

    async def added(self) -> "Handler[T]":
        await self.add(AddHandler)
        return self

    def begin(self) -> None:
        """It is pending: it runs when it is called."""

    async def __call__(self, *arguments: Any) -> T:
        """Runs it. Raises NotAllowed if it was called before, or its attempt has ended."""
        self._arguments = arguments
        heard: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.context.running.give(lambda _facts: (self.event("start"),), partial(self._started, heard))
        answer = await heard
        if not isinstance(answer, Done):
            raise error_of(answer, f"handler {self.name}")
        return await self

    def _started(self, heard: "asyncio.Future[Answer]", answer: Answer) -> None:
        if isinstance(answer, Done):
            super().begin()
        if not heard.done():
            heard.set_result(answer)
