"""Scopes as people hold them: where requests are made, and what is left when everything in it has ended."""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Final, NamedTuple, TypeVar, overload

from dhruva.cells import Kind
from dhruva.ids import OwnerId, Priority, Ref, RequestId, ScopeId
from dhruva.inputs import Ask, CreateScope, Dispose, Resume, Suspend
from dhruva.limits import UNBOUNDED
from dhruva.runtime.batch import Answer, Done, Facts, PutAside
from dhruva.runtime.bodies import Context
from dhruva.runtime.outcomes import NotAllowed, Rejected, ScopeKnown, WasParked
from dhruva.runtime.running import Handle, Running
from dhruva.runtime.shell import CLOSED
from dhruva.runtime.store import StoreError
from dhruva.step import Step
from dhruva.table import Refused

T = TypeVar("T")
STORE_FULL: Final = "store_full"
NOWHERE: Final = ScopeId(0)  # no scope has this id
NOBODY: Final = RequestId(OwnerId(0))  # nor any request


class Terms(NamedTuple):
    """What a scope is created with (ACT-13). Those of a scope that is opened again are the first ones."""

    limit: int = UNBOUNDED  # attempts at a time
    spawns: int = UNBOUNDED  # attempts ever, retries included
    retry: int = 0  # new attempts after an error
    retry_on_timeout: bool = False
    queue: int = 0  # requests that may wait; 0: over the limit they are rejected
    timeout: float | None = None  # seconds from commit
    queue_wait: float | None = None  # seconds in the queue


class Scope:
    """`async with authority.scope(name) as scope`: leaving disposes it, and waits for what lives in it."""

    def __init__(
        self, running: Running, step: Step, name: str, terms: Terms, on_rejected: Callable[[Rejected], None]
    ) -> None:
        self._running, self._step, self._terms, self._on_rejected = running, step, terms, on_rejected
        self.name = name
        self.id = NOWHERE
        self.timeout, self.queue_wait = terms.timeout, terms.queue_wait
        self._living: set[Handle[Any]] = set()
        self._empty: asyncio.Event = asyncio.Event()

    def __repr__(self) -> str:
        return f"<Scope {self.name!r}, {len(self._living)} alive>"

    @property
    def alive(self) -> tuple[Ref | None, ...]:
        """The attempts that keep this scope from being disposed; None for a request that is queued."""
        return tuple(handle.ref for handle in self._living)

    @overload
    async def request(
        self, body: Callable[[Context], Awaitable[T]], *, priority: Priority = ...
    ) -> Handle[T] | Rejected: ...

    @overload
    async def request(
        self, body: Callable[[Context], T], *, priority: Priority = ...
    ) -> Handle[T] | Rejected: ...

    async def request(
        self, body: Callable[[Context], Any], *, priority: Priority = Priority.NORMAL
    ) -> Handle[Any] | Rejected:
        """Ask for one execution of this body. A handle: it runs, or waits in the queue."""
        if self._running.closing:
            raise StoreError(CLOSED)
        if self._running.shell.full:
            return self._rejected(STORE_FULL)
        handle: Handle[Any] = Handle(self._running, self, body, priority)
        self._living.add(handle)
        answer = await handle.ask()
        if isinstance(answer, Done):
            return handle
        if isinstance(answer, Refused):
            return self._rejected(str(answer.because))
        raise _error(answer)

    def _rejected(self, reason: str) -> Rejected:
        rejected = Rejected(self.name, reason)
        self._on_rejected(rejected)
        return rejected

    async def suspend(self) -> None:
        """No new attempt starts; those that run go on (ACT-12)."""
        await self._say(Suspend(self.id))

    async def resume(self) -> None:
        await self._say(Resume(self.id))

    async def dispose(self) -> None:
        """Everything in it is asked to end. Returns when it has; cancelling the wait takes nothing back."""
        await self._say(Dispose(self.id))
        while self._living:
            self._empty.clear()
            await self._empty.wait()
        self._closed()

    def ended(self, handle: Handle[Any]) -> None:
        self._living.discard(handle)
        if not self._living:
            self._empty.set()

    async def open(self) -> "Scope":
        """Create it, or open the living scope of that name that an earlier process left."""
        if self.name in self._running.scopes:
            raise ScopeKnown(self.name)
        self._running.scopes.add(self.name)
        try:
            answer = await answer_of(self._running, self._create)
        except asyncio.CancelledError:
            self._running.give(lambda _facts: (Dispose(self.id),), lambda _answer: self._closed())
            raise
        if not isinstance(answer, Done):
            self._closed()
            raise _error(answer, f"scope {self.name!r}")
        return self

    def _closed(self) -> None:
        self._running.scopes.discard(self.name)

    def _create(self, facts: Facts) -> tuple[Any, ...]:
        named = f"scope:{self.name}"
        known = facts.payload(named)
        if known is not None and not self._is_disposed(facts, ScopeId(int(known))):
            self.id = ScopeId(int(known))
            return ()
        self.id = ScopeId(facts.new_id())
        facts.put(named, str(self.id).encode())
        t, capped = self._terms, facts.read((Kind.CAP,)) is not None
        terms = (True, t.limit, t.spawns, t.retry, t.retry_on_timeout, t.queue > 0, t.queue, capped)
        return (CreateScope(self.id, *terms),)

    def _is_disposed(self, facts: Facts, scope: ScopeId) -> bool:
        """What would a request hear? Asking the step tells, and does nothing."""
        asked = self._step(facts.read, Ask(NOBODY, scope, facts.process))
        return isinstance(asked, Refused) and asked.because == "scope_disposed"

    async def _say(self, given: Any) -> None:
        answer = await answer_of(self._running, lambda _facts: (given,))
        if not isinstance(answer, Done):
            raise _error(answer, f"scope {self.name!r}")

    async def __aenter__(self) -> "Scope":
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.dispose()


async def answer_of(running: Running, inputs: Callable[[Facts], tuple[Any, ...]]) -> Answer:
    """The answer to one call. Cancelling the wait takes the call back no more."""
    heard: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    running.give(inputs, lambda answer: None if heard.done() else heard.set_result(answer))
    return await heard


def _error(answer: Refused | PutAside | StoreError, what: str = "the request") -> Exception:
    if isinstance(answer, StoreError):
        return answer
    if isinstance(answer, PutAside):
        return WasParked(answer.parked, answer.error)
    return NotAllowed(what, answer)
