"""The shell: takes calls, runs them in batches, and when a batch is durable answers and performs (SHL-2).

In memory a call is run where it is made (inline.py), and the same calls in the same order
give the same run. On a durable store one thread owns the connection and takes whatever is queued as one
batch: a single caller is committed at once, a hundred share one sync, and the event loop waits for no disk.
When nothing is asked of it, that thread looks whether another process has written, and now and then
whether one is gone.
"""

import asyncio
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator
from time import monotonic, perf_counter, sleep
from typing import Any, Final, Protocol

from dhruva.effects import Effect
from dhruva.runtime.calls import Asking, Outcome
from dhruva.runtime.engine import Engine
from dhruva.runtime.store import StoreError

BATCH_MAX: Final = 256  # calls in one transaction
QUEUED_MAX: Final = 100_000  # calls that may wait for the writer
SHARE: Final = 0.0  # seconds that answers and effects may take of the event loop in one go
STRETCH: Final = 0.001  # seconds that the writer may keep the interpreter to itself
BREATH: Final = 0.00002  # seconds for which it then leaves it to others
IDLE: Final = 0.02  # seconds between looks at what other processes wrote
AWAITED: Final = 0.004  # the same, while someone here waits for a task
WATCH: Final = 0.5  # seconds between looks at whether other processes live
CLOSED: Final = "the authority is closed"
NOT_OPEN: Final = "the authority is not open: enter it first, as in `async with Authority() as authority`"
log: Final = logging.getLogger("dhruva.runtime")

Perform = Callable[[Effect], None]
Told = Callable[[Outcome], None]


class Shell(Protocol):
    """Where calls go. After a transaction its callers are answered, `told` hears all that it came to, and
    `perform` is given each effect."""

    perform: Perform
    told: Told
    refused: int  # refusals are counted, and leave no link (SHL-7)

    @property
    def full(self) -> bool:
        """Whether so much waits that new work is to be turned away (SHL-10)."""

    @property
    def engine(self) -> Engine:
        """Where batches run; there once the shell has started."""

    @property
    def inherited(self) -> tuple[int, ...]:
        """Descriptors that a child process which runs a body holds on to (LIF-15)."""

    async def start(self) -> None: ...

    def submit(self, call: Asking) -> None:
        """The call is answered once it is durable, on the event loop."""

    async def close(self) -> None:
        """Everything that was submitted has been answered, and the store is closed."""


def nothing(_effect: Effect) -> None:
    """Performs nothing."""


def nobody(_outcome: Outcome) -> None:
    """Hears nothing."""


def deliver(outcome: Outcome, perform: Perform, told: Told) -> Iterator[None]:
    """Answers first, so that who asked for a body knows of it when it starts. May pause at each yield."""
    for call, answer in outcome.answers:
        _safely(call.answered, answer)
        yield
    _safely(told, outcome)
    for effect in outcome.effects:
        _safely(perform, effect)
        yield


def _safely(hears: Callable[[Any], None], what: Any) -> None:
    """Who raises when it hears of something keeps nobody else from hearing."""
    try:
        hears(what)
    except Exception:
        log.exception("%s raised", getattr(hears, "__qualname__", hears))


class Post:
    """An engine in its place: what is to be done there besides running batches."""

    inherited: tuple[int, ...] = ()  # descriptors that a child process which runs a body holds on to

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def watch(self, told: Told) -> None:
        """Look whether other processes are gone, and settle what they left."""

    def close(self) -> None:
        """This process serves the store no longer."""
        self.engine.store.close()


class ThreadShell:
    """One writer thread owns the store, from its opening to its end."""

    def __init__(self, take_post: Callable[[], Post]) -> None:
        self._take_post = take_post
        self._calls: queue.SimpleQueue[Asking | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Future[None] | None = None
        self._post: Post | None = None
        self._inbox: deque[Iterator[None]] = deque()
        self._watched = self._paused = 0.0
        self._shut: str | None = NOT_OPEN
        self._pumping = False
        self.perform: Perform = nothing
        self.told: Told = nobody
        self.refused = 0

    @property
    def full(self) -> bool:
        return self._calls.qsize() >= QUEUED_MAX

    @property
    def engine(self) -> Engine:
        assert self._post is not None, "the shell has not started"
        return self._post.engine

    @property
    def inherited(self) -> tuple[int, ...]:
        return () if self._post is None else self._post.inherited

    async def start(self) -> None:
        """Raises what opening the store raised."""
        self._loop = asyncio.get_running_loop()
        opened: asyncio.Future[None] = self._loop.create_future()
        self._ended = self._loop.create_future()
        self._thread = threading.Thread(target=self._serve, args=(opened,), name="dhruva-writer", daemon=True)
        self._thread.start()
        await asyncio.shield(opened)
        self._shut = None

    def submit(self, call: Asking) -> None:
        if self._shut is not None:
            call.answered(StoreError(self._shut))
        else:
            self._calls.put(call)

    async def close(self) -> None:
        self._shut = CLOSED
        self._calls.put(None)
        if self._ended is not None:
            await asyncio.shield(self._ended)

    # In the writer thread.

    def _serve(self, opened: "asyncio.Future[None]") -> None:
        assert self._ended is not None
        try:
            self._post = post = self._take_post()
            self._watch(post)
        except BaseException as fault:  # noqa: BLE001 - told to whoever opens the store
            if self._post is not None:
                self._post.close()
            self._tell(opened.set_exception, fault)
            self._tell(self._ended.set_result, None)
            return
        self._tell(opened.set_result, None)
        post.engine.pause = self._pause
        try:
            while self._turn(post):
                pass
        finally:
            post.close()
            self._tell(self._deliver, self._end())

    def _pause(self) -> None:
        """The interpreter would be left to the event loop after 5 ms only, which is late for what it does."""
        if perf_counter() - self._paused > STRETCH:
            sleep(BREATH)
            self._paused = perf_counter()

    def _watch(self, post: Post) -> None:
        post.watch(self._came)
        self._watched = monotonic()

    def _came(self, outcome: Outcome) -> None:
        self._tell(self._deliver, self._delivery(outcome))

    def _turn(self, post: Post) -> bool:
        """One batch, if there is something to do. False: it was the last."""
        engine = post.engine
        calls, last = self._take(engine)
        self._paused = perf_counter()
        if calls or engine.more or engine.store.moved_on():
            self._came(engine.run(calls))
        while last and engine.more:
            self._came(engine.run(()))
        if not last and monotonic() - self._watched > WATCH:
            try:
                self._watch(post)
            except StoreError:
                self._watched = monotonic()  # the next batch says what is wrong with the store
        return not last

    def _take(self, engine: Engine) -> tuple[list[Asking], bool]:
        """What is queued now; if nothing is, the first to come soon and what is there by then."""
        calls: list[Asking] = []
        wait = None if engine.more else AWAITED if engine.awaited else IDLE
        while len(calls) < BATCH_MAX:
            try:
                call = self._calls.get(block=wait is not None and not calls, timeout=wait)
            except queue.Empty:
                break
            if call is None:
                return calls, True
            calls.append(call)
        return calls, False

    def _tell(self, call: Callable[..., object], *what: object) -> None:
        """On the event loop; if that is gone, there is nobody to tell."""
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(call, *what)
        except RuntimeError:
            if not self._loop.is_closed():
                raise

    # On the event loop.

    def _delivery(self, outcome: Outcome) -> Iterator[None]:
        self.refused += outcome.refused
        yield from deliver(outcome, self.perform, self.told)

    def _end(self) -> Iterator[None]:
        assert self._ended is not None
        self._ended.set_result(None)
        yield

    def _deliver(self, delivery: Iterator[None]) -> None:
        self._inbox.append(delivery)
        if not self._pumping:
            self._pump()

    def _pump(self) -> None:
        """All in order, but never for long: what else runs on the loop has its turn in between."""
        assert self._loop is not None
        self._pumping = True
        until = perf_counter() + SHARE
        while self._inbox:
            for _ in self._inbox[0]:
                if perf_counter() > until:
                    self._loop.call_soon(self._pump)
                    return
            self._inbox.popleft()
        self._pumping = False
