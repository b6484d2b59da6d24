"""A call: inputs that happen together or not at all, what they may look at, and what comes of them."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from dhruva.cells import Change
from dhruva.effects import Effect
from dhruva.ids import ExecutorId, ParkedId, ProcessId, Ref
from dhruva.runtime.store import Reader, State, StoreError, TaskRow
from dhruva.step import Step
from dhruva.table import Refused


class Kernel(NamedTuple):
    """The step to run, and the digest of its tables."""

    step: Step
    tables: str


class Done(NamedTuple):
    """Every input of a call was accepted."""

    changes: tuple[Change, ...]


class PutAside(NamedTuple):
    """Stepping an input raised: it was parked under this id, and nothing else has happened."""

    parked: ParkedId | None  # None: not even that could be stepped
    error: str


Answer = Done | Refused | PutAside | StoreError


class Facts(Reader, Protocol):
    """What a call may look at and set while it is turned into inputs, in the very transaction.

    Cells, payloads and rows are as they stand in this batch; scans, lists and pages as they were before it.
    What is set is written with the cells, if the call is accepted.
    """

    process: ProcessId  # the one that runs this
    now: int  # milliseconds since the epoch
    executors: set[ExecutorId]  # those that this process has

    @property
    def new_id(self) -> Callable[[], int]:
        """Ids that nobody was given before."""

    def put(self, name: str, payload: bytes | None) -> None: ...

    def put_task(self, task: int, row: TaskRow | None) -> None: ...

    def put_state(self, task: int, state: State | None) -> None: ...

    def check(self) -> None:
        """The journal begins at the end of this transaction; what is before it is dropped (SHL-10)."""

    def links(self, task: int) -> list[tuple[int, int]]:
        """What this task depends on, and which of its dependents it is there."""

    def say(self, result: bytes | None = None, error: str | None = None) -> None:
        """For the record of the task that the inputs of this call move."""


class Asking(Protocol):
    """Inputs that happen together, and who hears of it once that is durable."""

    def inputs(self, facts: Facts, /) -> Sequence[Any]:
        """In the transaction; what it raises is put aside."""

    def answered(self, answer: Answer, /) -> None:
        """On the event loop, once it is durable."""


class Call(NamedTuple):
    """The plain form of asking.

    `then` is called once the inputs were accepted, before anything is written: it may set what follows.
    """

    inputs: Callable[[Facts], Sequence[Any]]
    answered: Callable[[Answer], None]
    then: Callable[[Facts, Sequence[Change]], None] | None = None


class Outcome(NamedTuple):
    """What a batch came to. Nothing of it may be told or performed before the transaction is durable."""

    answers: list[tuple[Asking, Answer]]
    effects: list[Effect]  # those of this process
    refused: int
    bodies: dict[Ref, TaskRow]  # what the tasks were created with whose attempts start
    changed: dict[int, State | None]  # records that changed, here or elsewhere; None: deleted
    timers: bool  # timers were set
