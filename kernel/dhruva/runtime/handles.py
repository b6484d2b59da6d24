"""The handle of a one-off request: its attempts, one after the other, and what became of it."""

import asyncio
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Final, Generic, TypeVar

from dhruva.cells import Change, FollowUp, Kind
from dhruva.effects import StartBody
from dhruva.ids import OwnerId, Priority, ProcessId, Ref, RequestId
from dhruva.inputs import Abort, Ask, Fail, Stopped, Succeed, WaitExpired, Withdraw
from dhruva.runtime import codec
from dhruva.runtime.bodies import BEGUN, begun, is_async, named, run_plain
from dhruva.runtime.calls import Answer, Done, Facts, PutAside
from dhruva.runtime.context import Context
from dhruva.runtime.environment import Cancellable
from dhruva.runtime.outcomes import (
    Aborted,
    AttemptAborted,
    Ended,
    Failed,
    Held,
    NotRun,
    Rejected,
    Succeeded,
    WasParked,
    Withdrawn,
)
from dhruva.runtime.running import Home, Running, look
from dhruva.runtime.store import StoreError
from dhruva.runtime.waits import Waits, why_of
from dhruva.table import Refused
from dhruva.why import Reason, Why, said

T = TypeVar("T")
NOBODY: Final = RequestId(OwnerId(0))  # no request has this id
_ATTEMPT: Final = Kind.ATTEMPT
_FOLLOW: Final = Kind.FOLLOW
_AGAIN: Final = FollowUp.ASK_AGAIN
_ACCEPTED: Final = Done(())  # what was changed is not held on to for as long as the body runs
_ABORTED_SOMEHOW: Final = Aborted("")  # the reason comes with the effect of the same transaction
_new: Final = tuple.__new__


class Handle(Generic[T]):
    """A request that was not rejected. Await it for the body's result, or ask for its `outcome`.

    Cancelling whoever awaits it takes a queued request back; a body that runs belongs to its scope, and
    goes on. `abort` asks it to end.
    """

    # What most requests never need is no field of theirs until it is set.
    asked_at: datetime  # when it was made (ACT-1); that of a rejected one nobody needs
    ref: Ref | None = None  # of the newest attempt; None until the first has started
    answer: Answer | None = None
    _id: RequestId = NOBODY
    _context: Context | None = None
    _asking: "asyncio.Future[None] | None" = None
    _unwanted = False
    _asks_again = False  # an attempt has ended, and another is wanted
    _seen: Ended[T] | None = None  # how the body ended, not yet stored
    _before: Ended[T] | None = None  # how the attempt before a retry ended
    _outcome: Ended[T] | None = None
    _waiting: "list[asyncio.Future[None]] | None" = None
    _timer: Cancellable | None = None
    _task: "asyncio.Task[None] | None" = None

    def __init__(
        self, running: Running, home: Home, body: Callable[[Context], Any], priority: Priority
    ) -> None:
        self._running, self._home, self._body, self._priority = running, home, body, priority
        if home.queue_wait is not None:
            self.asked_at = running.environment.now()

    def __repr__(self) -> str:
        return f"<Handle {self.ref or self._id} in {self._home.name!r}: {self._outcome or 'not ended'}>"

    @property
    def held(self) -> Held:
        reason = None if self._context is None else self._context.signal.said
        what = "request" if self.ref is None else "attempt"
        return Held(what, named(self._body), self.ref, reason, not is_async(self._body))

    def __await__(self) -> Generator[Any, None, T]:
        return self._result().__await__()

    async def _result(self) -> T:
        ended = self._outcome or await self.outcome()
        if isinstance(ended, Succeeded):
            return ended.value
        if isinstance(ended, Failed):
            raise ended.error
        if isinstance(ended, Aborted):
            raise AttemptAborted(ended.reason)
        raise NotRun(ended)

    async def outcome(self) -> Ended[T]:
        """How it ended, as a value; raises nothing of the body's."""
        while self._outcome is None:
            heard: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            if self._waiting is None:
                self._waiting = []
            self._waiting.append(heard)
            try:
                await heard
            except asyncio.CancelledError:
                if self._outcome is None:
                    self._waiting.remove(heard)
                    if not self._waiting:
                        self._running.give(lambda _facts: (Withdraw(self._id),), self._asked_to_end)
                raise
        return self._outcome

    async def abort(self) -> bool:
        """Ask it to end: a queued request is taken back, a body gets its signal. False: it has ended."""
        heard: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.end("user", heard)
        return isinstance(await heard, Done)

    async def why(self) -> Waits:
        """What it waits for, and who could move it on (SHL-8)."""
        if self._outcome is not None:
            about = Why((Kind.REQUEST, self._id), None, Reason.ENDED, "ACT-8", _word(self._outcome))
            return Waits(about, named(self._body), said(about), (), None)
        waits = await look(self._running, lambda facts: why_of(facts, self._key(facts)))
        return replace(waits, name=named(self._body))

    # From here on: for the scope and the shell, for which a handle is the call that asks.

    async def asked(self) -> Answer:
        """The authority's answer. Who is cancelled before it comes wants the request no longer."""
        self._home.began(self)
        self._stamp()
        while self.answer is None:
            self._asking = asyncio.get_running_loop().create_future()
            try:
                await self._asking
            except asyncio.CancelledError:
                self._unwanted = True
                if isinstance(self.answer, Done):
                    self.end("user")
                raise
        return self.answer

    def _stamp(self) -> None:
        """Before anything else happens after it was made."""
        if self._home.queue_wait is None:
            self.asked_at = self._running.environment.now()

    def given(self, process: ProcessId, new_id: Callable[[], int]) -> Any:
        """Asks (ACT-1), late if it waited too long on its way."""
        home, request = self._home, new_id()  # type: Home, Any
        self._id = request
        late = home.queue_wait is not None and self._waits_for() < 0
        return _new(Ask, (request, home.id, process, self._priority, late))

    def inputs(self, facts: Facts) -> Sequence[Any]:
        return (self.given(facts.process, facts.new_id),)

    def _waits_for(self) -> float:
        """Seconds that it may still wait: its time counts from when it was made (ACT-13).

        A clock that was set back meanwhile makes nobody wait for longer.
        """
        waited = self._running.environment.now() - self.asked_at
        return (self._home.queue_wait or 0.0) - max(0.0, waited.total_seconds())

    def answered(self, answer: Answer) -> None:
        self.answer = answer
        if isinstance(answer, Done):
            self.answer = _ACCEPTED
            if self._asking is None and self._home.queue_wait is None:
                self.asked_at = self._running.environment.now()
            self._running.handles[self._id] = self
            self._home.began(self)
            if self._home.queue_wait is not None and not _starts(answer.changes[0]):
                self._after(max(0.0, self._waits_for()), WaitExpired(self._id))
            if self._unwanted:
                self.end("user")
        elif self._asking is not None:
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
        kind, which = self._key(facts)
        return (Withdraw(which),) if kind == Kind.REQUEST else (codec.make(Abort, which, reason),)

    def _key(self, facts: Facts) -> tuple[Kind, Any]:
        """The cell that it is now: a request that waits, or its newest attempt."""
        again = (_FOLLOW, _AGAIN, self._id)
        if facts.read((Kind.REQUEST, self._id)) is not None or facts.read(again) is not None:
            return Kind.REQUEST, self._id
        newest = 1 if self.ref is None else self.ref.number
        refs = [Ref(self._id, 1, newest + 1), Ref(self._id, 1, newest)]  # a retry may have started just now
        return _ATTEMPT, refs[0] if facts.read((_ATTEMPT, refs[0])) is not None else refs[1]

    def _asked_to_end(self, answer: Answer) -> None:
        if isinstance(answer, StoreError) and self._running.closing:
            self._leave_to_recovery(answer)
        if isinstance(answer, Done) and answer.changes[0].edges[-1].target == "withdrawn":
            self.finish(self._before or Withdrawn())

    def _leave_to_recovery(self, fault: StoreError) -> None:
        """The store takes nothing, and the process leaves all the same: opening it again settles the rest."""
        if self._context is None:
            self.finish(Failed(fault))
        else:
            self._context.signal.ask("shutdown", self._task)

    def start(self, ref: Ref) -> None:
        if self._timer is not None:
            self._stop_timer()
        self.ref, self._asks_again = ref, False
        self._context = context = Context(self._running, self._home, ref)
        self._task = begun(asyncio.get_running_loop(), self._run(context))
        if self._home.timeout is not None:
            self._after(self._home.timeout, codec.make(Abort, ref, "timeout"))

    def _after(self, seconds: float, given: Any) -> None:
        """Give this input then; if it is too late by then, it is refused and changes nothing."""
        self._timer = self._running.environment.later(seconds, partial(self._running.say, given))

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _run(self, context: Context) -> None:
        ref, body = context.ref, self._body
        try:
            await BEGUN
            value = await (body(context) if is_async(body) else run_plain(body, context))
        except asyncio.CancelledError as fault:
            self._seen = Failed(fault)
            given: Any = Fail(ref) if context.signal.said is None else Stopped(ref)
        except GeneratorExit:  # the loop is gone, and with it whoever could be told
            raise
        except BaseException as fault:  # it is the body's, and told to who awaits it
            self._seen, given = Failed(fault), Fail(ref)
            if isinstance(fault, KeyboardInterrupt):
                self._running.observe(given, self._observed)
                raise
        else:
            self._seen, given = Succeeded(value), _new(Succeed, (ref,))
        self._running.observe(given, self._observed)

    def _observed(self, answer: Answer) -> None:
        """The end of the body is durable: what the attempt came to stands in the edge that it took."""
        if self._timer is not None:
            self._stop_timer()
        if isinstance(answer, Done):
            change = answer.changes[0]
            aborted = change.edges[0].target == "aborted"
            self._before = before = Aborted(self._reason("")) if aborted else self._seen
            if change.follow_ups and (_FOLLOW, _AGAIN, self._id) in change.writes:
                self._ask_again()
            elif before is not None and not (aborted and before == _ABORTED_SOMEHOW):
                self.finish(before)
        elif isinstance(answer, PutAside):
            self.finish(Failed(WasParked(answer.parked, answer.error)))
        elif isinstance(answer, Refused):
            self.finish(Aborted(self._reason(answer.because)))
        else:
            self.finish(Failed(answer))

    def _reason(self, otherwise: str) -> str:
        reason = None if self._context is None else self._context.signal.said
        return reason or str(otherwise)

    def _ask_again(self) -> None:
        """A retry that must wait in the queue waits no longer than a request (ACT-10, ACT-13)."""
        self._asks_again = True
        if self._home.queue_wait is not None:
            self._after(self._home.queue_wait, WaitExpired(self._id))

    def signalled(self, ref: Ref, reason: str) -> None:
        if ref != self.ref or self._context is None:
            return
        self._context.signal.ask(reason, self._task)
        if self._before == _ABORTED_SOMEHOW:  # it was asked to end and ended in one transaction
            self._before = Aborted(reason)
            if not self._asks_again:
                self.finish(self._before)

    def rejected(self, reason: str) -> None:
        """It was queued, or wanted to try again, and may not."""
        self._running.told_rejected(Rejected(self._home.name, reason))
        if isinstance(self._before, Failed):
            self.finish(Failed(self._before.error, reason))
        else:
            self.finish(self._before or Rejected(self._home.name, reason))

    def finish(self, outcome: Ended[T]) -> None:
        if self._outcome is not None:
            return
        self._outcome = outcome
        if self._timer is not None:
            self._stop_timer()
        self._running.handles.pop(self._id, None)
        if self._waiting is not None:
            for heard in self._waiting:
                if not heard.done():
                    heard.set_result(None)
        self._home.ended(self)


def _starts(change: Change) -> bool:
    return any(isinstance(effect, StartBody) for effect in change.effects)


def _word(outcome: Ended[Any]) -> str:
    """How it ended, in one word; an abort by its reason."""
    return outcome.reason if isinstance(outcome, Aborted | Rejected) else type(outcome).__name__.lower()
