"""Inputs of attempts and of what they hold (ACT)."""

from typing import Final

from dhruva.cells import OwnerKind, Resource, ResourceKind
from dhruva.ids import Ref
from dhruva.inputs import (
    Abandon,
    Abort,
    AddHandler,
    AddStream,
    AddWorker,
    Fail,
    OwnerGone,
    ResourceEvent,
    Stopped,
    Succeed,
)
from dhruva.machines.attempt import AbortReason, AttemptEvent, AttemptState
from dhruva.machines.resources import HandlerState, StreamState, WorkerState
from dhruva.machines.scope import CAN_EXECUTE
from dhruva.rules import keys
from dhruva.table import Refused
from dhruva.walk import ABSENT, NOTHING, Given, Rule, Walk

GONE: Final = Given(gone=True)
SUCCEED: Final = AttemptEvent.SUCCEED


def succeed(walk: Walk, given: Succeed) -> Refused | None:
    return walk.fire("attempt", (keys.ATTEMPT, given.ref), SUCCEED, NOTHING)


def fail(walk: Walk, given: Fail) -> Refused | None:
    passed = NOTHING if given.retry_safe else Given(retry_safe=False)
    return walk.fire("attempt", keys.attempt(given.ref), AttemptEvent.ERROR, passed)


FROM_OUTSIDE: Final = frozenset({AbortReason.USER, AbortReason.TIMEOUT, AbortReason.SHUTDOWN})


def abort(walk: Walk, given: Abort) -> Refused | None:
    """The other reasons follow from what happens elsewhere; who wants a task to end cancels the task."""
    key = keys.attempt(given.ref)
    attempt = walk[key]
    by_user_of_task = (
        given.reason == AbortReason.USER and attempt is not None and attempt.kind == OwnerKind.TASK
    )
    if given.reason not in FROM_OUTSIDE or by_user_of_task:
        return Refused("attempt", attempt and attempt.state, AttemptEvent.ABORT, "ACT-18", given.reason)
    return walk.fire("attempt", key, AttemptEvent.ABORT, Given(reason=given.reason))


def stopped(walk: Walk, given: Stopped) -> Refused | None:
    return walk.fire("attempt", keys.attempt(given.ref), AttemptEvent.STOPPED, NOTHING)


def owner_gone(walk: Walk, given: OwnerGone) -> Refused | None:
    return walk.fire("attempt", keys.attempt(given.ref), AttemptEvent.OWNER_GONE, GONE)


def abandon(walk: Walk, given: Abandon) -> Refused | None:
    passed = Given(actor=given.actor, reasoned=given.reasoned)
    return walk.fire("attempt", keys.attempt(given.ref), AttemptEvent.ABANDON, passed)


FIRST_STATE: Final[dict[ResourceKind, WorkerState | HandlerState | StreamState]] = {
    ResourceKind.WORKER: WorkerState.IDLE,
    ResourceKind.HANDLER: HandlerState.PENDING,
    ResourceKind.STREAM: StreamState.OPEN,
}


def _add(walk: Walk, ref: Ref, kind: ResourceKind) -> Refused | None:
    """Only after commit, only while the attempt runs, and none while the scope is suspended (ACT-9)."""
    attempt = walk[keys.ATTEMPT, ref]
    if attempt is None:
        return Refused(kind, None, "add", "ACT-9", ABSENT)
    scope = walk[keys.SCOPE, attempt.scope]
    if attempt.state != AttemptState.RUNNING:
        return Refused(kind, None, "add", "ACT-9", attempt.state)
    if scope is None or scope.state not in CAN_EXECUTE:
        return Refused(kind, None, "add", "ACT-9 ACT-12", ABSENT if scope is None else scope.state)
    number = attempt.resources + 1
    walk[keys.ATTEMPT, ref] = attempt._replace(resources=number)
    walk[keys.SCOPE, attempt.scope] = scope._replace(live=scope.live + 1)
    first = Resource(FIRST_STATE[kind], kind, attempt.scope, attempt.process)
    walk.create(kind, (keys.RESOURCE, ref, number), first)
    return None


def add_worker(walk: Walk, given: AddWorker) -> Refused | None:
    return _add(walk, given.ref, ResourceKind.WORKER)


def add_handler(walk: Walk, given: AddHandler) -> Refused | None:
    return _add(walk, given.ref, ResourceKind.HANDLER)


def add_stream(walk: Walk, given: AddStream) -> Refused | None:
    return _add(walk, given.ref, ResourceKind.STREAM)


def resource_event(walk: Walk, given: ResourceEvent) -> Refused | None:
    key = (keys.RESOURCE, given.ref, given.number)
    resource = walk[key]
    if resource is None:
        return Refused("resource", None, given.event, "ACT-9", ABSENT)
    return walk.fire(resource.kind, key, given.event, NOTHING)


RULES: Final[dict[type, Rule]] = {
    Succeed: succeed,
    Fail: fail,
    Abort: abort,
    Stopped: stopped,
    OwnerGone: owner_gone,
    Abandon: abandon,
    AddWorker: add_worker,
    AddHandler: add_handler,
    AddStream: add_stream,
    ResourceEvent: resource_event,
}
