"""Inputs of scopes and one-off requests (ACT)."""

from typing import NamedTuple

from dhruva.ids import Priority, ProcessId, RequestId, ScopeId
from dhruva.limits import UNBOUNDED


class SetCap(NamedTuple):
    """Set the limit over all scopes, once, when a store is created (ACT-13)."""

    limit: int


class CreateScope(NamedTuple):
    scope: ScopeId
    mount: bool = True
    max_concurrent: int = UNBOUNDED
    max_spawns: int = UNBOUNDED
    retry: int = 0
    retry_on_timeout: bool = False
    queues: bool = False
    max_queued: int = 0
    capped: bool = False


class Mount(NamedTuple):
    scope: ScopeId


class Suspend(NamedTuple):
    scope: ScopeId


class Resume(NamedTuple):
    scope: ScopeId


class Dispose(NamedTuple):
    scope: ScopeId


class Ask(NamedTuple):
    """A one-off request asks for execution (ACT-1). `late`: it waited past its queue-wait limit already."""

    request: RequestId
    scope: ScopeId
    process: ProcessId
    priority: Priority = Priority.NORMAL
    late: bool = False


class Withdraw(NamedTuple):
    """The caller no longer wants its queued request."""

    request: RequestId


class WaitExpired(NamedTuple):
    """The queue-wait timer of a queued request went off (ACT-2)."""

    request: RequestId


class Wake(NamedTuple):
    """Start what is first in the lanes. `executor`: this process has what the head needs (LIF-3)."""

    scope: ScopeId
    process: ProcessId
    executor: bool = True
