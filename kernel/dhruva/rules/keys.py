"""Keys of cells. Kinds are bound to names once: reading a member off an enum is slow on 3.11."""

from typing import Any, Final

from dhruva.cells import FollowUp, Key, Kind
from dhruva.ids import InstanceId, OwnerId, Ref, ScopeId

SCOPE: Final = Kind.SCOPE
POLICY: Final = Kind.POLICY
LANES: Final = Kind.LANES
WAITER: Final = Kind.WAITER
STARVED: Final = Kind.STARVED
REQUEST: Final = Kind.REQUEST
ATTEMPT: Final = Kind.ATTEMPT
RESOURCE: Final = Kind.RESOURCE
TASK: Final = Kind.TASK
SPEC: Final = Kind.SPEC
LINK: Final = Kind.LINK
WATCH: Final = Kind.WATCH
EXECUTOR: Final = Kind.EXECUTOR
DISPATCH: Final = Kind.DISPATCH
GROUP: Final = Kind.GROUP
COOPERATIVE: Final = Kind.COOPERATIVE
DELIVERY: Final = Kind.DELIVERY
LOCK: Final = Kind.LOCK
EFFECT: Final = Kind.EFFECT
INSTANCE: Final = Kind.INSTANCE
HUMAN: Final = Kind.HUMAN
KEPT: Final = Kind.KEPT
PARKED: Final = Kind.PARKED
FOLLOW: Final = Kind.FOLLOW
CAP: Final[Key] = (Kind.CAP,)
FIRST_CARRIER: Final = -4  # where an Ending begins that has carriers to withdraw


def scope(id_: ScopeId) -> Key:
    return (SCOPE, id_)


def policy(id_: ScopeId) -> Key:
    return (POLICY, id_)


def task(id_: OwnerId) -> Key:
    return (TASK, id_)


def spec(id_: OwnerId) -> Key:
    return (SPEC, id_)


def request(id_: OwnerId) -> Key:
    return (REQUEST, id_)


def attempt(ref: Ref) -> Key:
    return (ATTEMPT, ref)


def waiter(id_: OwnerId) -> Key:
    return (WAITER, id_)


def instance(id_: InstanceId) -> Key:
    return (INSTANCE, id_)


def follow(kind: FollowUp, *ids: Any) -> Key:
    return (FOLLOW, kind, *ids)
