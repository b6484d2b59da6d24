"""The shell of a store in memory: each call is run where it is made. No queue, no thread.

Most calls are one input that needs no other facts than an id: a request asks, a body has ended. Such a call
is a transaction of its own, stepped on the cells as they are and written at once. Everything else, and
whatever concerns tasks, goes through a batch like on any store.
"""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final

from dhruva.cells import Change
from dhruva.effects import Effect
from dhruva.ids import ProcessId
from dhruva.runtime import codec, journal
from dhruva.runtime.calls import Asking, Done
from dhruva.runtime.engine import Engine
from dhruva.runtime.memory import MemoryStore
from dhruva.runtime.shell import CLOSED, NOT_OPEN, Perform, Told, deliver, nobody, nothing
from dhruva.runtime.store import START, Head, StoreError
from dhruva.table import Refused

log: Final = logging.getLogger("dhruva.runtime")
Given = Callable[[ProcessId, Callable[[], int]], Any]
"""The one input of a call, from the process that runs it and a supply of new ids. A call that has such a
method, `given`, needs nothing else. It may be asked for it more than once."""

_new: Final = tuple.__new__
_NO_EFFECTS: Final[tuple[Effect, ...]] = ()


class InlineShell:
    """Runs each call where it is made."""

    full = False
    inherited = ()

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.perform: Perform = nothing
        self.told: Told = nobody
        self.refused = 0
        self._waiting: deque[Asking] = deque()
        self._busy = False
        self._shut: str | None = NOT_OPEN
        self._alone = _on(engine, engine.store) if type(engine.store) is MemoryStore else None

    async def start(self) -> None:
        self._shut, self._busy = None, True
        self._go_on()

    def submit(self, call: Asking) -> None:
        """A call that is made while another is answered comes after it."""
        if self._shut is not None:
            call.answered(StoreError(self._shut))
        elif self._busy:
            self._waiting.append(call)
        else:
            self._busy = True
            try:
                self._take(call)
            finally:
                if self._waiting or self.engine.more:
                    self._go_on()
                self._busy = False

    def _go_on(self) -> None:
        """Until nothing is left to do."""
        try:
            while self._waiting or self.engine.more:
                if self._waiting:
                    self._take(self._waiting.popleft())
                else:
                    self._batch(())
        finally:
            self._busy = False

    def _batch(self, calls: Sequence[Asking]) -> None:
        outcome = self.engine.run(calls)
        self.refused += outcome.refused
        deque(deliver(outcome, self.perform, self.told), 0)

    def _take(self, call: Asking) -> None:
        given: Given | None = getattr(call, "given", None)
        change = None if given is None or self._alone is None or self.engine.left else self._alone(given)
        if change is None:
            self._batch((call,))
            return
        answer: Done | Refused
        if isinstance(change, Refused):
            self.refused += 1
            answer, effects = change, _NO_EFFECTS
        elif change.follow_ups:
            self._drain(call, change)
            return
        else:
            answer, effects = _new(Done, ((change,),)), change.effects
        try:
            call.answered(answer)
        except Exception:  # who raises when it hears of something keeps nobody else from hearing
            log.exception("%s raised", type(call).__qualname__)
        for effect in effects:
            try:
                self.perform(effect)
            except Exception:
                log.exception("performing %s raised", type(effect).__name__)

    def _drain(self, call: Asking, change: Change) -> None:
        """Its follow-ups are handled before it is answered, as in a batch."""
        self.engine.left = dict.fromkeys(change.follow_ups)
        outcome = self.engine.run(())
        outcome.answers.append((call, Done((change,))))
        outcome.effects[:0] = change.effects
        self.refused += outcome.refused
        deque(deliver(outcome, self.perform, self.told), 0)

    async def close(self) -> None:
        self._shut = CLOSED
        self.engine.store.close()


def _on(engine: Engine, store: MemoryStore) -> Callable[[Given], Change | Refused | None]:
    """Transactions of one input on the cells of this store.

    They answer what the input came to, written. None: nothing has happened, and it is a matter for a batch.
    """
    process, tables, step, held = engine.process, engine.kernel.tables, engine.kernel.step, store.held
    read, keeps_journal = held.get, engine.keeps_journal

    def new_id() -> int:
        store.last_id = last = store.last_id + 1
        return last

    def seal(one: Any, change: Change) -> None:
        links = store.journal
        head = Head(links[-1].number, links[-1].hash) if links else START
        links.append(journal.seal(head, tables, (one,), change.edges, codec.rows(change.writes)))

    def alone(given: Given) -> Change | Refused | None:
        try:
            one = given(process, new_id)
            change = step(read, one)
        except Exception:  # noqa: BLE001 - a batch puts it aside
            return None
        if isinstance(change, Refused):
            return change
        if change.payloads:
            return None
        for key, cell in change.writes.items():
            if cell is None:
                held.pop(key, None)
            else:
                held[key] = cell
        if keeps_journal and change.writes:
            seal(one, change)
        return change

    return alone
