"""One step in the making: cells as they stand after what was decided so far, and the firing of events.

This is mechanism and holds no rule. `fire` looks a pair up in its table, asks the guards of the row,
moves the cell, and carries out the wires of the row's effects; wires fire in turn. What is refused
inside refuses the whole step, unless the wire is optional: then it is as if it had never been tried.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from dhruva import limits
from dhruva.cells import Change, Edge, FollowUp, Key, Kind, Read
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
STATE: Final = 0  # the first field of every cell that follows a machine
_new: Final = tuple.__new__  # a NamedTuple without the call of its own constructor: half the time


def replaced(cell: Any, at: int, value: object) -> Any:
    """The cell with another value in one field; the others are copied without being looked at."""
    fields = [*cell]
    fields[at] = value
    return _new(cell.__class__, fields)


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
    retry_safe: bool = True  # of an attempt's end
    failure: Failure | None = None
    retriable: bool = False  # of a task's failure
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
    tries_left: Callable[..., bool] = retry.tries_left
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
    """All rules of one kernel: tables made ready, wires, decisions, settings, handlers of follow-ups, and the
    rule of each input."""

    moves: Mapping[str, Mapping[tuple[str, str], Move]]
    refuse: Mapping[str, Callable[[Any, Any], Any]]
    wires: Mapping[tuple[str, str], tuple["Wired", ...]]
    decide: Decisions
    settings: Settings
    handlers: Mapping[FollowUp, "Handler"]
    rules: Mapping[type, "Rule"]


class Walk(dict[Key, Any]):
    """A step in the making, as a mapping: `walk[key]` is the cell as it stands, None where there is none.

    `walk[key] = cell` is the cell from now on, `walk[key] = None` removes it. What was written is kept in the
    dict itself; of everything else the world is asked, which stays as it is meanwhile. What was read is not
    kept: to look it up again costs more than to ask again.
    """

    __slots__ = ("_edges", "_effects", "_payloads", "_read", "book", "handled")

    def __init__(self, book: Book, read: Read) -> None:
        self.book = book
        self.handled: Key | None = None  # the follow-up that this step is about
        self._read = read
        self._edges: list[Edge] = []
        self._effects: list[Effect] = []
        self._payloads: list[FieldChange] = []

    def __missing__(self, key: Key) -> Any:
        """The cell as it was before this step."""
        return self._read(key)

    def get(self, key: Key) -> Any:  # type: ignore[override]
        """As `walk[key]`; a dict's own would not ask the world."""
        return self[key]

    def put(self, key: Key, cell: Any) -> None:
        """As `walk[key] = cell`."""
        self[key] = cell

    def create(self, machine: str, key: Key, cell: Any) -> None:
        """A new thing in its first state."""
        self[key] = cell
        self._edges.append(_new(Edge, (machine, key, None, "create", cell[0])))

    def effect(self, effect: Effect) -> None:
        self._effects.append(effect)

    def payload(self, change: FieldChange) -> None:
        self._payloads.append(change)

    def fire(self, machine: str, key: Key, event: str, given: Given) -> Refused | None:
        """Take the row for this event of this cell, with all that follows; or say why not."""
        cell = self[key]
        move = None if cell is None else self.book.moves[machine].get((cell[0], event))
        if move is None:
            return self._no_row(machine, cell, event)
        target, stays, ends, guards, wires, _ = move
        if guards:
            refused = self._barred(move, machine, key, event, given)
            if refused is not None:
                return refused
        self._edges.append(_new(Edge, (machine, key, cell[0], event, target)))
        if not stays:
            self[key] = replaced(cell, STATE, target)
        for wired in wires:
            refused = wired(self, key, self[key], given)
            if refused is not None:
                return refused
        if ends:
            self[key] = None
        return None

    def allows(self, machine: str, key: Key, event: str, given: Given) -> Refused | None:
        """Whether the row may be taken now, guards included; nothing is done."""
        cell = self[key]
        move = None if cell is None else self.book.moves[machine].get((cell[0], event))
        if move is None:
            return self._no_row(machine, cell, event)
        return self._barred(move, machine, key, event, given)

    def _no_row(self, machine: str, cell: Any, event: str) -> Refused:
        if cell is None:
            absent: Refused = self.book.refuse[machine](None, event)
            return absent._replace(because=ABSENT)
        refused: Refused = self.book.refuse[machine](cell[0], event)
        return refused

    def _barred(self, move: Move, machine: str, key: Key, event: str, given: Given) -> Refused | None:
        """The first guard of a row that does not hold."""
        cell = self[key]
        for symbol, holds in move.guards:
            if not holds(self, key, cell, given):
                return Refused(machine, cell[0], event, move.cites, symbol)
        return None

    def try_fire(self, machine: str, key: Key, event: str, given: Given) -> Refused | None:
        """Fire; if it is refused, everything is as before. The refusal is returned, and refuses nothing."""
        before, marks = self.copy(), (len(self._edges), len(self._effects), len(self._payloads))
        refused = self.fire(machine, key, event, given)
        if refused is not None:
            self.clear()
            self.update(before)
            del self._edges[marks[0] :], self._effects[marks[1] :], self._payloads[marks[2] :]
        return refused

    def carry(self, machine: str, on: str, key: Key, cell: Any, given: Given) -> Refused | None:
        """Carry out the wires of a symbol where no row is taken: a follow-up, one that need not wait."""
        for wired in self.book.wires.get((machine, on), ()):
            refused = wired(self, key, cell, given)
            if refused is not None:
                return refused
        return None

    def change(self) -> Change:
        """What the step says: each cell once; what was not there is not removed.

        A follow-up that was handled and is still there goes on, also where nothing of its own has changed.
        """
        writes, follow_ups = self.copy(), []
        for key, cell in self.items():
            if cell is None:
                if self._read(key) is None:
                    del writes[key]
            elif key[0] == FOLLOW:
                follow_ups.append(key)
        handled = self.handled
        if handled is not None and handled not in writes:
            follow_ups.append(handled)
        said = (writes, tuple(self._payloads), tuple(self._effects), tuple(follow_ups), tuple(self._edges))
        return _new(Change, said)


Guard = Callable[[Walk, Key, Any, Given], bool]
Wired = Callable[[Walk, Key, Any, Given], Refused | None]
Rule = Callable[[Walk, Any], Refused | None]
Handler = Callable[[Walk, Key, Any], Refused | None]
