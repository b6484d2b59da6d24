"""How a body is run: on the event loop, or, if it is a plain function, in a thread. And its abort signal."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Generator
from contextlib import suppress
from types import FunctionType
from typing import Any, Final

COROUTINE: Final = inspect.CO_COROUTINE


class Signal:
    """The abort signal of one attempt: it is set once, with a reason.

    A body that looks at it is told by it, and ends in its own time. An async body that never looked is
    cancelled, as any task of asyncio is. A plain function has only the signal: threads cannot be stopped.
    """

    said: str | None = None  # the reason; for the shell, which only looks after it
    _heeded = False  # whoever runs under it has looked at it
    _event: asyncio.Event | None = None

    @property
    def reason(self) -> str | None:
        """Why the attempt was asked to end: user, dispose, timeout, worker, handler or shutdown."""
        self._heeded = True
        return self.said

    @property
    def aborted(self) -> bool:
        """Whether the attempt was asked to end."""
        self._heeded = True
        return self.said is not None

    async def wait(self) -> str:
        """Returns the reason once the attempt is asked to end."""
        self._heeded = True
        if self._event is None:
            self._event = asyncio.Event()
        while self.said is None:
            await self._event.wait()
        return self.said

    def ask(self, reason: str, body: "asyncio.Task[None] | None") -> None:
        """The shell's: the first reason stays. A body has its first turn before it can be found deaf."""
        if self.said is not None:
            return
        self.said = reason
        if self._event is not None:
            self._event.set()
        if body is not None:
            asyncio.get_running_loop().call_soon(self._told, body)

    def _told(self, body: "asyncio.Task[None]") -> None:
        if not self._heeded:
            body.cancel()


def named(function: Callable[..., Any]) -> str:
    """What people call it."""
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__)


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine. Told from the flags of its code where it is a plain `def`."""
    if type(function) is FunctionType:
        return bool(function.__code__.co_flags & COROUTINE)
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


async def run_plain(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns that may block: it runs in a thread. A coroutine that it gives runs here."""
    value, cancelled = await _in_thread(function, arguments)
    if not inspect.isawaitable(value):
        return value
    if cancelled and inspect.iscoroutine(value):
        value.close()
        raise asyncio.CancelledError
    return await value


async def _in_thread(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, bool]:
    """What it returned, and whether a cancel came meanwhile.

    A thread cannot be stopped: whoever cancels this waits until it has ended, and the slot is held.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def run() -> None:
        told: tuple[Any, BaseException | None]
        try:
            told = function(*arguments), None
        except BaseException as fault:  # noqa: BLE001 - whatever it is, it is the end of this body
            told = None, fault
        with suppress(RuntimeError):  # the loop is closed: nobody is left to be told
            loop.call_soon_threadsafe(ended.set_result, told)

    threading.Thread(target=run, name=f"dhruva-{named(function)}", daemon=True).start()
    cancelled = False
    while not ended.done():
        try:
            await asyncio.shield(ended)
        except asyncio.CancelledError:
            cancelled = True
    value, fault = ended.result()
    if fault is not None:
        raise fault
    return value, cancelled


_ONCE: Final[Any] = (None,)  # its iterator is all that an await needs, and costs less than a generator


class _Begun:
    """Awaited first in what is to see its own end: see `begun`."""

    def __await__(self) -> Generator[None, None, None]:
        once: Generator[None, None, None] = iter(_ONCE)
        return once


BEGUN: Final = _Begun()


def begun(loop: asyncio.AbstractEventLoop, run: Any) -> "asyncio.Task[None]":
    """A task of this coroutine, which stands behind its first `await BEGUN` already.

    A task that is cancelled before its first turn never enters its coroutine: no `except` in there would
    see the cancel, and an end would be lost. One that stands inside its `try` sees every cancel.
    """
    run.send(None)
    return loop.create_task(run)
