"""A store that fails for a while, is full, or is closed: a clear answer, and nothing lost or half-done."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from dhruva.ids import ProcessId
from dhruva.runtime import shell as shells
from dhruva.runtime.api import Authority
from dhruva.runtime.engine import Engine
from dhruva.runtime.inline import InlineShell
from dhruva.runtime.memory import MemoryStore, MemoryTransaction
from dhruva.runtime.outcomes import Failed, Rejected, Succeeded
from dhruva.runtime.shipped import shipped
from dhruva.runtime.store import CommitFailed, CommitUnknown, Writes
from tests.runtime.authorities import FakeEnvironment, authority, hold, nothing, run, settle, started


class FlakyStore(MemoryStore):
    """A memory store whose transactions end as `ends` says, while it says anything."""

    def __init__(self) -> None:
        super().__init__()
        self.ends: Callable[[MemoryTransaction, Writes], None] | None = None

    def begin(self) -> MemoryTransaction:
        transaction = super().begin()
        return transaction if self.ends is None else Flaky(self)


class Flaky(MemoryTransaction):
    __slots__ = ()

    def commit(self, writes: Writes) -> None:
        store = self._store
        assert isinstance(store, FlakyStore)
        assert store.ends is not None
        store.ends(MemoryTransaction(store), writes)


def fails(transaction: MemoryTransaction, _writes: Writes) -> None:
    transaction.rollback()
    raise CommitFailed("no space left")


def took_place_unseen(transaction: MemoryTransaction, writes: Writes) -> None:
    transaction.commit(writes)
    raise CommitUnknown("gone before it was told")


def flaky() -> tuple[FlakyStore, FakeEnvironment, Authority]:
    store, environment = FlakyStore(), FakeEnvironment()
    engine = Engine(store, shipped(), ProcessId(1), True)
    return store, environment, Authority(1, environment=environment, shell=InlineShell(engine))


@pytest.mark.cites("SHL-2c", "ACT-4a")
def test_a_request_that_was_not_stored_is_an_error_and_ran_nothing() -> None:
    async def main() -> None:
        store, _, here = flaky()
        async with here, here.scope("a") as scope:
            store.ends = fails
            with pytest.raises(CommitFailed, match="no space left"):
                await scope.request(nothing)
            assert not scope.alive
            store.ends = None
            await started(await scope.request(nothing))

    run(main())


@pytest.mark.cites("ACT-16", "LIF-15")
def test_the_end_of_a_body_is_said_again_until_it_is_stored() -> None:
    async def main() -> None:
        store, environment, here = flaky()
        async with here, here.scope("a") as scope:
            handle = started(await scope.request(nothing))
            store.ends = fails
            await settle()
            assert [timer.seconds for timer in environment.timers] == [0.05]
            assert environment.fire(0.05) == 1
            assert [timer.seconds for timer in environment.timers] == [0.05, 0.1]
            assert [held.ref for held in scope.alive] == [handle.ref]
            store.ends = None
            assert await scope.request(nothing) == Rejected("a", "concurrency_limit")
            assert environment.fire(0.1) == 1
            assert await handle.outcome() == Succeeded(None)
            await started(await scope.request(nothing))

    run(main())


@pytest.mark.cites("SHL-2d", "SHL-2c")
def test_after_an_unknown_commit_nothing_is_answered_or_performed_on_a_guess() -> None:
    async def main() -> None:
        store, environment, here = flaky()
        async with here:
            scope = await here.scope("a", queue=1).open()
            handle = started(await scope.request(nothing))
            queued = started(await scope.request(nothing))
            store.ends = took_place_unseen
            ended = await handle.outcome()
            assert isinstance(ended, Failed)
            assert isinstance(ended.error, CommitUnknown)
            store.ends = None
            assert environment.timers == []
            assert queued.ref is None
            with pytest.raises(CommitUnknown, match="gone before it was told"):
                await scope.request(nothing)
        assert isinstance(await queued.outcome(), Failed)

    run(main())


def test_a_store_that_stays_broken_keeps_nobody_from_leaving() -> None:
    async def main() -> None:
        store, environment, here = flaky()
        await here.__aenter__()
        scope = await here.scope("a", queue=2).open()
        ends, waits = started(await scope.request(nothing)), started(await scope.request(nothing))
        store.ends = fails
        await settle()
        leaving = asyncio.create_task(here.__aexit__(None, None, None))
        await settle()
        assert environment.fire(0.05) == 1
        await leaving
        for ended in (await ends.outcome(), await waits.outcome()):
            assert isinstance(ended, Failed)
            assert isinstance(ended.error, CommitFailed)

    run(main())


def test_a_body_hears_of_the_shutdown_even_if_that_cannot_be_stored() -> None:
    async def main() -> None:
        store, _, here = flaky()
        async with here:
            scope = await here.scope("a").open()
            handle = started(await scope.request(hold))
            await settle()
            store.ends = fails
        assert isinstance(await handle.outcome(), Failed)

    run(main())


@pytest.mark.cites("SHL-10a")
def test_more_than_the_writer_takes_is_a_typed_rejection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with authority("sqlite", tmp_path) as here, here.scope("a") as scope:
            with monkeypatch.context() as patch:
                patch.setattr(shells, "QUEUED_MAX", 0)
                assert await scope.request(nothing) == Rejected("a", "store_full")
            await started(await scope.request(nothing))

    run(main())


@pytest.mark.cites("ACT-14a")
def test_ten_thousand_requests_in_one_tick(tmp_path: Path) -> None:
    async def main() -> None:
        async with authority("sqlite", tmp_path, 10) as here, here.scope("a") as scope:
            answers = await asyncio.gather(*(scope.request(hold) for _ in range(10_000)))
            assert sum(isinstance(answer, Rejected) for answer in answers) == 9_990

    run(main())
