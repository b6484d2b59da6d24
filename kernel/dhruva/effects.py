"""What is to be done outside. Effects are data; only the runtime performs them, after the transaction.

Those that leave the process and must not be lost are cells too (SHL-4): `Perform` names the cell.
"""

from enum import StrEnum
from typing import Any, NamedTuple

from dhruva.decide.admission import Admission
from dhruva.decide.authority import Verdict
from dhruva.decide.fields import FieldActions
from dhruva.decide.outcome import Failure
from dhruva.ids import InstanceId, Nonce, ProcessId, Ref, RequestId, TargetId, TaskId, WaitToken
from dhruva.machines.attempt import AbortReason


class StartBody(NamedTuple):
    """Run the body of this attempt (ACT-7). Backed by the attempt's own cell."""

    ref: Ref
    process: ProcessId


class AbortSignal(NamedTuple):
    """Set the body's abort signal; the executor's cancel is invoked (LIF-8, ACT-11)."""

    ref: Ref
    reason: AbortReason


class EndResource(NamedTuple):
    """Ask a worker or handler to end, or say that it has: a stream, and what had not begun (ACT-11)."""

    ref: Ref
    number: int


class Rejected(NamedTuple):
    """A queued request, or one that asked again, was rejected: tell its caller (ACT-13)."""

    request: RequestId
    verdict: Verdict


class Timer(NamedTuple):
    """Make the task due again after the backoff for so many tries (LIF-14)."""

    task: TaskId
    run: int
    tries: int


class Dropped(NamedTuple):
    """A dispatch was given up; the record of the drop (DSP-11)."""

    ref: Ref
    reason: Admission
    depth: int
    spawned: int
    budget: int
    pressure: int


class Happened(StrEnum):
    """What the dispatch layer tells whoever listens; `Dropped` is told with its record (DSP-13)."""

    ADMITTED = "admitted"
    SPAWNED = "spawned"
    COOPERATIVE_CARRY = "cooperative_carry"
    RETRY = "retry"
    ESCALATION = "escalation"
    PRESSURE_CHANGED = "pressure_changed"


class Announce(NamedTuple):
    """Something happened to the dispatch of this attempt (DSP-13)."""

    event: Happened
    ref: Ref
    spawn: int


class Perform(NamedTuple):
    """An effect cell waits to be taken (SHL-4)."""

    key: tuple[Any, ...]


class Publish(NamedTuple):
    """Publish the claim file of this lock (REL-7)."""

    target: TargetId
    nonce: Nonce


class Retained(NamedTuple):
    """A lock is retained without an observation: list it (REL-8)."""

    target: TargetId
    nonce: Nonce


class ArmTimers(NamedTuple):
    """Arm the timers of a wait; they return as signals with its token (WFL-12, WFL-16)."""

    instance: InstanceId
    token: WaitToken


class ClearTimers(NamedTuple):
    """Timers of this instance no longer matter (WFL-17)."""

    instance: InstanceId


class Retain(NamedTuple):
    """The instance ended: retention begins (WFL-17)."""

    instance: InstanceId


class FieldChange(NamedTuple):
    """What a transition does to the fields of a task's record (LIF-2). Values and stamps are the shell's."""

    task: TaskId
    actions: FieldActions
    failure: Failure | None


Effect = (
    StartBody | AbortSignal | EndResource | Rejected | Timer | Dropped | Announce | Perform | Publish
    | Retained | ArmTimers | ClearTimers | Retain
)  # fmt: skip
