"""Streams of an attempt: values on their way from a body to whoever reads (ACT-9).

Open, closed or aborted is a fact of its cell. The values are in memory: no rule looks at them.
"""

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

from dhruva.inputs import AddStream
from dhruva.runtime.calls import Done
from dhruva.runtime.resources import Resource
from dhruva.runtime.running import answer_of

if TYPE_CHECKING:
    from dhruva.runtime.context import Context


class StreamClosed(Exception):
    """Nothing can be sent any more: the stream was closed."""


class StreamAborted(Exception):
    """The attempt of this stream has ended, or was asked to; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the stream was aborted: {reason}")
        self.reason = reason


class Stream(Resource):
    """`send` and `close` on one side, `async for` on the other."""

    what = "stream"
    unwanted = "close"

    def __init__(self, context: "Context", ahead: int) -> None:
        if ahead < 1:
            raise ValueError(f"ahead is {ahead}; a stream holds at least 1 value")
        super().__init__(context, "of values")
        self._ahead = ahead
        self._values: deque[Any] = deque()
        self._changed: asyncio.Event = asyncio.Event()
        self._closed = False

    async def opened(self) -> "Stream":
        await self.add(AddStream)
        return self

    async def send(self, value: Any) -> None:
        """Waits while the reader is too far behind."""
        while len(self._values) >= self._ahead and not self._over.is_set():
            await self._change()
        self._check()
        if self._closed:
            raise StreamClosed
        self._values.append(value)
        self._wake()

    async def close(self) -> bool:
        """Whoever reads gets what was sent, and no more. False: it has ended already."""
        answer = await answer_of(self.context.running, lambda _facts: (self.event("close"),))
        if not isinstance(answer, Done) or answer.changes[0].edges[0].target != "closed":
            return False
        self._closed = True
        self.over()
        return True

    def __aiter__(self) -> "Stream":
        return self

    async def __anext__(self) -> Any:
        """The next value. Raises StreamAborted once it was aborted, whatever was sent."""
        while not self._values and not self._over.is_set():
            await self._change()
        self._check()
        if not self._values:
            raise StopAsyncIteration
        value = self._values.popleft()
        self._wake()
        return value

    def _check(self) -> None:
        if self.asked:
            raise StreamAborted(self.reason)

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()

    def asked_to_end(self) -> None:
        """The table has it aborted already: nobody reads or writes any more."""
        self.asked = True
        self._values.clear()
        self.over()

    def over(self) -> None:
        super().over()
        self._wake()
