"""How a body is run: on the event loop, or, if it is a plain function, in a thread. And its abort signal."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Generator
from contextlib import suppress
from types import FunctionType
from typing import Any, Final


class Signal:
    """The abort signal of one attempt. It is set once; a body that sees it set is to end."""

    reason: str | None = None
    _event: asyncio.Event | None = None

    @property
    def aborted(self) -> bool:
        return self.reason is not None

    async def wait(self) -> str:
        """Returns the reason once the attempt is asked to end."""
        if self._event is None:
            self._event = asyncio.Event()
        while self.reason is None:
            await self._event.wait()
        return self.reason

    def set(self, reason: str) -> None:
        """The shell's: the first reason stays."""
        if self.reason is None:
            self.reason = reason
            if self._event is not None:
                self._event.set()


def named(function: Callable[..., Any]) -> str:
    """What people call it."""
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__)


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine. Told from the flags of its code where it is a plain `def`."""
    if type(function) is FunctionType:
        return bool(function.__code__.co_flags & inspect.CO_COROUTINE)
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


async def run_plain(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns that may block: it runs in a thread. A coroutine that it gives runs here."""
    value = await _in_thread(function, arguments)
    return await value if inspect.isawaitable(value) else value


async def _in_thread(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """A thread cannot be stopped: whoever cancels this waits until it has ended, and the slot is held."""
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
    while not ended.done():
        with suppress(asyncio.CancelledError):
            await asyncio.shield(ended)
    value, fault = ended.result()
    if fault is not None:
        raise fault
    return value


class _Begun:
    """Awaited first in what is to see its own end: see `begun`."""

    def __await__(self) -> Generator[None, None, None]:
        yield


BEGUN: Final = _Begun()


def begun(loop: asyncio.AbstractEventLoop, run: Any) -> "asyncio.Task[None]":
    """A task of this coroutine, which stands behind its first `await BEGUN` already.

    A task that is cancelled before its first turn never enters its coroutine: no `except` in there would
    see the cancel, and an end would be lost. One that stands inside its `try` sees every cancel.
    """
    run.send(None)
    return loop.create_task(run)
