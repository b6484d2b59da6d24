"""The cells of ghosts, and the moves of the outside that only ghosts see (ghosts.py)."""

from typing import Final, NamedTuple

from dhruva.cells import OwnerKind
from dhruva.ids import ExecutorId, Nonce, OwnerId, Priority, Ref, ScopeId, TargetId


class Used(NamedTuple):
    """The id of a task or a one-off request was handed out; its newest attempt is this one."""

    kind: OwnerKind
    run: int
    last: int  # 0: no attempt yet


class Record(NamedTuple):
    """Which fields of a task's record are set (LIF-16)."""

    started: bool
    completed: bool
    result: bool
    error: bool
    progress: int


class Handed(NamedTuple):
    """What became of a claim that was handed over, under (target, nonce)."""

    ref: Ref
    spawn: int
    spawns: bool  # a background spawn
    owner: bool  # who claimed it is up
    started: bool  # the child was started, or can no longer be
    runs: bool  # the child runs
    observed: bool  # something was observed that releases
    forced: bool  # an operator, by name and for a reason, released the lock from under it


class Up(NamedTuple):
    """Some process holds the advisory lock of this claim."""


class Answers(NamedTuple):
    """The target answers a probe: the child of this claim does."""

    nonce: Nonce


class Performed(NamedTuple):
    """This effect was taken."""


class Spent(NamedTuple):
    """This token of an instance has resumed it."""


class Place(NamedTuple):
    """When a waiter came into its line, counted over all that ever came, and when its neighbours did."""

    scope: ScopeId
    priority: Priority
    executor: ExecutorId | None
    before: OwnerId | None
    behind: OwnerId | None
    at: int
    at_before: int
    at_behind: int


class Comings(NamedTuple):
    """How many have ever come into a line."""

    last: int


GHOSTS: Final[dict[str, type]] = {
    "used": Used,
    "record": Record,
    "handed": Handed,
    "up": Up,
    "answers": Answers,
    "performed": Performed,
    "spent": Spent,
    "place": Place,
    "comings": Comings,
}


# Moves of the outside


class Spawns(NamedTuple):
    """The owner of a claim that was handed over for a spawn starts the child."""

    target: TargetId
    nonce: Nonce


class ChildGone(NamedTuple):
    target: TargetId
    nonce: Nonce


class OwnerCrashes(NamedTuple):
    target: TargetId
    nonce: Nonce


MOVES: Final = (Spawns, ChildGone, OwnerCrashes)
