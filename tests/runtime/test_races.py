"""Two things in one transaction, or one just after the other: the moments where a shell loses something.

The writer is held back, so that calls meet in one batch; or the event loop is, so that a transaction is
durable before anyone has heard of it. Each test fails if the line of the shell is taken out that it is about.
"""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dhruva.cells import Kind
from dhruva.ids import TaskStatus
from dhruva.runtime.api import Authority
from dhruva.runtime.calls import Call, Facts
from dhruva.runtime.context import Context
from dhruva.runtime.outcomes import Aborted
from tests.runtime.authorities import authority, hold, run, settle, started

Inputs = dict[str, Any]
NEXT_BATCH = 0.1  # seconds in which the writer surely takes what is queued


@contextmanager
def writer_held(here: Authority) -> Iterator[None]:
    """What is submitted meanwhile is one batch."""
    held, go_on = threading.Event(), threading.Event()

    def waits(_facts: Facts) -> tuple[()]:
        held.set()
        go_on.wait(30)
        return ()

    here._running.shell.submit(Call(waits, lambda _answer: None))
    assert held.wait(30)
    try:
        yield
    finally:
        go_on.set()


@pytest.mark.cites("ACT-11", "ACT-16", "ACT-18")
def test_a_request_that_is_aborted_and_ends_in_one_transaction(tmp_path: Path) -> None:
    async def main() -> None:
        async with authority("sqlite", tmp_path) as here, here.scope("a") as scope:
            gate = asyncio.Event()

            async def body(_ctx: Context) -> str:
                await gate.wait()
                return "too late"

            handle = started(await scope.request(body))
            await settle()
            with writer_held(here):
                handle.end("user")
                gate.set()
                for _ in range(5):
                    await asyncio.sleep(0)
            assert await asyncio.wait_for(handle.outcome(), 10) == Aborted("user")

    run(main())


@pytest.mark.cites("LIF-8", "ACT-18")
def test_a_task_that_is_cancelled_and_ends_in_one_transaction(tmp_path: Path) -> None:
    async def main() -> None:
        async with authority("sqlite", tmp_path) as here:
            gate = asyncio.Event()

            @here.executor
            async def body(_inputs: Inputs) -> Inputs:
                await gate.wait()
                return {"late": True}

            task = await here.create("t", body)
            await settle()
            with writer_held(here):
                cancelling = asyncio.create_task(task.cancel("enough"))
                await asyncio.sleep(0)
                gate.set()
                for _ in range(5):
                    await asyncio.sleep(0)
            await cancelling
            await settle()
            record = await task.record()
            assert (record.status, record.result, record.error) == (TaskStatus.CANCELLED, None, "enough")
            assert not await task.still_runs()

    run(main())


@pytest.mark.cites("ACT-18", "SHL-2c")
def test_what_was_asked_before_leaving_is_answered_and_ended_before_the_store_closes(tmp_path: Path) -> None:
    async def main() -> None:
        ended: list[str] = []

        async def body(ctx: Context) -> None:
            ended.append(await ctx.signal.wait())

        here = await authority("sqlite", tmp_path).__aenter__()
        scope = await here.scope("a").open()
        with writer_held(here):
            asking = asyncio.create_task(scope.request(body))
            await asyncio.sleep(0)
            leaving = asyncio.create_task(here.__aexit__(None, None, None))
            for _ in range(5):
                await asyncio.sleep(0)
        await leaving
        assert ended == ["shutdown"]
        assert started(await asking).ref is not None
        async with authority("sqlite", tmp_path) as again:
            assert await again.look(lambda facts: list(facts.scan(Kind.ATTEMPT))) == []

    run(main())


@pytest.mark.cites("ACT-18", "LIF-15")
def test_a_task_created_just_before_leaving_is_not_left_running(tmp_path: Path) -> None:
    async def main() -> None:
        ended: list[bool] = []
        here = await authority("sqlite", tmp_path).__aenter__()

        @here.executor
        async def body(_inputs: Inputs) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(True)

        await here.look(lambda _facts: None)
        with writer_held(here):
            creating = asyncio.create_task(here.create("t", body))
            await asyncio.sleep(0)
            leaving = asyncio.create_task(here.__aexit__(None, None, None))
            for _ in range(5):
                await asyncio.sleep(0)
        await leaving
        task = await creating
        assert ended in ([], [True])
        async with authority("sqlite", tmp_path) as again:
            record = await (await again.task(task.id)).record()
            assert record.status == TaskStatus.PENDING
            cell = await again.look(lambda facts: facts.read((Kind.TASK, task.number)))
            assert cell.tries == 0

    run(main())


@pytest.mark.cites("ACT-10", "ACT-18")
def test_a_retry_that_starts_just_as_it_is_aborted_is_aborted(tmp_path: Path) -> None:
    async def main() -> None:
        async with authority("sqlite", tmp_path) as here, here.scope("a", retry=1) as scope:
            gate = asyncio.Event()
            refs: list[int] = []

            async def body(ctx: Context) -> None:
                refs.append(ctx.ref.number)
                if ctx.ref.number == 1:
                    await gate.wait()
                    raise ValueError("again")
                await hold(ctx)

            handle = started(await scope.request(body))
            await settle()
            gate.set()
            for _ in range(5):
                await asyncio.sleep(0)
            time.sleep(NEXT_BATCH)  # the second attempt is durable, and nobody here has heard of it
            assert handle.ref is not None
            assert handle.ref.number == 1
            handle.end("user")
            time.sleep(NEXT_BATCH)  # and so is what came of asking it to end
            assert await asyncio.wait_for(handle.outcome(), 10) == Aborted("user")
            assert refs == [1, 2]

    run(main())
