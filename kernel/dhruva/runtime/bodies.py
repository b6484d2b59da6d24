"""What a body is given, and how it is run: on the event loop, or, if it is a plain function, in a thread."""

import asyncio
import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from dhruva.ids import Ref


class Signal:
    """The abort signal of one attempt. It is set once; a body that sees it set is to end."""

    __slots__ = ("_event", "reason")

    def __init__(self) -> None:
        self.reason: str | None = None
        self._event: asyncio.Event | None = None

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


class Context(NamedTuple):
    """What a body is given (ACT-7)."""

    ref: Ref
    signal: Signal


async def run_body(body: Callable[[Context], Any], context: Context) -> Any:
    """What the body returns. A plain function runs in a thread of its own."""
    if inspect.iscoroutinefunction(body) or inspect.iscoroutinefunction(type(body).__call__):
        return await body(context)
    value = await _in_thread(body, context)
    return await value if inspect.isawaitable(value) else value


async def _in_thread(body: Callable[[Context], Any], context: Context) -> Any:
    """A thread cannot be stopped: whoever cancels this waits until it has ended, and the slot is held."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def run() -> None:
        told: tuple[Any, BaseException | None]
        try:
            told = body(context), None
        except BaseException as fault:  # noqa: BLE001 - whatever it is, it is the end of this body
            told = None, fault
        loop.call_soon_threadsafe(ended.set_result, told)

    threading.Thread(target=run, name=f"dhruva-body-{context.ref.owner}", daemon=True).start()
    while not ended.done():
        with suppress(asyncio.CancelledError):
            await asyncio.shield(ended)
    value, fault = ended.result()
    if fault is not None:
        raise fault
    return value
