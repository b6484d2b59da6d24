"""Scopes as people hold them: where requests are made, and what is left when everything in it has ended."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Final, NamedTuple, TypeVar, overload

import msgspec

from dhruva.cells import Change, Kind
from dhruva.ids import Priority, ScopeId
from dhruva.inputs import Ask, CreateScope, Dispose, Mount, Resume, Suspend
from dhruva.limits import NAME_LENGTH_MAX, UNBOUNDED
from dhruva.runtime.calls import Done, Facts
from dhruva.runtime.context import Context
from dhruva.runtime.handles import NOBODY, Handle
from dhruva.runtime.outcomes import Held, NotRun, OtherTerms, Rejected, ScopeKnown
from dhruva.runtime.running import Living, Running, answer_of, error_of, look
from dhruva.runtime.shell import CLOSED
from dhruva.runtime.store import StoreError
from dhruva.runtime.waits import Waits, why_of
from dhruva.step import Step
from dhruva.table import Refused

T = TypeVar("T")
STORE_FULL: Final = "store_full"
NOWHERE: Final = ScopeId(0)  # no scope has this id
WAITS: Final = "scope-waits:"  # payload: timeout and queue wait, in seconds
LANES: Final = frozenset(Priority)
LOOK_AGAIN: Final = 0.02  # seconds until a scope is asked again whether it is disposed, if others hold it


class Terms(NamedTuple):
    """What a scope is created with (ACT-13). None: as the living scope has it, or the default."""

    limit: int | None = None  # attempts at a time; no limit by default
    spawns: int | None = None  # attempts ever, retries included; no limit by default
    retry: int | None = None  # new attempts after an error; 0 by default
    retry_on_timeout: bool | None = None
    queue: int | None = None  # requests that may wait; by default 0: over the limit they are rejected
    timeout: float | None = None  # seconds from commit
    queue_wait: float | None = None  # seconds in the queue


DEFAULTS: Final = Terms(UNBOUNDED, UNBOUNDED, 0, False, 0)
LEAST: Final = {"limit": 1, "spawns": 1, "retry": 0, "queue": 0}


def checked(name: str, terms: Terms) -> Terms:
    """These terms, if they are some. Raises ValueError, which names the field and its value."""
    if not 1 <= len(name) <= NAME_LENGTH_MAX:
        raise ValueError(f"name of a scope is {name!r:.100}; it must have 1 to {NAME_LENGTH_MAX} characters")
    for field, least in LEAST.items():
        value = getattr(terms, field)
        if value is not None and (not isinstance(value, int) or value < least):
            raise ValueError(f"{field} of scope {name!r} is {value!r}; it must be a number from {least} on")
    for field in ("timeout", "queue_wait"):
        value = getattr(terms, field)
        if value is not None and not 0 < value < float("inf"):
            raise ValueError(f"{field} of scope {name!r} is {value!r}; it must be above 0, in seconds")
    return terms


class Scope:
    """`async with authority.scope(name) as scope`: leaving disposes it, and waits for what lives in it."""

    timeout: float | None = None
    queue_wait: float | None = None
    _made = False  # by this very object; else it was there
    _other: OtherTerms | None = None

    def __init__(
        self, running: Running, step: Step, name: str, terms: Terms, mount: bool = True, raises: bool = False
    ) -> None:
        self._running, self._step, self._terms = running, step, checked(name, terms)
        self._mount, self._raises = mount, raises
        self.name = name
        self.id = NOWHERE
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
        _look_at(self.name, body, priority)
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
        self._running.told_rejected(rejected)
        if self._raises:
            raise NotRun(rejected)
        return rejected

    async def why(self) -> Waits:
        """What it waits for, and who could move it on; what holds its slots is named (SHL-8)."""
        return await look(self._running, lambda facts: why_of(facts, (Kind.SCOPE, self.id)))

    async def mount(self) -> None:
        """A scope that was created with `mount=False` takes requests from now on."""
        await self._say(Mount(self.id))

    async def suspend(self) -> None:
        """No new attempt and no new worker starts; what runs goes on (ACT-12)."""
        await self._say(Suspend(self.id))

    async def resume(self) -> None:
        """What was suspended takes requests again, and what waits in it goes on."""
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
        """Create it, or open the living scope of that name that another process, or an earlier one, left."""
        if self.name in self._running.scopes:
            raise ScopeKnown(self.name)
        self._running.scopes.add(self.name)
        try:
            answer = await answer_of(self._running, self._create)
        except asyncio.CancelledError:
            self._running.give(self._not_wanted, lambda _answer: self._closed())
            raise
        fault = error_of(answer, f"scope {self.name!r}") if not isinstance(answer, Done) else self._other
        if fault is not None:
            self._closed()
            raise fault
        return self

    def _not_wanted(self, _facts: Facts) -> tuple[Any, ...]:
        """Who was cancelled while it opened takes back what it made, and nothing that was there before."""
        return (Dispose(self.id),) if self._made else ()

    def _closed(self) -> None:
        self._running.scopes.discard(self.name)

    def _create(self, facts: Facts) -> tuple[Any, ...]:
        called = f"scope:{self.name}"
        known = facts.payload(called)
        if known is not None and not self._is_disposed(facts, ScopeId(int(known))):
            self.id = ScopeId(int(known))
            self._take(_stored(facts, self.id))
            return ()
        self.id, self._made = ScopeId(facts.new_id()), True
        facts.put(called, str(self.id).encode())
        facts.put(f"scope-name:{self.id}", self.name.encode())
        t = self._take(DEFAULTS)
        if t.timeout is not None or t.queue_wait is not None:
            facts.put(f"{WAITS}{self.id}", msgspec.json.encode((t.timeout, t.queue_wait)))
        capped = facts.read((Kind.CAP,)) is not None
        terms = (self._mount, t.limit, t.spawns, t.retry, t.retry_on_timeout, bool(t.queue), t.queue, capped)
        return (CreateScope(self.id, *terms),)  # type: ignore[arg-type]

    def _take(self, stored: Terms) -> Terms:
        """The terms from now on: those it has, or, of a scope that is new, those that were asked for."""
        asked = {name: value for name, value in self._terms._asdict().items() if value is not None}
        if not self._made:
            for name, value in asked.items():
                has = getattr(stored, name)
                if value != has:
                    self._other = OtherTerms(self.name, name, None if has == UNBOUNDED else has, value)
            asked = {}
        terms = stored._replace(**asked)
        self.timeout, self.queue_wait = terms.timeout, terms.queue_wait
        return terms

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


def _look_at(scope: str, body: object, priority: object) -> None:
    """Raises what says what is wrong with a request, if something is."""
    if not callable(body):
        hint = " (a coroutine: leave the call out)" if inspect.iscoroutine(body) else ""
        raise TypeError(f"body of a request in scope {scope!r} is {body!r:.100}{hint}; it is a function")
    if priority not in LANES:
        raise ValueError(f"priority of a request in scope {scope!r} is {priority!r:.100}; it is 0 to 3")


def _disposed(change: Change) -> bool:
    """The edges say what became of the scope: the same that the models see."""
    return any(edge.machine == "scope" and edge.target == "DISPOSED" for edge in change.edges)


def _stored(facts: Facts, scope: ScopeId) -> Terms:
    """The terms that a living scope was created on."""
    waits = facts.payload(f"{WAITS}{scope}")
    timeout, queue_wait = (None, None) if waits is None else msgspec.json.decode(waits)
    policy = facts.read((Kind.POLICY, scope))
    counts = (policy.max_concurrent, policy.max_spawns, policy.retry, policy.retry_on_timeout)
    return Terms(*counts, policy.max_queued, timeout, queue_wait)
