"""One batch: inputs stepped into an overlay that reads through the transaction, then written once (SHL-2).

A call is one or more inputs that happen together or not at all. What raises is taken out of the
overlay and parked with its error (SHL-5); the rest goes on. Follow-ups that the batch wrote are
handled in it, up to a bound (SHL-3). Nothing is answered and nothing performed here: `Outcome`
says what there is to answer and to perform once the transaction is durable.
"""

import logging
from collections.abc import Callable
from typing import Any, Final, Protocol

import msgspec

from dhruva.cells import Cell, Change, Edge, FollowUp, Key, Kind
from dhruva.effects import Effect, FieldChange, StartBody, Timer
from dhruva.ids import ExecutorId, ParkedId, ProcessId, Ref
from dhruva.inputs import Handle, Park, Wake
from dhruva.runtime import codec, fields, journal, mail, timers
from dhruva.runtime.calls import Answer, Asking, Done, Kernel, PutAside
from dhruva.runtime.store import Found, Query, Row, State, Store, StoreError, TaskRow, Transaction, Writes
from dhruva.table import Refused

DRAINED_MAX: Final = 1_000  # follow-ups handled in one batch; the rest in the next
log: Final = logging.getLogger("dhruva.runtime")
_WAKE: Final = FollowUp.WAKE
_MISSING: Final = object()
_SILENT: Final = fields.Said()
_new: Final = tuple.__new__


class Host(Protocol):
    """The process that a batch runs in, as far as the batch needs it."""

    store: Store
    kernel: Kernel
    process: ProcessId
    keeps_journal: bool
    executors: set[ExecutorId]
    serving: bool  # it starts what waits in lanes
    left: dict[Key, None]

    @property
    def pause(self) -> Callable[[], object]:
        """Called between inputs: a thread lets others have the interpreter."""

    def now(self) -> int: ...

    def serves(self, transaction: Transaction, executor: int) -> bool:
        """Whether another process has this executor."""


class Batch:
    """The inputs of one transaction, stepped one after the other."""

    __slots__ = (
        "_checkpoint",
        "_edges",
        "_host",
        "_inputs",
        "_numbers",
        "_over",
        "_payloads",
        "_said",
        "_states",
        "_step",
        "_tasks",
        "_through",
        "_transaction",
        "_undo",
        "bodies",
        "changed",
        "effects",
        "executors",
        "named",
        "new_id",
        "now",
        "pending",
        "process",
        "refused",
        "scan",
        "timers",
        "waiting",
    )

    def __init__(self, host: Host, transaction: Transaction) -> None:
        self._host, self._transaction = host, transaction
        self._step, self._through = host.kernel.step, transaction.read
        self._over: dict[Key, Cell | None] = {}
        self._payloads: dict[str, bytes | None] = {}
        self._tasks: dict[int, TaskRow | None] = {}
        self._numbers: dict[bytes, int] = {}
        self._states: dict[int, State | None] = {}
        self._undo: list[tuple[dict[Any, Any], Any, Any]] | None = None
        self._said = _SILENT
        self._checkpoint = False
        self.process, self.executors, self.now = host.process, host.executors, host.now()
        self.new_id, self.scan, self.named = transaction.new_id, transaction.scan, transaction.named
        self._inputs: list[Any] = []
        self._edges: list[Edge] = []
        self.effects: list[Effect] = []
        self.bodies: dict[Ref, TaskRow] = {}
        self.changed: dict[int, State | None] = {}
        self.timers = False
        self.pending = dict(host.left)
        self.waiting: dict[Key, None] = {}
        self.refused = 0

    # What a call may look at.

    def read(self, key: Key) -> Any:
        over = self._over
        return over[key] if key in over else self._through(key)

    def payload(self, name: str) -> bytes | None:
        return self._payloads[name] if name in self._payloads else self._transaction.payload(name)

    def task(self, task: int) -> TaskRow | None:
        return self._tasks[task] if task in self._tasks else self._transaction.task(task)

    def state(self, task: int) -> State | None:
        return self._states[task] if task in self._states else self._transaction.state(task)

    def find(self, uuid: bytes) -> int | None:
        found = self._numbers.get(uuid)
        if found is None:
            found = self._transaction.find(uuid)
        return None if found is None or self._tasks.get(found, _MISSING) is None else found

    def page(self, query: Query) -> Found:
        return self._transaction.page(query)

    # What a call may set.

    def put(self, name: str, payload: bytes | None) -> None:
        self._set(self._payloads, {name: payload})

    def put_task(self, task: int, row: TaskRow | None) -> None:
        self._set(self._tasks, {task: row})
        if row is not None:
            self._set(self._numbers, {row.uuid: task})

    def put_state(self, task: int, state: State | None) -> None:
        self._set(self._states, {task: state})
        self.changed[task] = state

    def say(self, result: bytes | None = None, error: str | None = None) -> None:
        self._said = fields.Said(result, error)

    def check(self) -> None:
        self._checkpoint = True

    def links(self, task: int) -> list[tuple[int, int]]:
        row = self.task(task)
        return [] if row is None else msgspec.msgpack.decode(row.links, type=list[tuple[int, int]])

    def _set(self, into: dict[Any, Any], new: dict[Any, Any]) -> None:
        if self._undo is not None:
            self._undo += [(into, key, into.get(key, _MISSING)) for key in new]
        into.update(new)

    # Calls.

    def call(self, call: Asking) -> Answer:
        """All inputs of a call, or none of them."""
        self._undo, self._said = [], _SILENT
        marks = (len(self._inputs), len(self._edges), len(self.effects))
        given: Any = None
        changes: list[Change] = []
        try:
            for given in call.inputs(self):
                change = self._step(self.read, given)
                if isinstance(change, Refused):
                    self.refused += 1
                    self._take_back(*marks)
                    return change
                self._take(given, change)
                changes.append(change)
                self._host.pause()
            then = getattr(call, "then", None)
            if then is not None:
                then(self, changes)
        except StoreError:
            raise
        except Exception as fault:  # noqa: BLE001 - whatever a step raises is put aside, and the rest goes on
            self._take_back(*marks)
            return self._park(given, fault)
        finally:
            self._undo, self._said = None, _SILENT
        return _new(Done, (tuple(changes),))

    def _take_back(self, inputs: int, edges: int, effects: int) -> None:
        """As if nothing had been given since then."""
        for into, key, value in reversed(self._undo or ()):
            if value is _MISSING:
                del into[key]
            else:
                into[key] = value
        del self._inputs[inputs:], self._edges[edges:], self.effects[effects:]

    def drain(self) -> None:
        """Handle follow-ups, oldest first, until none is left that can be handled, or the bound is met."""
        for _ in range(DRAINED_MAX):
            if not self.pending:
                return
            key = next(iter(self.pending))
            del self.pending[key]
            self._handle(key)
            self._host.pause()

    def _handle(self, key: Key) -> None:
        given: Any = Handle(key)
        try:
            given, change = self._wake(key) if key[1] == _WAKE else (given, self._step(self.read, given))
            if change is None or isinstance(change, Refused):
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
        """Refused: it is over, or another comes first. Left to another process: it waits for that."""
        if self.read(key) is not None:
            self.waiting[key] = None

    def _wake(self, key: Key) -> tuple[Wake, Change | Refused | None]:
        """Whether this process has what the head needs is found by trying: a step by itself does nothing.

        A task whose executor another process has is left to that process; None says so. A process without
        any executor starts no task, and says of none that nobody can (LIF-3).
        """
        given = Wake(key[2], self.process)
        if not self._host.serving:
            return given, None
        change = self._step(self.read, given)
        for effect in () if isinstance(change, Refused) else change.effects:
            spec = self.read((Kind.SPEC, effect.ref.owner)) if isinstance(effect, StartBody) else None
            if spec is not None and spec.executor not in self.executors:
                if not self.executors or self._host.serves(self._transaction, spec.executor):
                    return given, None
                given = given._replace(executor=False)
                return given, self._step(self.read, given)
        return given, change

    def _take(self, given: Any, change: Change) -> None:
        if change.effects:
            self._address(change.effects)
        self._set(self._over, change.writes)
        self._inputs.append(given)
        self._edges += change.edges
        if change.follow_ups:
            self._set(self.pending, dict.fromkeys(change.follow_ups))
        for moved in change.payloads:
            self._move(moved)

    def _move(self, change: FieldChange) -> None:
        """The record follows (LIF-2)."""
        state = self.state(change.task)
        if state is not None:
            status = str(self.read((Kind.TASK, change.task)).status)
            self.put_state(change.task, fields.after(state, status, change, self.now, self._said))

    # Effects.

    def _address(self, effects: tuple[Effect, ...]) -> None:
        """Those for other processes are written, those of this one performed once that is durable."""
        shared = self._host.store.shared
        for effect in effects:
            to = mail.addressee(effect, self.read) if shared else None
            if to is None or to == self.process:
                self._mine(effect)
            else:
                self._set(self._payloads, mail.letter(effect, to, self.new_id))

    def _mine(self, effect: Effect) -> None:
        self.effects.append(effect)
        if isinstance(effect, StartBody):
            row = self.task(effect.ref.owner)
            if row is not None:
                self.bodies[effect.ref] = row
        elif isinstance(effect, Timer):
            state = self.state(effect.task)
            if state is not None:
                self.put(*timers.written(effect, state, self.now))
                self.timers = True

    def receive(self) -> None:
        """What other processes left for this one."""
        for name, letter in self.named(mail.box(self.process)):
            self._payloads[name] = None
            self._mine(codec.from_bytes(letter))
        self.pending |= dict.fromkeys(key for key, _ in self.scan(Kind.FOLLOW, _WAKE))

    # The end.

    def _park(self, given: Any, fault: Exception) -> PutAside:
        """Named, with its error (SHL-5). What the call set is not kept; the log names no payload."""
        error = f"{type(fault).__name__}: {fault}"
        log.error("put aside: %s raised %s", type(given).__name__, type(fault).__name__)
        self._undo = None
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
        self._payloads[f"parked:{parked}"] = msgspec.msgpack.encode([plain, error, *self._said])
        return PutAside(parked, error)

    def commit(self) -> None:
        """Everything at once; nothing, if nothing was written."""
        if not (self._over or self._payloads or self._tasks or self._states or self._checkpoint):
            self._transaction.rollback()
            return
        written = journal.lasting(self._over, self._through)
        rows: tuple[Row, ...] = ()
        link = None
        if self._host.keeps_journal and self._over:
            rows = codec.rows(written, self._host.pause)
            tables = self._host.kernel.tables
            link = journal.seal(self._transaction.head, tables, self._inputs, self._edges, rows)
        beside = (self._payloads, link, self._tasks, self._states, self._checkpoint)
        self._transaction.commit(Writes(written, rows, *beside))
