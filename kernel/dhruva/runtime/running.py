"""Requests that live in this process: their handles, their bodies, and the effects that concern them.

Nothing here decides. A body starts because `step` said StartBody, its signal is set because `step` said
AbortSignal, and what became of it is read off the edge that its end took.
"""

import asyncio
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any, Final, Generic, Protocol, TypeVar

from dhruva.cells import Change, FollowUp, Kind
from dhruva.effects import AbortSignal, Effect, StartBody
from dhruva.effects import Rejected as ToldRejected
from dhruva.ids import OwnerId, Priority, Ref, RequestId, ScopeId
from dhruva.inputs import Abort, Ask, Fail, Stopped, Succeed, WaitExpired, Withdraw
from dhruva.runtime import codec
from dhruva.runtime.batch import Answer, Call, Done, Facts, PutAside
from dhruva.runtime.bodies import Context, Signal, run_body
from dhruva.runtime.environment import Cancellable, Environment
from dhruva.runtime.outcomes import (
    Aborted,
    AttemptAborted,
    Ended,
    Failed,
    NotRun,
    Rejected,
    Succeeded,
    WasParked,
    Withdrawn,
)
from dhruva.runtime.shell import Shell
from dhruva.runtime.store import CommitUnknown, StoreError
from dhruva.table import Refused

T = TypeVar("T")
FIRST_WAIT: Final = 0.05  # seconds until the end of a body is said again that was not stored
LAST_WAIT: Final = 5.0
_ATTEMPT: Final = Kind.ATTEMPT
_AGAIN: Final = (Kind.FOLLOW, FollowUp.ASK_AGAIN)


class Home(Protocol):
    """The scope of a request, as far as its handle needs it."""

    name: str
    id: ScopeId
    timeout: float | None
    queue_wait: float | None

    def ended(self, handle: "Handle[Any]") -> None:
        """Nothing of this request lives any more."""


class Running:
    """All handles of this process, by request; where their inputs go."""

    def __init__(self, shell: Shell, environment: Environment) -> None:
        self.shell, self.environment = shell, environment
        self.closing = False
        self.scopes: set[str] = set()  # names that are open here
        self.handles: dict[OwnerId, Handle[Any]] = {}
        shell.perform = self.perform

    def perform(self, effect: Effect) -> None:
        """After the transaction. Effects of what is not here have nobody to perform them."""
        if isinstance(effect, StartBody):
            handle = self.handles.get(effect.ref.owner)
            if handle is not None:
                handle.start(effect.ref)
        elif isinstance(effect, AbortSignal):
            handle = self.handles.get(effect.ref.owner)
            if handle is not None:
                handle.signalled(effect.ref, str(effect.reason))
        elif isinstance(effect, ToldRejected):
            handle = self.handles.get(effect.request)
            if handle is not None:
                handle.rejected(str(effect.verdict))

    def give(self, inputs: Callable[[Facts], Sequence[Any]], answered: Callable[[Answer], None]) -> None:
        self.shell.submit(Call(inputs, answered))


class Handle(Generic[T]):
    """A request that was not rejected. Await it for the body's result, or ask for its `outcome`.

    Cancelling whoever awaits it takes a queued request back; a body that runs belongs to its scope, and
    goes on. `abort` asks it to end.
    """

    __slots__ = (
        "_answer",
        "_asking",
        "_before",
        "_body",
        "_home",
        "_id",
        "_outcome",
        "_priority",
        "_running",
        "_signal",
        "_task",
        "_timer",
        "_unwanted",
        "_waiting",
        "asked_at",
        "ref",
    )

    def __init__(
        self, running: Running, home: Home, body: Callable[[Context], Any], priority: Priority
    ) -> None:
        self._running, self._home, self._body, self._priority = running, home, body, priority
        self.asked_at = running.environment.now()
        self.ref: Ref | None = None  # of the newest attempt; None until the first has started
        self._id = RequestId(OwnerId(0))
        self._signal = Signal()
        self._answer: Answer | None = None
        self._asking: asyncio.Future[None] | None = None
        self._unwanted = False
        self._before: Ended | None = None  # how the attempt before a retry ended
        self._outcome: Ended | None = None
        self._waiting: list[asyncio.Future[None]] = []
        self._timer: Cancellable | None = None
        self._task: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<Handle {self.ref or self._id} in {self._home.name!r}: {self._outcome or 'not ended'}>"

    def __await__(self) -> Generator[Any, None, T]:
        return self._result().__await__()

    async def _result(self) -> T:
        ended = await self.outcome()
        if isinstance(ended, Succeeded):
            value: T = ended.value
            return value
        if isinstance(ended, Failed):
            raise ended.error
        if isinstance(ended, Aborted):
            raise AttemptAborted(ended.reason)
        raise NotRun(ended)

    async def outcome(self) -> Ended:
        """How it ended, as a value; raises nothing of the body's."""
        while self._outcome is None:
            heard: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(heard)
            try:
                await heard
            except asyncio.CancelledError:
                self._waiting.remove(heard)
                if not self._waiting and self._outcome is None:
                    self._running.give(lambda _facts: (Withdraw(self._id),), self._asked_to_end)
                raise
        return self._outcome

    async def abort(self) -> bool:
        """Ask it to end: a queued request is taken back, a body gets its signal. False: it has ended."""
        heard: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.end("user", heard)
        return isinstance(await heard, Done)

    # From here on: for the scope and the shell.

    async def ask(self) -> Answer:
        """The authority's answer. Who is cancelled before it comes wants the request no longer."""
        self._running.give(self._ask, self._answered)
        if self._answer is None:
            self._asking = asyncio.get_running_loop().create_future()
            try:
                await self._asking
            except asyncio.CancelledError:
                self._unwanted = True
                if isinstance(self._answer, Done):
                    self.end("user")
                raise
        assert self._answer is not None
        return self._answer

    def _ask(self, facts: Facts) -> Sequence[Any]:
        self._id = RequestId(OwnerId(facts.new_id()))
        return (Ask(self._id, self._home.id, facts.process, self._priority),)

    def _answered(self, answer: Answer) -> None:
        self._answer = answer
        if isinstance(answer, Done):
            self._running.handles[self._id] = self
            if self._home.queue_wait is not None and not _starts(answer.changes[0]):
                self._after(self._home.queue_wait, WaitExpired(self._id))
            if self._unwanted:
                self.end("user")
        else:
            self._home.ended(self)
        if self._asking is not None and not self._asking.done():
            self._asking.set_result(None)

    def end(self, reason: str, heard: "asyncio.Future[Answer] | None" = None) -> None:
        """Take it back if it is queued, abort it if it runs."""

        def answered(answer: Answer) -> None:
            self._asked_to_end(answer)
            if heard is not None and not heard.done():
                heard.set_result(answer)

        self._running.give(partial(self._end, reason), answered)

    def _end(self, reason: str, facts: Facts) -> Sequence[Any]:
        """Which of the two is looked up in the transaction, where nothing can come between."""
        if facts.read((Kind.REQUEST, self._id)) is not None:
            return (Withdraw(self._id),)
        newest = 1 if self.ref is None else self.ref.number
        refs = [Ref(self._id, 1, newest + 1), Ref(self._id, 1, newest)]  # a retry may have started just now
        living = refs[0] if facts.read((_ATTEMPT, refs[0])) is not None else refs[1]
        return (codec.make(Abort, living, reason),)

    def _asked_to_end(self, answer: Answer) -> None:
        if isinstance(answer, StoreError) and self._running.closing:
            self._leave_to_recovery(answer)
        if isinstance(answer, Done) and answer.changes[0].edges[0].target == "withdrawn":
            self.finish(self._before or Withdrawn())

    def _leave_to_recovery(self, fault: StoreError) -> None:
        """The store takes nothing, and the process leaves all the same: opening it again settles the rest."""
        if self.ref is None:
            self.finish(Failed(fault))
        else:
            self._signal.set("shutdown")

    def start(self, ref: Ref) -> None:
        self._stop_timer()
        self.ref, self._signal = ref, Signal()
        self._task = asyncio.get_running_loop().create_task(self._run(Context(ref, self._signal)))
        if self._home.timeout is not None:
            self._after(self._home.timeout, codec.make(Abort, ref, "timeout"))

    def _after(self, seconds: float, given: Any) -> None:
        """Give this input then; if it is too late by then, it is refused and changes nothing."""
        give = partial(self._running.give, lambda _facts: (given,), lambda _answer: None)
        self._timer = self._running.environment.later(seconds, give)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _run(self, context: Context) -> None:
        ref = context.ref
        given: Any = Fail(ref)
        ended: Ended
        try:
            ended = Succeeded(await run_body(self._body, context))
            given = Succeed(ref)
        except asyncio.CancelledError as fault:
            ended = Failed(fault)
            given = Stopped(ref) if context.signal.aborted else given
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - it is the body's, and told to who awaits it
            ended = Failed(fault)
        self._tell(given, ended, None)

    def _tell(self, given: Any, ended: Ended, failed: float | None) -> None:
        """`failed`: for how many seconds it was waited before, because the store did not take it."""
        self._running.give(lambda _facts: (given,), partial(self._observed, given, ended, failed))

    def _observed(self, given: Any, ended: Ended, failed: float | None, answer: Answer) -> None:
        """The end of the body is durable: what the attempt came to stands in the edge that it took."""
        self._stop_timer()
        if isinstance(answer, StoreError):
            self._not_stored(given, ended, failed, answer)
        elif isinstance(answer, PutAside):
            self.finish(Failed(WasParked(answer.parked, answer.error)))
        elif isinstance(answer, Refused):
            self.finish(Aborted(self._signal.reason or answer.because))
        else:
            change = answer.changes[0]
            aborted = change.edges[0].target == "aborted"
            self._before = Aborted(self._signal.reason or "") if aborted else ended
            if (*_AGAIN, self._id) not in change.writes and self._before != Aborted(""):
                self.finish(self._before)

    def _not_stored(self, given: Any, ended: Ended, failed: float | None, fault: StoreError) -> None:
        """What was observed is said again until the store takes it, or is left: the slot hangs on it."""
        if self._running.closing or isinstance(fault, CommitUnknown):
            self.finish(Failed(fault))
            return
        wait = FIRST_WAIT if failed is None else min(2 * failed, LAST_WAIT)
        again = partial(self._tell, given, ended, wait)
        self._timer = self._running.environment.later(wait, again)

    def signalled(self, ref: Ref, reason: str) -> None:
        if ref != self.ref:
            return
        self._signal.set(reason)
        if self._before == Aborted(""):  # it was asked to end and ended in one transaction
            self.finish(Aborted(reason))

    def rejected(self, reason: str) -> None:
        """It was queued, or wanted to try again, and may not."""
        if isinstance(self._before, Failed):
            self.finish(Failed(self._before.error, reason))
        else:
            self.finish(self._before or Rejected(self._home.name, reason))

    def finish(self, outcome: Ended) -> None:
        if self._outcome is not None:
            return
        self._outcome = outcome
        self._stop_timer()
        self._running.handles.pop(self._id, None)
        for heard in self._waiting:
            if not heard.done():
                heard.set_result(None)
        self._waiting.clear()
        self._home.ended(self)


def _starts(change: Change) -> bool:
    return any(isinstance(effect, StartBody) for effect in change.effects)
