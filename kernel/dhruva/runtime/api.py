"""`Authority`: the root of everything that runs, in memory or on a file.

    async with Authority(limit=2) as authority: ...
    async with Authority.open("work.db", limit=4) as authority: ...

Leaving it asks what still runs to end, with the reason shutdown, and waits. Nothing is disposed by that.
"""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final

from dhruva.cells import Kind
from dhruva.ids import ProcessId
from dhruva.inputs import SetCap
from dhruva.limits import UNBOUNDED
from dhruva.runtime.batch import Engine, Facts, Kernel
from dhruva.runtime.environment import Environment, RealEnvironment
from dhruva.runtime.memory import MemoryStore
from dhruva.runtime.outcomes import Rejected
from dhruva.runtime.owner import Owner
from dhruva.runtime.recovery import recover
from dhruva.runtime.running import Running
from dhruva.runtime.scopes import Scope, Terms, answer_of
from dhruva.runtime.shell import InlineShell, Shell, ThreadShell
from dhruva.runtime.shipped import shipped
from dhruva.runtime.sqlite import SqliteStore
from dhruva.runtime.store import Store, StoreError

log: Final = logging.getLogger("dhruva.runtime")


class Authority:
    """Authorizes requests, under one limit over all its scopes, and runs their bodies."""

    def __init__(
        self,
        limit: int | None = None,
        *,
        environment: Environment | None = None,
        kernel: Kernel | None = None,
        journal: bool = False,
        shell: Shell | None = None,
    ) -> None:
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit}; it must be at least 1, or None for no limit")
        self._kernel = kernel or shipped()
        self._limit = limit
        if shell is None:
            shell = InlineShell(_engine(MemoryStore(), self._kernel, journal))
        self._running = Running(shell, environment or RealEnvironment())
        self._listeners: list[Callable[[Rejected], None]] = []

    @classmethod
    def open(
        cls,
        path: str | Path,
        limit: int | None = None,
        *,
        environment: Environment | None = None,
        kernel: Kernel | None = None,
    ) -> "Authority":
        """An authority on this file; it is created if it is not there. One process at a time serves it."""
        runs = kernel or shipped()
        shell = ThreadShell(lambda: _serve(Path(path), runs))
        return cls(limit, environment=environment, kernel=runs, shell=shell)

    @property
    def refused(self) -> int:
        """Inputs that the tables refused so far. Each was answered; none left a trace in the journal."""
        return self._running.shell.refused

    def on_rejected(self, listener: Callable[[Rejected], None]) -> None:
        """Call this with every rejection of a new request (ACT-4)."""
        self._listeners.append(listener)

    def scope(
        self,
        name: str,
        *,
        limit: int = UNBOUNDED,
        spawns: int = UNBOUNDED,
        retry: int = 0,
        retry_on_timeout: bool = False,
        queue: int = 0,
        timeout: float | None = None,
        queue_wait: float | None = None,
    ) -> Scope:
        """A scope of that name, to be entered with `async with`, or opened and disposed by hand."""
        if limit < 1:
            raise ValueError(f"limit of scope {name!r} is {limit}; it must be at least 1")
        terms = Terms(limit, spawns, retry, retry_on_timeout, queue, timeout, queue_wait)
        return Scope(self._running, self._kernel.step, name, terms, self._was_rejected)

    def _was_rejected(self, rejected: Rejected) -> None:
        log.debug("rejected in scope %r: %s", rejected.scope, rejected.reason)
        for listener in self._listeners:
            listener(rejected)

    async def __aenter__(self) -> "Authority":
        try:
            await self._running.shell.start()
            await self._found()
        except BaseException:
            await self._running.shell.close()
            raise
        return self

    async def _found(self) -> None:
        """A new store gets its limit; a known one keeps the limit that it has."""
        stored: list[int | None] = []

        def inputs(facts: Facts) -> tuple[SetCap, ...]:
            cap = facts.read((Kind.CAP,))
            stored.append(None if cap is None else cap.limit)
            return (SetCap(self._limit),) if cap is None and self._limit is not None else ()

        answer = await answer_of(self._running, inputs)
        if isinstance(answer, StoreError):
            raise answer
        if self._limit is not None and stored[-1] not in (None, self._limit):
            raise StoreError(
                f"this store was created with limit {stored[-1]}, and is opened with {self._limit}"
            )

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.closing = True
        try:
            await answer_of(self._running, lambda _facts: ())  # whoever asked before this has been answered
            for handle in list(self._running.handles.values()):
                handle.end("shutdown")
            await asyncio.gather(*(handle.outcome() for handle in [*self._running.handles.values()]))
        finally:
            await self._running.shell.close()


class _Served(SqliteStore):
    """A store and the lock that says who serves it."""

    def __init__(self, path: Path, tables: str) -> None:
        self._owner = Owner(path)
        try:
            super().__init__(path, tables)
        except BaseException:
            self._owner.release()
            raise

    def close(self) -> None:
        super().close()
        self._owner.release()


def _serve(path: Path, kernel: Kernel) -> Engine:
    """In the writer thread: what an earlier process left is settled before anything new begins."""
    store = _Served(path, kernel.tables)
    engine = _engine(store, kernel, True)
    left = recover(engine)
    if left:
        log.warning("%s: %d attempts and requests were left by a process that is gone", path, left)
    return engine


def _engine(store: Store, kernel: Kernel, journal: bool) -> Engine:
    """An engine under an id that no process of this store had before."""
    transaction = store.begin()
    process = ProcessId(transaction.new_id())
    transaction.rollback()
    return Engine(store, kernel, process, journal)
