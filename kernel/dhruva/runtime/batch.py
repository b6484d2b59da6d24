"""One batch: inputs stepped into an overlay that reads through the transaction, then written once (SHL-2).

A call is one or more inputs that happen together or not at all. What raises is taken out of the
overlay and parked with its error (SHL-5); the rest goes on. Follow-ups that the batch wrote are
handled in it, up to a bound (SHL-3). Nothing is answered and nothing performed here: `Outcome`
says what there is to answer and to perform once the transaction is durable.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from dhruva.cells import Cell, Change, Edge, FollowUp, Key, Kind
from dhruva.effects import Effect, StartBody
from dhruva.ids import ExecutorId, ParkedId, ProcessId
from dhruva.inputs import Handle, Park, Wake
from dhruva.runtime import codec, journal
from dhruva.runtime.store import CommitUnknown, Row, Store, StoreError, Transaction, Writes
from dhruva.step import Step
from dhruva.table import Refused

DRAINED_MAX: Final = 1_000  # follow-ups handled in one batch; the rest in the next
log: Final = logging.getLogger("dhruva.runtime")
_WAKE: Final = FollowUp.WAKE
_FOLLOW: Final = Kind.FOLLOW
_new: Final = tuple.__new__


class Done(NamedTuple):
    """Every input of a call was accepted."""

    changes: tuple[Change, ...]


class PutAside(NamedTuple):
    """Stepping an input raised: it was parked under this id, and nothing else has happened."""

    parked: ParkedId | None  # None: not even that could be stepped
    error: str


Mark = tuple[dict[Key, Cell | None], dict[Key, None], int, int, int]
Answer = Done | Refused | PutAside | StoreError


class Facts(Protocol):
    """What a call may look at and set while it is turned into inputs, in the very transaction."""

    process: ProcessId  # the one that runs this

    @property
    def new_id(self) -> Callable[[], int]:
        """Ids that nobody was given before."""

    def read(self, key: Key) -> Any:
        """The cell as it stands in this batch, or None."""

    def scan(self, kind: Kind) -> Iterator[tuple[Key, Any]]:
        """Every cell of this kind, as it was before this batch."""

    def payload(self, name: str) -> bytes | None:
        """The payload as it stands in this batch, or None."""

    def put(self, name: str, payload: bytes | None) -> None:
        """Written with the cells, if the call is accepted."""


class Call(NamedTuple):
    """Inputs that happen together, and who hears of it once that is durable."""

    inputs: Callable[[Facts], Sequence[Any]]
    answered: Callable[[Answer], None]


class Outcome(NamedTuple):
    """What a batch came to. To be answered and performed in this order, after the transaction."""

    answers: list[tuple[Call, Answer]]
    effects: list[Effect]
    refused: int


class Kernel(NamedTuple):
    """The step to run, and the digest of its tables."""

    step: Step
    tables: str


class Engine:
    """Runs batches on a store, one at a time, in whichever thread calls it."""

    def __init__(self, store: Store, kernel: Kernel, process: ProcessId, keeps_journal: bool) -> None:
        self.store, self.kernel, self.process = store, kernel, process
        self.keeps_journal = keeps_journal or store.durable
        self.executors: set[ExecutorId] = set()
        self.left: dict[Key, None] = {}  # follow-ups to handle
        self.more = False  # some of them can be handled at once
        self.unknown: CommitUnknown | None = None  # nothing more is run: what is performed must be known

    def resume(self) -> None:
        """Follow-ups that an earlier process left are handled from the next batch on (SHL-3)."""
        transaction = self.store.begin()
        self.left = {key: None for key, _ in transaction.scan(Kind.FOLLOW)}
        self.more = bool(self.left)
        transaction.rollback()

    def run(self, calls: Sequence[Call]) -> Outcome:
        """One transaction for all these calls, and what it came to."""
        if self.unknown is not None:
            return self._failed(calls, self.unknown)
        try:
            transaction = self.store.begin()
        except StoreError as fault:
            return self._failed(calls, fault)
        batch = Batch(self, transaction)
        try:
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
        self.more = bool(batch.pending)
        self.left = batch.pending | batch.waiting if self.more else batch.waiting
        return _new(Outcome, (answers, batch.effects, batch.refused))

    def _failed(self, calls: Iterable[Call], fault: StoreError) -> Outcome:
        log.error("a batch was not stored: %s", fault)
        self.more = False
        return Outcome([(call, fault) for call in calls], [], 0)


class Batch:
    """The inputs of one transaction, stepped one after the other."""

    __slots__ = (
        "_edges",
        "_engine",
        "_inputs",
        "_over",
        "_payloads",
        "_put",
        "_step",
        "_through",
        "_transaction",
        "effects",
        "new_id",
        "pending",
        "process",
        "refused",
        "scan",
        "waiting",
    )

    def __init__(self, engine: Engine, transaction: Transaction) -> None:
        self._engine, self._transaction = engine, transaction
        self._step, self._through = engine.kernel.step, transaction.read
        self._over: dict[Key, Cell | None] = {}
        self._payloads: dict[str, bytes | None] = {}
        self._put: dict[str, bytes | None] = {}
        self.process, self.new_id, self.scan = engine.process, transaction.new_id, transaction.scan
        self._inputs: list[Any] = []
        self._edges: list[Edge] = []
        self.effects: list[Effect] = []
        self.pending = dict(engine.left)
        self.waiting: dict[Key, None] = {}
        self.refused = 0

    def read(self, key: Key) -> Any:
        over = self._over
        return over[key] if key in over else self._through(key)

    def payload(self, name: str) -> bytes | None:
        return self._payloads[name] if name in self._payloads else self._transaction.payload(name)

    def put(self, name: str, payload: bytes | None) -> None:
        self._put[name] = payload

    def call(self, call: Call) -> Answer:
        """All inputs of a call, or none of them. For one alone there is no way back to go."""
        self._put.clear()
        given: Any = None
        before: Mark | None = None
        try:
            inputs = call.inputs(self)
            before = self._mark() if len(inputs) > 1 else None
            changes = []
            for given in inputs:
                change = self._step(self.read, given)
                if isinstance(change, Refused):
                    self.refused += 1
                    self._back_to(before)
                    return change
                self._take(given, change)
                changes.append(change)
        except StoreError:
            raise
        except Exception as fault:  # noqa: BLE001 - whatever a step raises is put aside, and the rest goes on
            self._back_to(before)
            return self._park(given, fault)
        self._payloads.update(self._put)
        return _new(Done, (tuple(changes),))

    def drain(self) -> None:
        """Handle follow-ups, oldest first, until none is left that can be handled, or the bound is met."""
        for _ in range(DRAINED_MAX):
            if not self.pending:
                return
            key = next(iter(self.pending))
            del self.pending[key]
            self._handle(key)

    def _handle(self, key: Key) -> None:
        given: Any = Handle(key)
        try:
            if key[1] == _WAKE:
                given = self._wake(key)
            change = self._step(self.read, given)
            if isinstance(change, Refused):
                self._wait(key)
                return
            self._take(given, change)
            if change.writes and self.read(key) is not None:
                self.pending[key] = None
        except StoreError:
            raise
        except Exception as fault:  # noqa: BLE001 - as above
            self._park(given, fault)
            return
        self.pending |= self.waiting
        self.waiting = {}

    def _wait(self, key: Key) -> None:
        """Refused: it is over, or another comes first."""
        if self.read(key) is not None:
            self.waiting[key] = None

    def _wake(self, key: Key) -> Wake:
        """Whether this process has what the head needs is found by trying: a step by itself does nothing."""
        given = Wake(key[2], self._engine.process)
        change = self._step(self.read, given)
        if isinstance(change, Refused):
            return given
        for effect in change.effects:
            spec = self.read((Kind.SPEC, effect.ref.owner)) if isinstance(effect, StartBody) else None
            if spec is not None and spec.executor not in self._engine.executors:
                return given._replace(executor=False)
        return given

    def _take(self, given: Any, change: Change) -> None:
        self._over.update(change.writes)
        self._inputs.append(given)
        self._edges += change.edges
        self.effects += change.effects
        for key in change.follow_ups:
            self.pending[key] = None

    def _mark(self) -> Mark:
        lengths = (len(self._inputs), len(self._edges), len(self.effects))
        return (self._over.copy(), self.pending.copy(), *lengths)

    def _back_to(self, mark: Mark | None) -> None:
        """As if nothing had been given since then."""
        if mark is None:
            return
        self._over, self.pending = mark[0], mark[1]
        del self._inputs[mark[2] :], self._edges[mark[3] :], self.effects[mark[4] :]

    def _park(self, given: Any, fault: Exception) -> PutAside:
        """Named, with its error (SHL-5). Payloads of the call are not kept."""
        error = f"{type(fault).__name__}: {fault}"
        log.error("put aside: %s: %s", type(given).__name__, error)
        parked = ParkedId(self._transaction.new_id())
        try:
            change = self._step(self.read, Park(parked))
        except Exception as second:  # noqa: BLE001 - a step that cannot even park
            log.error("could not be parked: %s", type(second).__name__)
            return PutAside(None, error)
        if isinstance(change, Refused):
            return PutAside(None, error)
        self._take(Park(parked), change)
        plain = None if given is None else codec.to_plain(given)
        self._payloads[f"parked:{parked}"] = msgspec.msgpack.encode([plain, error])
        return PutAside(parked, error)

    def commit(self) -> None:
        """Everything at once; nothing, if nothing was written."""
        if not self._over and not self._payloads:
            self._transaction.rollback()
            return
        rows: tuple[Row, ...] = ()
        link = None
        if self._engine.keeps_journal:
            rows = codec.rows(self._over)
            tables = self._engine.kernel.tables
            link = journal.seal(self._transaction.head, tables, self._inputs, self._edges, rows)
        self._transaction.commit(Writes(self._over, rows, self._payloads, link))
