"""Clock and timers, injected: a run with another environment is another run of the same code (ACT-14).

Ids of cells come from the store, which never gives one out twice; those that people use come from here.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol
from uuid import UUID, uuid4


class Cancellable(Protocol):
    """A timer that was set."""

    def cancel(self) -> None: ...


class Environment(Protocol):
    """What the outside gives: the time, a call after some time, an id that nobody else has."""

    def now(self) -> datetime:
        """The time, in UTC."""

    def later(self, seconds: float, call: Callable[[], None]) -> Cancellable:
        """Call it on the event loop, so many seconds from now."""

    def new_uuid(self) -> UUID:
        """A random one (version 4)."""


class RealEnvironment:
    """The clock of this machine, and the timers of the running event loop."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def later(self, seconds: float, call: Callable[[], None]) -> Cancellable:
        return asyncio.get_running_loop().call_later(seconds, call)

    def new_uuid(self) -> UUID:
        return uuid4()
