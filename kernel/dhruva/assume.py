"""What the outside may do: `may(read, input)`, one named assumption per line (VER-6).

The models let everything happen that this page allows, late, doubled and foreign events included, and replay
checks that a real run did nothing else. Whoever could break an assumption is named with it. An input
that no line speaks of may come at any time: step refuses what does not fit.

Some facts stand in no cell: which process is up, who holds an advisory lock. Models know them, as ghosts
under `(GHOST, ...)`, which no rule reads; a store has no such cell, and there the line is taken on trust.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from dhruva import inputs as i
from dhruva.cells import Kind, Read
from dhruva.decide.plan import Plan
from dhruva.ids import OwnerId, Ref
from dhruva.machines.instance import InstanceState

GHOST: Final = "ghost"


class Assumption(NamedTuple):
    """`holds(read, input)` for every input of these classes, or the input cannot come."""

    name: str
    who: str  # who guarantees it
    of: tuple[type, ...]
    holds: Callable[[Read, Any], bool]


def _id_is_new(read: Read, given: Any) -> bool:
    """An id that was used and left no cell is a ghost."""
    if read((GHOST, "used", given[0])) is not None:
        return False
    if isinstance(given, i.CreateTask):
        first = Ref(OwnerId(given.task), 1, 1)
        return read((Kind.REQUEST, given.task)) is None and read((Kind.ATTEMPT, first)) is None
    return read((Kind.TASK, given[0])) is None


def _process_is_gone(read: Read, given: i.OwnerGone) -> bool:
    attempt = read((Kind.ATTEMPT, given.ref))
    return attempt is None or read((GHOST, "process", attempt.process)) != "up"


def _no_wait_is_open(read: Read, given: i.EarlySignal) -> bool:
    instance = read((Kind.INSTANCE, given.instance))
    waits = instance is not None and instance.state == InstanceState.WAITING
    return not waits or bool(instance.name != given.name)


def _nobody_holds_it(read: Read, given: i.Takeover) -> bool:
    """The advisory lock of a claim is held by its owner and by the child that inherited it."""
    lock = read((Kind.LOCK, given.target))
    if lock is None or not given.granted:
        return True
    return read((GHOST, "up", given.target, lock.nonce)) is None


def _is_unused(read: Read, given: Any) -> bool:
    return read((GHOST, "handed", given.target, given.nonce)) is None


def _was_claimed_for_it(read: Read, given: i.Deliver) -> bool:
    if given.locked is None:
        return True
    return read((GHOST, "claimant", given.locked, given.nonce)) in (None, given.ref)


def _does_not_answer(read: Read, given: i.Deliver) -> bool:
    """The plan comes from a probe under the lock (REL-10)."""
    return given.plan != Plan.BACKGROUND_SPAWN or read((GHOST, "answers", given.target)) is None


def _has_happened(read: Read, given: i.Observe) -> bool:
    seen = read((GHOST, "seen", given.ref, given.spawn))
    return seen is None or given.event in seen


ASSUMPTIONS: Final = (
    Assumption("an id is handed out once", "the environment", (i.Ask, i.CreateTask), _id_is_new),
    Assumption("a process called gone is gone", "the operating system", (i.OwnerGone,), _process_is_gone),
    Assumption(
        "an early signal is for no wait that is open", "the shell", (i.EarlySignal,), _no_wait_is_open
    ),
    Assumption(
        "a lock that is granted is held by nobody", "the operating system", (i.Takeover,), _nobody_holds_it
    ),
    Assumption(
        "a claim is given back only before it is handed over",
        "the shell",
        (i.Conflict, i.Release),
        _is_unused,
    ),
    Assumption("a claim is handed to who claimed it", "the shell", (i.Deliver,), _was_claimed_for_it),
    Assumption("a target that answers is not spawned", "the probe", (i.Deliver,), _does_not_answer),
    Assumption("what a transport saw has happened", "the operating system", (i.Observe,), _has_happened),
)


def may(read: Read, given: Any, without: str | None = None) -> bool:
    """Whether the outside can give this input here. `without`: one assumption, by name, is not made."""
    return broken(read, given, without) is None


def broken(read: Read, given: Any, without: str | None = None) -> str | None:
    """The first assumption that this input would break; None if it may come."""
    kind = type(given)
    for assumption in ASSUMPTIONS:
        if kind in assumption.of and assumption.name != without and not assumption.holds(read, given):
            return assumption.name
    return None
