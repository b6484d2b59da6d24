"""The shell: takes calls, runs them in batches, and when a batch is durable answers and performs (SHL-2).

In memory a call is run where it is made: no queue, no thread, and the same calls in the same order
give the same run. On a durable store one thread owns the connection and takes whatever is queued as one
batch: a single caller is committed at once, a hundred share one sync, and the event loop waits for no disk.
"""

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from dhruva.effects import Effect
from dhruva.runtime.batch import Call, Engine, Outcome
from dhruva.runtime.store import StoreError

BATCH_MAX: Final = 256  # calls in one transaction
QUEUED_MAX: Final = 100_000  # calls that may wait for the writer
CLOSED: Final = "the authority is closed"

Perform = Callable[[Effect], None]


class Shell(Protocol):
    """Where calls go. `perform` is given each effect, after the transaction that it belongs to."""

    perform: Perform
    refused: int  # refusals are counted, and leave no link (SHL-7)

    @property
    def full(self) -> bool:
        """Whether so much waits that new work is to be turned away (SHL-10)."""

    async def start(self) -> None: ...

    def submit(self, call: Call) -> None:
        """The call is answered once it is durable, on the event loop."""

    async def close(self) -> None:
        """Everything that was submitted has been answered, and the store is closed."""


def nothing(_effect: Effect) -> None:
    """Performs nothing."""


def deliver(outcome: Outcome, perform: Perform) -> None:
    """Answers first, so that who asked for a body knows of it when it starts."""
    for call, answer in outcome.answers:
        call.answered(answer)
    for effect in outcome.effects:
        perform(effect)


class InlineShell:
    """Runs each call where it is made."""

    full = False

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.perform: Perform = nothing
        self.refused = 0
        self._waiting: deque[Call] = deque()
        self._busy = self._closed = False

    async def start(self) -> None:
        self._run()

    def submit(self, call: Call) -> None:
        """A call that is made while another is answered comes after it."""
        if self._closed:
            call.answered(StoreError(CLOSED))
            return
        self._waiting.append(call)
        if not self._busy:
            self._run()

    def _run(self) -> None:
        self._busy = True
        try:
            while self._waiting or self.engine.more:
                calls = (self._waiting.popleft(),) if self._waiting else ()
                outcome = self.engine.run(calls)
                self.refused += outcome.refused
                deliver(outcome, self.perform)
        finally:
            self._busy = False

    async def close(self) -> None:
        self._closed = True
        self.engine.store.close()


class ThreadShell:
    """One writer thread owns the store, from its opening to its end."""

    def __init__(self, open_engine: Callable[[], Engine]) -> None:
        self._open = open_engine
        self._calls: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Future[None] | None = None
        self._closed = False
        self.perform: Perform = nothing
        self.refused = 0

    @property
    def full(self) -> bool:
        return self._calls.qsize() >= QUEUED_MAX

    async def start(self) -> None:
        """Raises what opening the store raised."""
        self._loop = asyncio.get_running_loop()
        opened: asyncio.Future[None] = self._loop.create_future()
        self._ended = self._loop.create_future()
        self._thread = threading.Thread(target=self._serve, args=(opened,), name="dhruva-writer", daemon=True)
        self._thread.start()
        await asyncio.shield(opened)

    def submit(self, call: Call) -> None:
        if self._closed:
            call.answered(StoreError(CLOSED))
        else:
            self._calls.put(call)

    async def close(self) -> None:
        self._closed = True
        self._calls.put(None)
        if self._ended is not None:
            await asyncio.shield(self._ended)

    def _serve(self, opened: "asyncio.Future[None]") -> None:
        assert self._ended is not None
        try:
            engine = self._open()
        except BaseException as fault:  # noqa: BLE001 - told to whoever opens the store
            self._tell(opened.set_exception, fault)
            self._tell(self._ended.set_result, None)
            return
        self._tell(opened.set_result, None)
        try:
            while self._turn(engine):
                pass
        finally:
            engine.store.close()
            self._tell(self._ended.set_result, None)

    def _turn(self, engine: Engine) -> bool:
        """One batch. False: it was the last."""
        calls, last = self._take(wait=not engine.more)
        self._tell(self._deliver, engine.run(calls))
        while last and engine.more:
            self._tell(self._deliver, engine.run(()))
        return not last

    def _take(self, wait: bool) -> tuple[list[Call], bool]:
        """What is queued now; if there must be something, the first to come and what is there by then."""
        calls: list[Call] = []
        while len(calls) < BATCH_MAX:
            try:
                call = self._calls.get(block=wait and not calls)
            except queue.Empty:
                break
            if call is None:
                return calls, True
            calls.append(call)
        return calls, False

    def _deliver(self, outcome: Outcome) -> None:
        self.refused += outcome.refused
        deliver(outcome, self.perform)

    def _tell(self, call: Callable[..., object], *what: object) -> None:
        """On the event loop; if that is gone, there is nobody to tell."""
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(call, *what)
        except RuntimeError:
            if not self._loop.is_closed():
                raise
