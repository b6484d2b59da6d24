"""One step in the making: cells as they stand after what was decided so far, and the firing of events.

This is mechanism and holds no rule. `fire` looks a pair up in its table, asks the guards of the row,
moves the cell, and carries out the wires of the row's effects; wires fire in turn. What is refused
inside refuses the whole step, unless the wire is optional: then it is as if it had never been tried.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from dhruva import limits
from dhruva.cells import Cell, Change, Edge, Key, Kind, Read
from dhruva.decide import admission, authority, errors, outcome, plan, readiness, retry, signal
from dhruva.decide.authority import Verdict
from dhruva.decide.outcome import Failure
from dhruva.effects import Effect, FieldChange
from dhruva.ids import InstanceId, Nonce, ProcessId, SignalId, SignalName, TaskId, UserId, Version, WaitToken
from dhruva.machines.attempt import AbortReason
from dhruva.machines.instance import WaitKind
from dhruva.table import Refused

ABSENT: Final = "absent"
FOLLOW: Final = Kind.FOLLOW
_new: Final = tuple.__new__  # a NamedTuple without the call of its own constructor: half the time


class Given(NamedTuple):
    """What an event brings along; guards and deeds take from it what they need."""

    process: ProcessId | None = None
    executor: bool = False
    reason: AbortReason | None = None
    gone: bool = False
    verdict: Verdict | None = None
    actor: UserId | None = None
    reasoned: bool = False
    dropped: bool = False
    retry_safe: bool = True
    failure: Failure | None = None
    retriable: bool = False
    counts_try: bool = True
    nonce: Nonce | None = None
    readable: bool = False
    granted: bool = False
    recorded_alive: int = 0
    user: UserId | None = None
    signal: SignalId | None = None
    token: WaitToken | None = None
    expected: Version | None = None
    name: SignalName | None = None
    early: bool = False  # consumed by the very commit that enters its wait
    waits: WaitKind | None = None
    child: InstanceId | None = None
    task: TaskId | None = None


NOTHING: Final = Given()


class Hit(NamedTuple):
    """Which cell a wire reaches, on which event, and what it brings along."""

    key: Key
    event: str
    given: Given


class Decisions(NamedTuple):
    """The decisions that rules ask."""

    authorize: Callable[..., authority.Verdict] = authority.authorize
    settle: Callable[..., outcome.Settlement] = outcome.settle
    pressure: Callable[..., int] = admission.pressure
    admit: Callable[..., admission.Admission] = admission.admit
    readmit: Callable[..., admission.Readmission] = admission.readmit
    cooperative_count: Callable[..., int] = admission.cooperative_count
    may_retry: Callable[..., bool] = retry.may_retry
    satisfied: Callable[..., bool] = readiness.satisfied
    first_lane: Callable[..., Any] = readiness.first_lane
    may_delete: Callable[..., bool] = errors.may_delete
    policy: Callable[..., Any] = plan.policy
    stale: Callable[..., bool] = plan.stale
    freshness: Callable[..., signal.Freshness] = signal.freshness


class Settings(NamedTuple):
    """What an installation may choose."""

    reexecute_completed: bool = True  # LIF-9
    reexecute_cancelled: bool = False  # LIF-9
    cooperative_unit: int = limits.COOPERATIVE_UNIT_MILLI
    cooperative_max: int = limits.COOPERATIVE_MAX
    kept_max: int = limits.KEPT_SIGNALS_MAX


DECISIONS: Final = Decisions()
SETTINGS: Final = Settings()


class Move(NamedTuple):
    """A row, made ready to be walked."""

    target: str
    stays: bool
    ends: bool  # the cell is gone after this
    guards: tuple[tuple[str, "Guard"], ...]
    wires: tuple["Wired", ...]
    cites: str


class Book(NamedTuple):
    """All rules of one kernel: its tables made ready, its wires, its decisions, its settings."""

    moves: Mapping[str, Mapping[tuple[str, str], Move]]
    refuse: Mapping[str, Callable[[Any, Any], Any]]
    wires: Mapping[tuple[str, str], tuple["Wired", ...]]
    decide: Decisions
    settings: Settings


class Overlay(dict[Key, Any]):
    """Cells as they stand: what was read, and what was put over it. Reading asks the world once per cell."""

    __slots__ = ("read", "seen")

    read: Read
    seen: dict[Key, Any]

    def __missing__(self, key: Key) -> Any:
        cell = self[key] = self.seen[key] = self.read(key)
        return cell


class Walk:
    """A step over the cells that `read` gives.

    `get(key)` is the cell as it stands, or None; `put(key, cell)` is the cell from now on, None removes it.
    Both are the overlay's own methods: a step calls them a dozen times.
    """

    __slots__ = ("_cells", "_edges", "_effects", "_payloads", "book", "get", "put")

    def __init__(self, book: Book, read: Read) -> None:
        self.book = book
        self._cells = cells = Overlay()
        cells.read, cells.seen = read, {}
        self.get: Callable[[Key], Any] = cells.__getitem__
        self.put: Callable[[Key, Cell | None], None] = cells.__setitem__
        self._edges: list[Edge] = []
        self._effects: list[Effect] = []
        self._payloads: list[FieldChange] = []

    def create(self, machine: str, key: Key, cell: Any) -> None:
        """A new thing in its first state."""
        self.put(key, cell)
        self._edges.append(_new(Edge, (machine, key, None, "create", cell[0])))

    def effect(self, effect: Effect) -> None:
        self._effects.append(effect)

    def payload(self, change: FieldChange) -> None:
        self._payloads.append(change)

    def fire(self, machine: str, key: Key, event: str, given: Given) -> Refused | None:
        """Take the row for this event of this cell, with all that follows; or say why not."""
        move = self._move(machine, key, event, given)
        if isinstance(move, Refused):
            return move
        cell = self._cells[key]
        self._edges.append(_new(Edge, (machine, key, cell[0], event, move.target)))
        if not move.stays:
            self.put(key, _new(cell.__class__, (move.target, *cell[1:])))
        for wired in move.wires:
            refused = wired(self, key, self._cells[key], given)
            if refused is not None:
                return refused
        if move.ends:
            self.put(key, None)
        return None

    def allows(self, machine: str, key: Key, event: str, given: Given) -> Refused | None:
        """Whether the row may be taken now, guards included; nothing is done."""
        move = self._move(machine, key, event, given)
        return move if isinstance(move, Refused) else None

    def _move(self, machine: str, key: Key, event: str, given: Given) -> Move | Refused:
        """The row for this event of this cell, if there is one and all its guards hold."""
        cell = self.get(key)
        if cell is None:
            refused: Refused = self.book.refuse[machine](None, event)
            return refused._replace(because=ABSENT)
        move = self.book.moves[machine].get((cell[0], event))
        if move is None:
            answer: Refused = self.book.refuse[machine](cell[0], event)
            return answer
        for symbol, holds in move.guards:
            if not holds(self, key, cell, given):
                return Refused(machine, cell[0], event, move.cites, symbol)
        return move

    def try_fire(self, machine: str, key: Key, event: str, given: Given) -> Refused | None:
        """Fire; if it is refused, everything is as before. The refusal is returned, and refuses nothing."""
        cells = self._cells
        before, marks = cells.copy(), (len(self._edges), len(self._effects), len(self._payloads))
        refused = self.fire(machine, key, event, given)
        if refused is not None:
            cells.clear()
            cells.update(before)
            del self._edges[marks[0] :], self._effects[marks[1] :], self._payloads[marks[2] :]
        return refused

    def carry(self, machine: str, on: str, key: Key, cell: Any, given: Given) -> Refused | None:
        """Carry out the wires of a symbol that stands in no table: those of the follow-ups."""
        for wired in self.book.wires.get((machine, on), ()):
            refused = wired(self, key, cell, given)
            if refused is not None:
                return refused
        return None

    def change(self) -> Change:
        """What the step says: each cell once, and none that is as it was."""
        seen, writes, follow_ups = self._cells.seen, {}, []
        for key, cell in self._cells.items():
            if key not in seen:
                if cell is None and self._cells.read(key) is None:
                    continue
            elif cell is seen[key]:
                continue
            writes[key] = cell
            if cell is not None and key[0] == FOLLOW:
                follow_ups.append(key)
        said = (writes, tuple(self._payloads), tuple(self._effects), tuple(follow_ups), tuple(self._edges))
        return _new(Change, said)


Guard = Callable[[Walk, Key, Any, Given], bool]
Wired = Callable[[Walk, Key, Any, Given], Refused | None]
Rule = Callable[[Walk, Any], Refused | None]
