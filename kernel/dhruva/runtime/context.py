"""What a body is given (ACT-7): the ref of its attempt, its abort signal, and the right to hold resources."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, overload

from dhruva.ids import Ref
from dhruva.runtime.bodies import Signal
from dhruva.runtime.resources import Handler, Worker, WorkerKind
from dhruva.runtime.running import Home, Running
from dhruva.runtime.streams import Stream

T = TypeVar("T")


class Context:
    """Of one attempt. The workers, handlers and streams that it made end with it (ACT-9, ACT-11)."""

    __slots__ = ("home", "ref", "running", "signal")

    def __init__(self, running: Running, home: Home, ref: Ref) -> None:
        self.running, self.home, self.ref, self.signal = running, home, ref, Signal()

    def __repr__(self) -> str:
        return f"<Context of {tuple(self.ref)} in {self.home.name!r}>"

    @overload
    async def spawn_worker(
        self, work: Callable[..., Awaitable[T]], *arguments: Any, kind: WorkerKind | None = ...
    ) -> Worker[T]: ...

    @overload
    async def spawn_worker(
        self, work: Callable[..., T], *arguments: Any, kind: WorkerKind | None = ...
    ) -> Worker[T]: ...

    async def spawn_worker(
        self, work: Callable[..., Any], *arguments: Any, kind: WorkerKind | None = None
    ) -> Worker[Any]:
        """Start a worker. `kind`: coroutine for an async function, thread for a plain one, unless it is said.

        In a process the function is found again by its module and name, and what it is given and returns
        is JSON. A thread is unstoppable. Raises NotAllowed where the tables allow none.
        """
        return await Worker[Any](self, work, arguments, kind).spawned()

    async def add_handler(self, handle: Callable[..., Awaitable[T]]) -> Handler[T]:
        """Something to be called at most once, for as long as this attempt lives."""
        return await Handler[T](self, handle).added()

    async def open_stream(self, ahead: int = 16) -> Stream:
        """Values on their way to whoever reads; who writes may be so many of them `ahead`."""
        return await Stream(self, ahead).opened()
