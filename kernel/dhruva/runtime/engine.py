"""The engine of one process: runs batches on a store, one at a time, in whichever thread calls it.

It knows what this process is to the store: its id, the executors it has, the follow-ups it has yet to handle,
and up to which link of the journal it has looked.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from dhruva.cells import Key, Kind
from dhruva.ids import ExecutorId, ProcessId
from dhruva.runtime import journal
from dhruva.runtime.batch import Batch
from dhruva.runtime.calls import Asking, Kernel, Outcome
from dhruva.runtime.codec import Undecodable, key_from_bytes
from dhruva.runtime.store import CommitUnknown, Store, StoreError, Transaction

log: Final = logging.getLogger("dhruva.runtime")
OWNERS: Final = "owner:"
SERVES: Final = "serves:"
_TASK: Final = "task"
_new: Final = tuple.__new__


def _no_pause() -> None:
    """Who runs batches where their callers are keeps nobody waiting but them."""


class Engine:
    """Runs batches. One that serves a shared store is enrolled in it, so that others know of it."""

    def __init__(
        self,
        store: Store,
        kernel: Kernel,
        process: ProcessId,
        keeps_journal: bool,
        now: Callable[[], int] = int,
    ) -> None:
        self.store, self.kernel, self.process, self.now = store, kernel, process, now
        self.keeps_journal = keeps_journal or store.durable
        self.executors: set[ExecutorId] = set()
        self.serving = True
        self.awaited: dict[int, int] = {}  # tasks whose end someone waits for here, and how many do
        self.left: dict[Key, None] = {}  # follow-ups to handle
        self.more = False  # some of them can be handled at once
        self.unknown: CommitUnknown | None = None  # nothing more is run: what is performed must be known
        self.pause: Callable[[], object] = _no_pause  # called between the inputs of a batch
        self._seen = 0  # the newest link of which this process knows

    def resume(self) -> None:
        """Follow-ups that an earlier process left are handled from the next batch on (SHL-3)."""
        transaction = self.store.begin()
        self.left |= dict.fromkeys(key for key, _ in transaction.scan(Kind.FOLLOW))
        self.more = bool(self.left)
        transaction.rollback()

    def run(self, calls: Sequence[Asking]) -> Outcome:
        """One transaction for all these calls, and what it came to."""
        if self.unknown is not None:
            return self._failed(calls, self.unknown)
        try:
            transaction = self.store.begin()
        except StoreError as fault:
            return self._failed(calls, fault)
        try:
            batch = Batch(self, transaction)
            if transaction.others:
                self._catch_up(batch, transaction)
            answers = [(call, batch.call(call)) for call in calls]
            batch.drain()
            batch.commit()
        except StoreError as fault:
            transaction.rollback()
            self.unknown = fault if isinstance(fault, CommitUnknown) else None
            return self._failed(calls, fault)
        except Exception as fault:  # noqa: BLE001 - nobody may wait for ever for an answer
            transaction.rollback()
            return self._failed(calls, StoreError(f"{type(fault).__name__}: {fault}"))
        self._seen = transaction.head.number
        self.more = bool(batch.pending)
        self.left = batch.pending | batch.waiting if self.more else batch.waiting
        told = (answers, batch.effects, batch.refused, batch.bodies, batch.changed, batch.timers)
        return _new(Outcome, told)

    def _failed(self, calls: Iterable[Asking], fault: StoreError) -> Outcome:
        log.error("a batch was not stored: %s", fault)
        self.more = False
        return Outcome([(call, fault) for call in calls], [], 0, {}, {}, False)

    def _catch_up(self, batch: Batch, transaction: Transaction) -> None:
        """Another process wrote: its letters, what it left in lanes, its timers, the tasks it moved."""
        batch.receive()
        batch.timers = True
        if self.awaited:
            for task in self._moved(transaction) & self.awaited.keys():
                batch.changed[task] = batch.state(task)

    def _moved(self, transaction: Transaction) -> set[int]:
        """The tasks that moved since this process looked last, by the journal: it costs what happened."""
        moved: set[int] = set()
        wanted = self._seen + 1
        for link in self.store.links(wanted) if self._seen != transaction.head.number else ():
            if link.number != wanted:  # what was between has been dropped
                return set(self.awaited)
            wanted += 1
            try:
                edges = journal.opened(link).edges
            except Undecodable as fault:
                log.error("link %d of the journal cannot be read: %s", link.number, fault)
                continue
            moved |= {key_from_bytes(key)[1] for machine, key, *_ in edges if machine in MOVES_TASKS}
        return moved

    def owners(self, transaction: Transaction) -> list[tuple[int, str]]:
        """Processes that are enrolled, and the nonces of their locks."""
        return [(int(name.removeprefix(OWNERS)), nonce.decode()) for name, nonce in transaction.named(OWNERS)]

    def serves(self, transaction: Transaction, executor: int) -> bool:
        """Whether another process has this executor."""
        return any(
            int(name.rpartition(":")[2]) != self.process
            for name, _ in transaction.named(f"{SERVES}{executor}:")
        )


MOVES_TASKS: Final = frozenset({_TASK, "reexecution"})
"""Machines whose cells are tasks."""
