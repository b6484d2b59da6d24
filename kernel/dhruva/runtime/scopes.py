"""Scopes as people hold them: where requests are made, and what is left when everything in it has ended."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Final, NamedTuple, TypeVar, overload

from dhruva.cells import Change, Kind
from dhruva.ids import Priority, ScopeId
from dhruva.inputs import Ask, CreateScope, Dispose, Mount, Resume, Suspend
from dhruva.limits import UNBOUNDED
from dhruva.runtime.calls import Done, Facts
from dhruva.runtime.context import Context
from dhruva.runtime.handles import NOBODY, Handle
from dhruva.runtime.outcomes import Held, NotRun, Rejected, ScopeKnown
from dhruva.runtime.running import Living, Running, answer_of, error_of
from dhruva.runtime.shell import CLOSED
from dhruva.runtime.store import StoreError
from dhruva.step import Step
from dhruva.table import Refused

T = TypeVar("T")
STORE_FULL: Final = "store_full"
NOWHERE: Final = ScopeId(0)  # no scope has this id
LOOK_AGAIN: Final = 0.02  # seconds until a scope is asked again whether it is disposed, if others hold it
log: Final = logging.getLogger("dhruva.runtime")


class Terms(NamedTuple):
    """What a scope is created with (ACT-13). Those of a scope that is opened again are the first ones."""

    limit: int = UNBOUNDED  # attempts at a time
    spawns: int = UNBOUNDED  # attempts ever, retries included
    retry: int = 0  # new attempts after an error
    retry_on_timeout: bool = False
    queue: int = 0  # requests that may wait; 0: over the limit they are rejected
    timeout: float | None = None  # seconds from commit
    queue_wait: float | None = None  # seconds in the queue
    mount: bool = True  # ready for requests at once (ACT-17)
    raises: bool = False  # a rejection is raised as NotRun, and not returned (ACT-4)


class Scope:
    """`async with authority.scope(name) as scope`: leaving disposes it, and waits for what lives in it."""

    def __init__(self, running: Running, step: Step, name: str, terms: Terms) -> None:
        if terms.limit < 1:
            raise ValueError(f"limit of scope {name!r} is {terms.limit}; it must be at least 1")
        self._running, self._step, self._terms = running, step, terms
        self.name = name
        self.id = NOWHERE
        self.timeout, self.queue_wait = terms.timeout, terms.queue_wait
        self._living: set[Living] = set()
        self._empty: asyncio.Event = asyncio.Event()
        self._rejections: dict[str, Rejected] = {}

    def __repr__(self) -> str:
        return f"<Scope {self.name!r}, {len(self._living)} alive>"

    @property
    def alive(self) -> tuple[Held, ...]:
        """What of this process keeps the scope from being disposed: each is named (ACT-11)."""
        return tuple(living.held for living in self._living)

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
        running = self._running
        if running.closing:
            raise StoreError(CLOSED)
        if running.shell.full:
            return self._rejected(STORE_FULL)
        handle: Handle[Any] = Handle(running, self, body, priority)
        running.shell.submit(handle)
        answer = handle.answer or await handle.asked()
        if isinstance(answer, Refused):
            return self._rejected(answer.because)
        if isinstance(answer, Done):
            return handle
        raise error_of(answer, "the request")

    def _rejected(self, reason: str) -> Rejected:
        """A normal path under load (ACT-4): one value per reason, made once."""
        rejected = self._rejections.get(reason)
        if rejected is None:
            rejected = self._rejections[reason] = Rejected(self.name, str(reason))
        if log.isEnabledFor(logging.DEBUG):
            log.debug("rejected in scope %r: %s", self.name, reason)
        for listener in self._running.on_rejected:
            listener(rejected)
        if self._terms.raises:
            raise NotRun(rejected)
        return rejected

    async def mount(self) -> None:
        """A scope that was created with `mount=False` takes requests from now on."""
        await self._say(Mount(self.id))

    async def suspend(self) -> None:
        """No new attempt and no new worker starts; what runs goes on (ACT-12)."""
        await self._say(Suspend(self.id))

    async def resume(self) -> None:
        await self._say(Resume(self.id))

    async def dispose(self) -> None:
        """Everything in it is asked to end. Returns when it has; cancelling the wait takes nothing back."""
        while not _disposed(await self._say(Dispose(self.id))):
            self._empty.clear()
            if self._living:
                await self._empty.wait()
            else:  # something of another process lives in it
                self._running.environment.later(LOOK_AGAIN, self._empty.set)
                await self._empty.wait()
        self._closed()

    def began(self, living: Living) -> None:
        self._living.add(living)

    def ended(self, living: Living) -> None:
        self._living.discard(living)
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
            raise error_of(answer, f"scope {self.name!r}")
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
        facts.put(f"scope-name:{self.id}", self.name.encode())
        t, capped = self._terms, facts.read((Kind.CAP,)) is not None
        terms = (t.mount, t.limit, t.spawns, t.retry, t.retry_on_timeout, t.queue > 0, t.queue, capped)
        return (CreateScope(self.id, *terms),)

    def _is_disposed(self, facts: Facts, scope: ScopeId) -> bool:
        """What would a request hear? Asking the step tells, and does nothing."""
        asked = self._step(facts.read, Ask(NOBODY, scope, facts.process))
        return isinstance(asked, Refused) and asked.because == "scope_disposed"

    async def _say(self, given: Any) -> Change:
        answer = await answer_of(self._running, lambda _facts: (given,))
        if isinstance(answer, Done):
            return answer.changes[0]
        raise error_of(answer, f"scope {self.name!r}")

    async def __aenter__(self) -> "Scope":
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.dispose()


def _disposed(change: Change) -> bool:
    """The edges say what became of the scope: the same that the models see."""
    return any(edge.machine == "scope" and edge.target == "DISPOSED" for edge in change.edges)
