"""What the outside may do: `may(read, input)`, one named assumption per line (VER-6).

The models let everything happen that this page allows, late and doubled events included, and replay
checks that a real run did nothing else. Whoever could break an assumption is named with it. An input
that no line speaks of may come at any time.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from dhruva import inputs as i
from dhruva.cells import Kind, Read
from dhruva.ids import Ref
from dhruva.machines.attempt import AttemptState
from dhruva.machines.effect import EffectState
from dhruva.machines.instance import InstanceState


class Assumption(NamedTuple):
    """`holds(read, input)` for every input of these classes, or the input cannot come."""

    name: str
    who: str  # who guarantees it
    of: tuple[type, ...]
    holds: Callable[[Read, Any], bool]


def _was_started(read: Read, ref: Ref) -> bool:
    """The attempt lives, or did: an owner's numbers are handed out one after the other."""
    if read((Kind.ATTEMPT, ref)) is not None:
        return True
    task = read((Kind.TASK, ref.owner))
    return task is None or (ref.run <= task.run and ref.number <= task.number)


def _of_started(read: Read, given: Any) -> bool:
    return _was_started(read, given.ref)


def _asked_to_stop(read: Read, given: i.Stopped) -> bool:
    attempt = read((Kind.ATTEMPT, given.ref))
    return attempt is None or attempt.state == AttemptState.ABORTING


def _was_taken(read: Read, given: Any) -> bool:
    effect = read(given.key)
    return effect is None or effect.state in (EffectState.TAKEN, EffectState.INDETERMINATE)


def _timer_was_set(read: Read, given: i.Due) -> bool:
    task = read((Kind.TASK, given.task))
    return task is None or given.run < task.run or (given.run == task.run and given.tries <= task.tries)


def _version_was_committed(read: Read, given: Any) -> bool:
    instance = read((Kind.INSTANCE, given.instance))
    return instance is None or given.version <= instance.version


def _token_was_given(read: Read, given: i.Signal) -> bool:
    instance = read((Kind.INSTANCE, given.instance))
    return instance is None or 1 <= given.token <= instance.token


def _nonce_was_given(read: Read, given: Any) -> bool:
    lock = read((Kind.LOCK, given.target))
    return lock is not None and 1 <= given.nonce <= lock.nonce


def _no_wait_is_open(read: Read, given: i.EarlySignal) -> bool:
    instance = read((Kind.INSTANCE, given.instance))
    waits = instance is not None and instance.state == InstanceState.WAITING
    return not waits or bool(instance.name != given.name)


ENDS: Final = (i.Succeed, i.Fail, i.Stopped, i.OwnerGone, i.Abandon, i.Abort)

ASSUMPTIONS: Final = (
    Assumption("a body ends only if it was started", "the shell", ENDS, _of_started),
    Assumption("a body stops because it was asked to", "the user's executor", (i.Stopped,), _asked_to_stop),
    Assumption(
        "an effect ends only after it was taken", "the shell", (i.Ack, i.EffectFailed, i.Lost), _was_taken
    ),
    Assumption("a timer goes off only after it was set", "the shell", (i.Due,), _timer_was_set),
    Assumption(
        "a slice starts from a version that was committed",
        "the store",
        (i.SliceWaits, i.SliceCompleted, i.SliceFailed, i.SliceError),
        _version_was_committed,
    ),
    Assumption("a token is one that a wait had", "the shell", (i.Signal,), _token_was_given),
    Assumption(
        "an early signal is for no wait that is open",
        "the shell, which stamps the token of an open wait",
        (i.EarlySignal,),
        _no_wait_is_open,
    ),
    Assumption(
        "a nonce is one that a claim had",
        "the store",
        (i.Conflict, i.ChildRecorded, i.Release, i.Unobserved),
        _nonce_was_given,
    ),
)


def may(read: Read, given: Any) -> bool:
    """Whether the outside can give this input here."""
    return broken(read, given) is None


def broken(read: Read, given: Any) -> str | None:
    """The first assumption that this input would break; None if it may come."""
    kind = type(given)
    for assumption in ASSUMPTIONS:
        if kind in assumption.of and not assumption.holds(read, given):
            return assumption.name
    return None
