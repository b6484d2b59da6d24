"""Authorities on each store, an environment with a clock of its own, and bodies to run."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid4

from dhruva.cells import Kind, Scope
from dhruva.runtime.api import Authority
from dhruva.runtime.calls import Kernel
from dhruva.runtime.context import Context
from dhruva.runtime.handles import Handle
from dhruva.runtime.inline import InlineShell
from dhruva.runtime.outcomes import Rejected
from dhruva.runtime.shipped import shipped
from dhruva.runtime.sqlite import SqliteStore

T = TypeVar("T")


class FakeTimer:
    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self.seconds, self.call, self.cancelled = seconds, call, False

    def cancel(self) -> None:
        self.cancelled = True


class FakeEnvironment:
    """The clock stands, and timers go off when the test says so."""

    def __init__(self) -> None:
        self.timers: list[FakeTimer] = []
        self.clock = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.clock

    def new_uuid(self) -> UUID:
        return uuid4()

    def later(self, seconds: float, call: Callable[[], None]) -> FakeTimer:
        self.timers.append(FakeTimer(seconds, call))
        return self.timers[-1]

    def fire(self, seconds: float) -> int:
        """So much later: all timers of that length that were not cancelled; how many there were."""
        self.clock += timedelta(seconds=seconds)
        due = [timer for timer in self.timers if timer.seconds == seconds and not timer.cancelled]
        for timer in due:
            timer.cancelled = True
            timer.call()
        return len(due)


def authority(kind: str, folder: Path, limit: int | None = None, **named: Any) -> Authority:
    return (
        Authority(limit, **named) if kind == "memory" else Authority.open(folder / "work.db", limit, **named)
    )


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs to its end, or fails. The bound is wide: a shared disk can stall for many seconds."""

    async def bounded() -> T:
        return await asyncio.wait_for(main, 60)

    return asyncio.run(bounded())


def started(answer: "Handle[T] | Rejected") -> "Handle[T]":
    assert isinstance(answer, Handle), answer
    return answer


def scopes_of(of: Authority, kind: str, folder: Path, kernel: Kernel | None = None) -> list[Scope]:
    """The scope cells that are stored, once the authority is closed, but for the root scope."""
    if kind == "memory":
        shell = of._running.shell
        assert isinstance(shell, InlineShell)
        return [cell for key, cell in shell.engine.store.cells() if key[0] == Kind.SCOPE][1:]
    store = SqliteStore(folder / "work.db", (kernel or shipped()).tables)
    found = [cell for key, cell in store.cells() if key[0] == Kind.SCOPE]
    store.close()
    return found[1:]


async def settle() -> None:
    """Let everything happen that can happen now, on either store."""
    for _ in range(20):
        await asyncio.sleep(0.001)


async def hold(ctx: Context) -> str:
    """A body that honours its signal."""
    return await ctx.signal.wait()


async def nothing(_ctx: Context) -> None:
    """A body that has ended."""
