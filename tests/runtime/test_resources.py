"""Workers and handlers: bound to one attempt, ended with it, and their own events until they have."""

import asyncio
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from dhruva.cells import Kind
from dhruva.runtime.api import Authority
from dhruva.runtime.child import ChildExited, ChildFailed
from dhruva.runtime.context import Context
from dhruva.runtime.inline import InlineShell
from dhruva.runtime.outcomes import Aborted, AttemptAborted, Failed, NotAllowed, Rejected, Succeeded
from dhruva.runtime.resources import Handler, Worker
from dhruva.runtime.shipped import shipped
from dhruva.runtime.sqlite import SqliteStore
from tests.runtime.authorities import authority, hold, run, scopes_of, settle, started
from tests.runtime.stores import KINDS

pytestmark = pytest.mark.parametrize("kind", KINDS)


def resources_of(of: Authority, kind: str, folder: Path) -> list[Any]:
    """The resource cells that are left, once the authority is closed."""
    if kind == "memory":
        shell = of._running.shell
        assert isinstance(shell, InlineShell)
        return [cell for key, cell in shell.engine.store.cells() if key[0] == Kind.RESOURCE]
    store = SqliteStore(folder / "work.db", shipped().tables)
    found = [cell for key, cell in store.cells() if key[0] == Kind.RESOURCE]
    store.close()
    return found


def nothing_is_left(of: Authority, kind: str, folder: Path) -> None:
    assert of._running.resources == {}
    assert resources_of(of, kind, folder) == []
    assert {(cell.active, cell.live) for cell in scopes_of(of, kind, folder)} == {(0, 0)}


async def doubled(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


def in_process(number: int) -> dict[str, int]:
    return {"pid": os.getpid(), "twice": 2 * number}


def sleeps(seconds: float) -> None:
    time.sleep(seconds)


def raises(text: str) -> None:
    raise LookupError(text)


def leaves() -> None:
    os._exit(7)


@pytest.mark.cites("ACT-9", "ACT-7")
def test_workers_of_each_kind_give_what_they_return(kind: str, tmp_path: Path) -> None:
    async def body(ctx: Context) -> list[Any]:
        coroutine = await ctx.spawn_worker(doubled, 4)
        thread = await ctx.spawn_worker(threading.current_thread)
        process = await ctx.spawn_worker(in_process, 4, kind="process")
        assert (coroutine.kind, thread.kind, process.kind) == ("coroutine", "thread", "process")
        assert [worker.unstoppable for worker in (coroutine, thread, process)] == [False, True, False]
        return [await coroutine, (await thread).name, await process]

    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            twice, thread, process = await started(await scope.request(body))
            assert (twice, thread, process["twice"]) == (8, "dhruva-current_thread", 8)
            assert process["pid"] != os.getpid()
            assert not scope.alive
        nothing_is_left(here, kind, tmp_path)

    run(main())


@pytest.mark.cites("ACT-9g", "ACT-15", "ACT-18")
@pytest.mark.parametrize("place", ["coroutine", "process", "thread"])
def test_a_worker_that_fails_aborts_its_attempt(kind: str, tmp_path: Path, place: Any) -> None:
    async def raises_here(text: str) -> None:
        raise LookupError(text)

    async def body(ctx: Context) -> object:
        worker = await ctx.spawn_worker(raises_here if place == "coroutine" else raises, "gone", kind=place)
        reason = await ctx.signal.wait()
        ended = await worker.outcome()
        assert isinstance(ended, Failed)
        assert isinstance(ended.error, ChildFailed if place == "process" else LookupError)
        assert "gone" in str(ended.error)
        return reason

    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            assert await started(await scope.request(body)).outcome() == Aborted("worker")
        nothing_is_left(here, kind, tmp_path)

    run(main())


@pytest.mark.cites("ACT-9g")
def test_a_process_that_dies_is_a_worker_that_failed(kind: str, tmp_path: Path) -> None:
    async def body(ctx: Context) -> None:
        worker = await ctx.spawn_worker(leaves, kind="process")
        await ctx.signal.wait()
        with pytest.raises(ChildExited, match="exited with 7"):
            await worker

    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            assert await started(await scope.request(body)).outcome() == Aborted("worker")

    run(main())


@pytest.mark.cites("ACT-9b", "ACT-11b", "ACT-11f", "ACT-16")
@pytest.mark.parametrize("how", ["dispose", "return", "error", "user"])
def test_everything_ends_with_its_attempt(kind: str, tmp_path: Path, how: str) -> None:
    ended: list[str] = []
    left: list[Any] = []

    async def work(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(name)

    async def body(ctx: Context) -> None:
        left.append(await ctx.spawn_worker(work, "worker"))
        left.append(await ctx.spawn_worker(sleeps, 60, kind="process"))
        pending, called = await ctx.add_handler(work), await ctx.add_handler(work)
        calling = asyncio.ensure_future(called("handler"))
        left.extend((pending, called, calling))
        await settle()
        if how == "error":
            raise ValueError("enough")
        if how != "return":
            await ctx.signal.wait()

    async def main() -> None:
        async with authority(kind, tmp_path) as here:
            async with here.scope("a") as scope:
                handle = started(await scope.request(body))
                while len(left) < 5:
                    await settle()
                if how == "user":
                    await settle()
                    await handle.abort()
                if how != "dispose":
                    await handle.outcome()
            reason = {"dispose": "dispose", "user": "user"}.get(how, "the attempt has ended")
            worker, process, pending, called, calling = left
            assert await worker.outcome() == await called.outcome() == Aborted(reason)
            assert await process.outcome() == await pending.outcome() == Aborted(reason)
            with pytest.raises(AttemptAborted, match=reason):
                await calling
            with pytest.raises(NotAllowed, match="absent"):
                await pending("too late")
        nothing_is_left(here, kind, tmp_path)

    run(main())
    assert sorted(ended) == ["handler", "worker"]


@pytest.mark.cites("ACT-11", "ACT-16")
def test_a_thread_is_unstoppable_and_named_until_it_ends(kind: str, tmp_path: Path) -> None:
    over = threading.Event()

    async def body(ctx: Context) -> None:
        await ctx.spawn_worker(over.wait)

    async def main() -> None:
        async with authority(kind, tmp_path) as here:
            scope = await here.scope("a", limit=1).open()
            await started(await scope.request(body))
            again = started(await scope.request(hold))  # the slot is free: the body has ended
            await again.abort()
            await again.outcome()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(scope.dispose(), 0.1)
            (held,) = scope.alive
            assert (held.what, held.name, held.unstoppable) == ("worker", "Event.wait", True)
            assert held.asked == "the attempt has ended"
            assert str(held).endswith("and has not; it runs in a thread, which nobody can stop")
            over.set()
            await scope.dispose()
            assert not scope.alive
        nothing_is_left(here, kind, tmp_path)

    run(main())


@pytest.mark.cites("ACT-9c", "ACT-12")
def test_none_begins_while_the_scope_is_suspended(kind: str, tmp_path: Path) -> None:
    async def body(ctx: Context) -> list[str]:
        refused = []
        for begin in (ctx.spawn_worker(doubled, 1), ctx.add_handler(doubled), ctx.open_stream()):
            with pytest.raises(NotAllowed, match="add is refused by ACT-9 ACT-12") as found:
                await begin
            refused.append(found.value.refused.because)
        return refused

    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            go = asyncio.Event()

            async def waits(ctx: Context) -> list[str]:
                await go.wait()
                return await body(ctx)

            handle = started(await scope.request(waits))
            await scope.suspend()
            go.set()
            assert await handle == ["SUSPENDED"] * 3

    run(main())


@pytest.mark.cites("ACT-8b", "ACT-9a")
def test_a_dead_ref_begins_nothing(kind: str, tmp_path: Path) -> None:
    kept: list[Context] = []

    async def body(ctx: Context) -> None:
        kept.append(ctx)

    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            await started(await scope.request(body))
            before = here.refused
            with pytest.raises(NotAllowed, match=r"a worker of \(.*\) is not there: add is refused"):
                await kept[0].spawn_worker(doubled, 1)
            assert here.refused == before + 1
        nothing_is_left(here, kind, tmp_path)

    run(main())


@pytest.mark.cites("ACT-9e", "ACT-9g")
def test_a_handler_is_called_once_and_one_that_fails_aborts(kind: str, tmp_path: Path) -> None:
    async def answers(question: int) -> int:
        if question == 0:
            raise ZeroDivisionError
        return 42 // question

    async def body(ctx: Context) -> list[Handler[int]]:
        first, second = await ctx.add_handler(answers), await ctx.add_handler(answers)
        assert await first(2) == 21
        with pytest.raises(NotAllowed, match=r"handler .*answers is not there: start is refused"):
            await first(2)
        with pytest.raises(ZeroDivisionError):
            await second(0)
        await ctx.signal.wait()
        return [first, second]

    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            assert await started(await scope.request(body)).outcome() == Aborted("handler")
        nothing_is_left(here, kind, tmp_path)

    run(main())


@pytest.mark.cites("ACT-8b", "ACT-8c", "ACT-16")
def test_a_worker_that_ignores_its_cancel_ends_when_it_does(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        over = asyncio.Event()
        workers: list[Worker[str]] = []

        async def deaf() -> str:
            while True:
                try:
                    await over.wait()
                    return "in the end"
                except asyncio.CancelledError:
                    continue

        async def body(ctx: Context) -> None:
            workers.append(await ctx.spawn_worker(deaf))
            await settle()

        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            await started(await scope.request(body))
            await settle()
            assert [held.what for held in scope.alive] == ["worker"]
            over.set()
            assert await workers[0].outcome() == Succeeded("in the end")
        nothing_is_left(here, kind, tmp_path)

    run(main())


@pytest.mark.cites("ACT-10b")
def test_a_retry_has_nothing_of_the_attempt_before(kind: str, tmp_path: Path) -> None:
    workers: list[Worker[None]] = []
    refs = []

    async def forever() -> None:
        await asyncio.Event().wait()

    async def body(ctx: Context) -> str:
        refs.append(ctx.ref)
        workers.append(await ctx.spawn_worker(forever))
        if len(workers) == 1:
            raise ValueError("again")
        assert await workers[0].outcome() == Aborted("the attempt has ended")
        return "done"

    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a", retry=1) as scope:
            assert await started(await scope.request(body)) == "done"
        assert refs[0] != refs[1]
        nothing_is_left(here, kind, tmp_path)

    run(main())


@pytest.mark.cites("ACT-9b")
def test_who_is_cancelled_while_a_worker_is_added_has_none(kind: str, tmp_path: Path) -> None:
    ran: list[int] = []

    async def work() -> None:
        ran.append(1)

    async def body(ctx: Context) -> None:
        spawning = asyncio.ensure_future(ctx.spawn_worker(work))
        await asyncio.sleep(0)
        if not spawning.done():  # on a file the answer takes its time
            spawning.cancel()
        await asyncio.wait([spawning])
        if not spawning.cancelled():
            await spawning.result()
            ran.clear()

    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            await started(await scope.request(body))
        nothing_is_left(here, kind, tmp_path)

    run(main())
    assert ran == []


def test_leaving_the_authority_ends_the_workers_too(kind: str, tmp_path: Path) -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("worker")

    async def body(ctx: Context) -> None:
        await ctx.spawn_worker(work)
        await ctx.signal.wait()

    async def main() -> None:
        async with authority(kind, tmp_path) as here:
            scope = await here.scope("a").open()
            answer = await scope.request(body)
            assert not isinstance(answer, Rejected)
            await settle()
        assert ended == ["worker"]
        nothing_is_left(here, kind, tmp_path)

    run(main())


def test_nonsense_is_refused_with_words(kind: str, tmp_path: Path) -> None:
    def here(_number: int) -> None:
        """Nobody else finds it."""

    async def body(ctx: Context) -> None:
        with pytest.raises(ValueError, match="kind is 'fiber'; a worker is one of coroutine, proc"):
            await ctx.spawn_worker(doubled, 1, kind="fiber")  # type: ignore[call-overload]
        with pytest.raises(ValueError, match="sleeps is no async function, and cannot be a worker"):
            await ctx.spawn_worker(sleeps, 1, kind="coroutine")
        with pytest.raises(ValueError, match="sleeps is no async function, and cannot be a handler"):
            await ctx.add_handler(sleeps)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="ahead is 0; a stream holds at least 1 value"):
            await ctx.open_stream(0)
        with pytest.raises(ValueError, match=r"here cannot run in a process: .*here is not this function"):
            await ctx.spawn_worker(here, 1, kind="process")

    async def main() -> None:
        async with authority(kind, tmp_path) as of, of.scope("a") as scope:
            await started(await scope.request(body))

    run(main())
