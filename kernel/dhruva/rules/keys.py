"""Short words for the keys that rules use most."""

from typing import Final

from dhruva.cells import Key, Kind
from dhruva.ids import InstanceId, OwnerId, Ref, ScopeId, TaskId

CAP: Final[Key] = (Kind.CAP,)
FIRST_CARRIER: Final = -4  # where an Ending begins that has carriers to withdraw


def scope(id_: ScopeId) -> Key:
    return (Kind.SCOPE, id_)


def task(id_: OwnerId) -> Key:
    return (Kind.TASK, id_)


def spec(id_: OwnerId) -> Key:
    return (Kind.SPEC, id_)


def request(id_: OwnerId) -> Key:
    return (Kind.REQUEST, id_)


def attempt(ref: Ref) -> Key:
    return (Kind.ATTEMPT, ref)


def waiter(id_: OwnerId) -> Key:
    return (Kind.WAITER, id_)


def instance(id_: InstanceId) -> Key:
    return (Kind.INSTANCE, id_)


def running(id_: TaskId, run: int, number: int) -> Key:
    """The key of the newest attempt of a task."""
    return (Kind.ATTEMPT, Ref(id_, run, number))
