"""What lives in this process: who is told of which effect, and how something is said until the store has it.

Nothing here decides. A body starts because `step` said StartBody, its signal is set because `step` said
AbortSignal; what was observed is given to `step` as an input.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Protocol, TypeVar

from dhruva.effects import AbortSignal, Effect, EndResource, StartBody
from dhruva.effects import Rejected as ToldRejected
from dhruva.ids import OwnerId, ProcessId, Ref
from dhruva.runtime.calls import Answer, Call, Done, Facts, PutAside
from dhruva.runtime.environment import Environment
from dhruva.runtime.outcomes import Ended, Held, NotAllowed, Rejected, WasParked
from dhruva.runtime.shell import Shell
from dhruva.runtime.store import CommitUnknown, StoreError
from dhruva.table import Refused

T = TypeVar("T")
log: Final = logging.getLogger("dhruva.runtime")
FIRST_WAIT: Final = 0.05  # seconds until something that was observed, and not stored, is said again
LAST_WAIT: Final = 5.0


class Living(Protocol):
    """Something that keeps a scope from being disposed."""

    @property
    def held(self) -> Held:
        """What it is, for whoever asks what a scope waits for."""


class Home(Protocol):
    """The scope of what lives, as far as that needs it."""

    name: str
    id: Any
    timeout: float | None
    queue_wait: float | None

    def began(self, living: Living) -> None:
        """It keeps the scope from being disposed."""

    def ended(self, living: Living) -> None:
        """No longer."""


class Owner(Protocol):
    """Whoever is told of the attempts of one owner: a handle."""

    def start(self, ref: Ref) -> None: ...

    def signalled(self, ref: Ref, reason: str) -> None: ...

    def rejected(self, reason: str) -> None: ...

    def end(self, reason: str) -> None: ...

    async def outcome(self) -> Ended[Any]: ...


class Resource(Protocol):
    """A worker, handler or stream."""

    def asked_to_end(self) -> None: ...

    async def gone(self) -> None: ...


class Running:
    """Everything of this process that effects are about; where inputs go."""

    def __init__(self, shell: Shell, environment: Environment) -> None:
        self.shell, self.environment = shell, environment
        self.closing = False
        self.scopes: set[str] = set()  # names that are open here
        self.handles: dict[OwnerId, Owner] = {}
        self.resources: dict[tuple[Ref, int], Resource] = {}
        self.inherited: tuple[int, ...] = ()  # descriptors that a child process holds on to (LIF-15)
        self.on_rejected: list[Callable[[Rejected], None]] = []
        self.performs: dict[type, Callable[[Any], None]] = {
            StartBody: self._start,
            AbortSignal: self._signal,
            ToldRejected: self._rejected,
            EndResource: self._end,
        }
        shell.perform = self.perform

    def perform(self, effect: Effect) -> None:
        """After the transaction. Effects of what is not here have nobody to perform them."""
        perform = self.performs.get(type(effect))
        if perform is not None:
            perform(effect)

    def _start(self, effect: StartBody) -> None:
        owner = self.handles.get(effect.ref.owner)
        if owner is not None:
            owner.start(effect.ref)

    def _signal(self, effect: AbortSignal) -> None:
        owner = self.handles.get(effect.ref.owner)
        if owner is not None:
            owner.signalled(effect.ref, str(effect.reason))

    def _rejected(self, effect: ToldRejected) -> None:
        owner = self.handles.get(effect.request)
        if owner is not None:
            owner.rejected(str(effect.verdict))

    def told_rejected(self, rejected: Rejected) -> None:
        """Whoever listens hears of it (ACT-4). One that raises keeps nobody else from hearing."""
        if log.isEnabledFor(logging.DEBUG):
            log.debug("rejected in scope %r: %s", rejected.scope, rejected.reason)
        for listener in self.on_rejected:
            try:
                listener(rejected)
            except Exception:
                log.exception("a listener to rejections raised")

    def _end(self, effect: EndResource) -> None:
        resource = self.resources.get((effect.ref, effect.number))
        if resource is not None:
            resource.asked_to_end()

    def give(self, inputs: Callable[[Facts], Sequence[Any]], answered: Callable[[Answer], None]) -> None:
        self.shell.submit(Call(inputs, answered))

    def say(self, given: Any) -> None:
        """Give this input. If it is too late for it, it is refused and changes nothing."""
        self.shell.submit(Said(given, _unheard))

    def observe(self, given: Any, then: Callable[[Answer], None]) -> None:
        """Say what was observed, until the store takes it."""
        self.shell.submit(Observed(self, given, then))

    async def shut_down(self) -> None:
        """Everything here is asked to end, and has."""
        for owner in [*self.handles.values()]:
            owner.end("shutdown")
        await asyncio.gather(*(owner.outcome() for owner in [*self.handles.values()]))
        await asyncio.gather(*(resource.gone() for resource in [*self.resources.values()]))


class Said:
    """One input, and who hears the answer."""

    __slots__ = ("_given", "answered")

    def __init__(self, given: Any, answered: Callable[[Answer], None]) -> None:
        self._given, self.answered = given, answered

    def given(self, _process: ProcessId, _new_id: Callable[[], int]) -> Any:
        return self._given

    def inputs(self, _facts: Facts) -> Sequence[Any]:
        return (self._given,)


class Insisted:
    """Said again until the store takes it: a slot may hang on it. A subclass says what."""

    __slots__ = ("_running", "_then", "_waited")

    def __init__(self, running: Running, then: Callable[[Answer], None]) -> None:
        self._running, self._then = running, then
        self._waited: float | None = None

    def inputs(self, facts: Facts) -> Sequence[Any]:
        raise NotImplementedError

    def answered(self, answer: Answer) -> None:
        """Where the process leaves, or nobody can tell what is stored, opening the store again settles it."""
        retried = isinstance(answer, StoreError) and not isinstance(answer, CommitUnknown)
        if not retried or self._running.closing:
            self._then(answer)
            return
        self._waited = FIRST_WAIT if self._waited is None else min(2 * self._waited, LAST_WAIT)
        self._running.environment.later(self._waited, partial(self._running.shell.submit, self))


class Observed(Insisted):
    """One input that says what was observed."""

    __slots__ = ("_given",)

    def __init__(self, running: Running, given: Any, then: Callable[[Answer], None]) -> None:
        self._running, self._given, self._then, self._waited = running, given, then, None

    def given(self, _process: ProcessId, _new_id: Callable[[], int]) -> Any:
        return self._given

    def inputs(self, _facts: Facts) -> Sequence[Any]:
        return (self._given,)


def _unheard(_answer: Answer) -> None:
    """Nobody waits for it."""


async def answer_of(running: Running, inputs: Callable[[Facts], Sequence[Any]]) -> Answer:
    """The answer to one call. Cancelling the wait takes the call back no more."""
    heard: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    running.give(inputs, lambda answer: None if heard.done() else heard.set_result(answer))
    return await heard


async def look(running: Running, reads: Callable[[Facts], T]) -> T:
    """What this returns, called in a transaction of its own; it may set nothing."""
    found: list[T] = []
    raised: list[Exception] = []

    def inputs(facts: Facts) -> tuple[()]:
        try:
            found.append(reads(facts))
        except Exception as fault:  # noqa: BLE001 - raised again where it was asked for
            raised.append(fault)
        return ()

    answer = await answer_of(running, inputs)
    if raised:
        raise raised[-1]
    if not isinstance(answer, Done):
        raise error_of(answer, "the store")
    return found[-1]


def error_of(answer: Refused | PutAside | StoreError, what: str) -> Exception:
    """The answer that is no Done, to be raised."""
    if isinstance(answer, StoreError):
        return answer
    if isinstance(answer, PutAside):
        return WasParked(answer.parked, answer.error)
    return NotAllowed(what, answer)
