"""Streams: values from a body to whoever reads, as long as the attempt lives."""

import asyncio
from pathlib import Path

import pytest

from dhruva.runtime.context import Context
from dhruva.runtime.outcomes import Aborted
from dhruva.runtime.streams import Stream, StreamAborted, StreamClosed
from tests.runtime.authorities import authority, run, settle, started
from tests.runtime.stores import KINDS
from tests.runtime.test_resources import nothing_is_left

pytestmark = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.cites("ACT-9f")
def test_values_arrive_in_order_and_who_writes_waits(kind: str, tmp_path: Path) -> None:
    opened: list[Stream] = []
    most = 0

    async def body(ctx: Context) -> bool:
        nonlocal most
        stream = await ctx.open_stream(ahead=2)
        opened.append(stream)
        for number in range(10):
            await stream.send(number)
            most = max(most, len(stream._values))
        assert await stream.close()
        with pytest.raises(StreamClosed):
            await stream.send(11)
        return await stream.close()

    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            handle = started(await scope.request(body))
            while not opened:
                await settle()
            assert [value async for value in opened[0]] == list(range(10))
            assert not await handle  # it was closed already
        nothing_is_left(here, kind, tmp_path)

    run(main())
    assert most == 2


@pytest.mark.cites("ACT-9b", "ACT-11b")
@pytest.mark.parametrize("how", ["dispose", "return"])
def test_an_open_stream_is_aborted_with_its_attempt(kind: str, tmp_path: Path, how: str) -> None:
    opened: list[Stream] = []

    async def body(ctx: Context) -> None:
        opened.append(await ctx.open_stream())
        await opened[0].send("last words")
        await settle()
        if how == "dispose":
            await ctx.signal.wait()

    async def reads(stream: Stream) -> list[str]:
        return [value async for value in stream]

    async def main() -> None:
        async with authority(kind, tmp_path) as here:
            async with here.scope("a") as scope:
                handle = started(await scope.request(body))
                while not opened:
                    await settle()
                reading = asyncio.create_task(reads(opened[0]))
                await settle()
                if how == "return":
                    await handle
            reason = "dispose" if how == "dispose" else "the attempt has ended"
            with pytest.raises(StreamAborted, match=f"aborted: {reason}"):
                await reading
            with pytest.raises(StreamAborted):
                await opened[0].send("too late")
            assert not await opened[0].close()
            if how == "dispose":
                assert await handle.outcome() == Aborted("dispose")
        nothing_is_left(here, kind, tmp_path)

    run(main())


@pytest.mark.cites("ACT-9f")
def test_who_waits_to_write_hears_of_the_abort(kind: str, tmp_path: Path) -> None:
    heard: list[str] = []

    async def body(ctx: Context) -> None:
        stream = await ctx.open_stream(ahead=1)
        await stream.send(1)
        assert not ctx.signal.aborted  # who looks at the signal is told, and not cancelled
        try:
            await stream.send(2)
        except StreamAborted as fault:
            heard.append(fault.reason)

    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            await scope.request(body)
            await settle()
        nothing_is_left(here, kind, tmp_path)

    run(main())
    assert heard == ["dispose"]
