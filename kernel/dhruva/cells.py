"""The cells: all that a rule may see and say.

A cell is a small frozen value under a key `(kind, id, ...)`; its first field is the state of its machine.
It lives as long as what it stands for: an attempt that ended, a worker that exited has no cell any more, and
what comes later is refused. Tasks, scopes and instances stay: their ids stay known.

No field is a collection. What is many is linked: lanes, attempts of a scope, dependents of a task.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

from dhruva.effects import Effect, FieldChange
from dhruva.ids import (
    ExecutorId,
    InstanceId,
    Nonce,
    OwnerId,
    Priority,
    ProcessId,
    Ref,
    ScopeId,
    SignalId,
    SignalName,
    TargetId,
    TaskId,
    TaskStatus,
    UserId,
    Version,
    WaitToken,
)
from dhruva.machines.attempt import AbortReason, AttemptState
from dhruva.machines.carrier import CarrierState
from dhruva.machines.effect import EffectState
from dhruva.machines.human_task import HumanTaskState
from dhruva.machines.instance import InstanceState, WaitKind
from dhruva.machines.lock import LockState
from dhruva.machines.parked import ParkedState
from dhruva.machines.release import ReleasePolicy, ReleaseState
from dhruva.machines.request import RequestState
from dhruva.machines.resources import HandlerState, StreamState, WorkerState
from dhruva.machines.scope import ScopeState


class Kind(StrEnum):
    """The kinds of cells, and the first part of every key."""

    SCOPE = "scope"
    POLICY = "policy"
    LANES = "lanes"
    WAITER = "waiter"
    CAP = "cap"
    STARVED = "starved"
    REQUEST = "request"
    ATTEMPT = "attempt"
    RESOURCE = "resource"
    TASK = "task"
    SPEC = "spec"
    LINK = "link"
    WATCH = "watch"
    EXECUTOR = "executor"
    DISPATCH = "dispatch"
    GROUP = "group"
    COOPERATIVE = "cooperative"
    DELIVERY = "delivery"
    LOCK = "lock"
    EFFECT = "effect"
    INSTANCE = "instance"
    HUMAN = "human"
    KEPT = "kept"
    PARKED = "parked"
    FOLLOW = "follow"


class OwnerKind(StrEnum):
    """What an owner id names."""

    TASK = "task"
    REQUEST = "request"


class ResourceKind(StrEnum):
    """What an attempt may hold; the name of the machine that it follows."""

    WORKER = "worker"
    HANDLER = "handler"
    STREAM = "stream"


class EffectKind(StrEnum):
    """Effects that leave the process and are cells of their own (SHL-4)."""

    DISPATCH = "dispatch"
    RUN_SLICE = "run_slice"


class FollowUp(StrEnum):
    """What concerns many cells, done one cell at a time (SHL-3)."""

    WAKE = "wake"
    WAKE_STARVED = "wake_starved"
    ABORT_EACH = "abort_each"
    REJECT_QUEUED = "reject_queued"
    ASK_AGAIN = "ask_again"
    END_RESOURCES = "end_resources"
    TELL = "tell"
    RECALL = "recall"
    RESET = "reset"
    RETURN = "return"
    READY = "ready"
    CANCEL_CHILD = "cancel_child"
    CANCEL_TASK = "cancel_task"
    TELL_PARENT = "tell_parent"


class Scope(NamedTuple):
    """A scope and its counters. `newest` begins the list of its living attempts."""

    state: ScopeState
    active: int  # slots held
    live: int  # attempts, resources and queued requests that have not ended
    spawned: int  # attempts ever committed here
    queued: int  # one-off requests that wait
    waiting: int  # all that waits in the lanes
    newest: Ref | None
    capped: bool  # counts under the cap over all scopes


class Policy(NamedTuple):
    """What a scope was created with; it never changes."""

    max_concurrent: int
    max_spawns: int
    retry: int  # of a one-off request
    retry_on_timeout: bool
    queues: bool
    max_queued: int


class Lanes(NamedTuple):
    """First and last of each lane of a scope. No cell: nothing waits."""

    first_urgent: OwnerId | None
    last_urgent: OwnerId | None
    first_high: OwnerId | None
    last_high: OwnerId | None
    first_normal: OwnerId | None
    last_normal: OwnerId | None
    first_low: OwnerId | None
    last_low: OwnerId | None


class Waiter(NamedTuple):
    """A place in a lane of a scope, or among those that wait for an executor."""

    kind: OwnerKind
    scope: ScopeId
    priority: Priority
    executor: ExecutorId | None  # None: in its lane
    before: OwnerId | None
    behind: OwnerId | None


class Cap(NamedTuple):
    """The limit over all scopes, and the scopes that it keeps waiting, first come first served."""

    active: int
    limit: int
    first: ScopeId | None
    last: ScopeId | None


class Starved(NamedTuple):
    """A scope that waits for the cap."""

    behind: ScopeId | None


class Request(NamedTuple):
    """A one-off request that waits (ACT-13)."""

    state: RequestState
    scope: ScopeId
    process: ProcessId
    priority: Priority
    number: int


class Attempt(NamedTuple):
    """A living attempt."""

    state: AttemptState
    kind: OwnerKind
    scope: ScopeId
    process: ProcessId
    priority: Priority
    reason: AbortReason | None
    resources: int  # ever added; they are numbered from 1
    spawn: int  # its newest carrier group, 0 for none
    newer: Ref | None
    older: Ref | None


class Resource(NamedTuple):
    """A living worker, handler or stream."""

    state: WorkerState | HandlerState | StreamState
    kind: ResourceKind
    scope: ScopeId
    process: ProcessId  # of its attempt, which it may outlive


class Task(NamedTuple):
    """A task. What it was created with stands in its Spec."""

    status: TaskStatus
    run: int
    number: int  # of its newest attempt; never restarts
    tries: int  # in this run
    unmet: int  # dependencies not satisfied, or not yet counted as such
    due: bool
    alive: bool  # an attempt of it is running or aborting
    links: int  # dependents ever linked; they are numbered from 1
    dependents: int  # dependents that exist
    dependencies: int  # links to others
    children: int


class Spec(NamedTuple):
    """What a task was created with; it never changes."""

    scope: ScopeId
    priority: Priority
    executor: ExecutorId
    parent: TaskId | None
    max_attempts: int
    retry_on_timeout: bool
    dependencies: int
    budget: int
    max_depth: int


class Link(NamedTuple):
    """One dependent of a task, under (LINK, task, n)."""

    dependent: TaskId
    required: bool
    met: bool  # counted as satisfied by the dependent


class Watch(NamedTuple):
    """The instance that waits for a task to end."""

    instance: InstanceId
    token: WaitToken


class Executor(NamedTuple):
    """Tasks that wait for an executor of this name to be registered."""

    first: OwnerId | None
    last: OwnerId | None


class Dispatch(NamedTuple):
    """Counters of dispatch, per run of an owner (DSP-4, DSP-8)."""

    run: int
    spawned: int
    depth: int
    urgency: int
    pressure: int | None  # at the last admission, in thousandths, summed


class Group(NamedTuple):
    """One primary carrier with its cooperatives, under (GROUP, ref, spawn)."""

    state: CarrierState
    idle: int  # cooperatives that have not withdrawn


class Cooperative(NamedTuple):
    state: CarrierState  # one cooperative, under (COOPERATIVE, ref, spawn, n)


class Delivery(NamedTuple):
    """How a dispatch is delivered, and what releases its lock, under (DELIVERY, ref, spawn)."""

    state: ReleaseState
    policy: ReleasePolicy
    target: TargetId
    nonce: Nonce | None


class Lock(NamedTuple):
    """The lock on a target, as observed. The nonce counts claims, so none comes twice."""

    state: LockState
    nonce: Nonce
    child: bool  # a child process is recorded in the claim
    forced: bool  # an operator released the claim before this one
    handed: bool  # a delivery has been given the claim


class EffectCell(NamedTuple):
    """An effect on its way, under (EFFECT, kind, ...)."""

    state: EffectState
    idempotent: bool


class Instance(NamedTuple):
    """A workflow instance between its slices."""

    state: InstanceState
    version: Version
    token: WaitToken  # of the newest wait; counts waits, so none comes twice
    waits: WaitKind | None  # None: the token is spent
    name: SignalName | None
    last_signal: SignalId | None
    kept: int  # signals kept for later
    parent: InstanceId | None
    parent_token: WaitToken | None
    child: InstanceId | None
    task: TaskId | None


class Human(NamedTuple):
    """The active human task of an instance."""

    state: HumanTaskState
    assignee: UserId | None
    token: WaitToken


class Kept(NamedTuple):
    """A signal that came before its wait (WFL-22)."""

    signal: SignalId | None  # None: from a child, a task or a human task


class Parked(NamedTuple):
    """Something put aside (SHL-5)."""

    state: ParkedState


class Follow(NamedTuple):
    """A follow-up under (FOLLOW, kind, id): where it stands, and what it must wait for."""

    cursor: int
    ref: Ref | None
    after: tuple[Any, ...] | None  # the key of the follow-up that comes first


class Ending(NamedTuple):
    """The follow-up that ends what an attempt holds.

    Cooperatives 1 to 4 at -4 to -1, the group and its call at 0, then resources from 1 to `last`.
    """

    cursor: int
    last: int
    spawn: int  # the newest carrier group, 0 for none
    gone: bool  # the process is gone: what it held has ended


class Again(NamedTuple):
    """The follow-up of a one-off request that asks again after an error (ACT-10)."""

    scope: ScopeId
    process: ProcessId
    priority: Priority
    number: int


Cell = tuple[Any, ...]  # any of the above
Key = tuple[Any, ...]
Read = Callable[[Key], Any]  # the cell, or None where there is none


class Edge(NamedTuple):
    """A row that was taken: which machine, which cell, from where, on what, to where."""

    machine: str
    key: Key
    source: str | None  # None: the cell was created
    on: str
    target: str


class Change(NamedTuple):
    """All that a step says. None in `writes` removes the cell."""

    writes: dict[Key, Cell | None]
    payloads: tuple[FieldChange, ...]
    effects: tuple[Effect, ...]
    follow_ups: tuple[Key, ...]  # keys of follow-ups that are to be handled
    edges: tuple[Edge, ...]
