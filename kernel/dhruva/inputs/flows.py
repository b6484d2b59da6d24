"""Inputs of workflow instances and human tasks (WFL)."""

from typing import NamedTuple

from dhruva.ids import InstanceId, SignalId, SignalName, TaskId, UserId, Version, WaitToken
from dhruva.machines.instance import WaitKind


class StartInstance(NamedTuple):
    instance: InstanceId


class SliceWaits(NamedTuple):
    """A slice ended at a wait. `version` is the one that it was computed from (WFL-13)."""

    instance: InstanceId
    version: Version
    kind: WaitKind
    name: SignalName | None = None
    child: InstanceId | None = None
    task: TaskId | None = None


class SliceCompleted(NamedTuple):
    instance: InstanceId
    version: Version


class SliceFailed(NamedTuple):
    instance: InstanceId
    version: Version


class SliceError(NamedTuple):
    """The slice left a recoverable error (WFL-15)."""

    instance: InstanceId
    version: Version


class Unavailable(NamedTuple):
    """The instance's definition is not available in its version (WFL-3)."""

    instance: InstanceId


class Signal(NamedTuple):
    """A signal with the token of its wait, stamped by the API (WFL-12, WFL-22)."""

    instance: InstanceId
    signal: SignalId
    token: WaitToken
    name: SignalName | None = None
    expected: Version | None = None


class EarlySignal(NamedTuple):
    """A signal by name for which no wait is open yet (WFL-22)."""

    instance: InstanceId
    signal: SignalId
    name: SignalName


class RetryInstance(NamedTuple):
    instance: InstanceId
    actor: UserId | None


class CancelInstance(NamedTuple):
    instance: InstanceId
    actor: UserId | None


class AssignHuman(NamedTuple):
    instance: InstanceId
    user: UserId


class ReleaseHuman(NamedTuple):
    instance: InstanceId


class ReassignHuman(NamedTuple):
    instance: InstanceId
    user: UserId


class CompleteHuman(NamedTuple):
    instance: InstanceId
    user: UserId
