"""How a request can end, as values, and the errors that say the same where a value cannot be given."""

from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from dhruva.ids import Ref
from dhruva.table import Refused
from dhruva.why import Route, explained, route_of

T_co = TypeVar("T_co", covariant=True)


class Held(NamedTuple):
    """Something alive that keeps its scope from being disposed (ACT-11)."""

    what: str  # attempt, request, worker, handler or stream
    name: str  # of its function
    ref: Ref | None  # of its attempt; None for a request that is queued
    asked: str | None  # why it was asked to end, if it was
    unstoppable: bool  # a thread: it can be asked, and no more

    def __str__(self) -> str:
        state = "runs" if self.asked is None else f"was asked to end ({self.asked}) and has not"
        stop = "; it runs in a thread, which nobody can stop" if self.unstoppable else ""
        return f"{self.what} {self.name} {'' if self.ref is None else tuple(self.ref)} {state}{stop}"


@dataclass(frozen=True, slots=True)
class Rejected:
    """The authority said no, for one reason. Nothing ran and nothing is stored (ACT-3, ACT-4)."""

    scope: str
    reason: str


@dataclass(frozen=True, slots=True)
class Succeeded(Generic[T_co]):
    """The body returned this."""

    value: T_co


@dataclass(frozen=True, slots=True)
class Failed:
    """The body raised this, and no retry is left. `rejected`: why the retry that was left did not start."""

    error: BaseException
    rejected: str | None = None


@dataclass(frozen=True, slots=True)
class Aborted:
    """The attempt was asked to end, for this reason, and its body has ended."""

    reason: str


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The request was taken back while it was queued."""


Ended = Succeeded[T_co] | Failed | Aborted | Rejected | Withdrawn
"""How a request whose body returns a T can end."""


class NotRun(Exception):
    """A request that was queued has not run; `outcome` says why."""

    def __init__(self, outcome: Rejected | Withdrawn) -> None:
        super().__init__(f"rejected: {outcome.reason}" if isinstance(outcome, Rejected) else "withdrawn")
        self.outcome = outcome


class AttemptAborted(Exception):
    """The body was asked to end; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"aborted: {reason}")
        self.reason = reason


class NotAllowed(Exception):
    """The tables refuse it: the message names state, event, rule and the way to where it may be."""

    def __init__(self, what: str, refused: Refused) -> None:
        state = refused.state or "not there"
        super().__init__(f"{what} is {state}: {refused.event} is {explained(refused)}")
        self.refused = refused

    @property
    def route(self) -> Route | None:
        """The shortest legal way to what was asked for, if there is one (SHL-8)."""
        return route_of(self.refused)


class WasParked(Exception):
    """Handling it raised. It was put aside under this number; the rest went on (SHL-5)."""

    def __init__(self, parked: int | None, error: str) -> None:
        super().__init__(f"put aside as {parked}: {error}")
        self.parked, self.error = parked, error


class ScopeKnown(Exception):
    """A scope of this name is open already; it lives on (ACT-17)."""

    def __init__(self, name: str) -> None:
        super().__init__(f"scope {name!r} is open already in this authority")
        self.name = name


class OtherTerms(Exception):
    """The scope lives, and was created on other terms than it is opened with (ACT-17)."""

    def __init__(self, name: str, field: str, stored: object, given: object) -> None:
        super().__init__(f"scope {name!r} was created with {field}={stored}, and is opened with {given}")
        self.name, self.field, self.stored, self.given = name, field, stored, given
