"""Hundreds of callers that are cancelled at random moments: no slot is lost or doubled, nothing is left over.

The journal of each run is replayed afterwards (conftest), so every step was one that the models know.
"""

import asyncio
import random
from pathlib import Path

import pytest

from dhruva.ids import Priority
from dhruva.runtime.context import Context
from dhruva.runtime.handles import Handle
from dhruva.runtime.outcomes import Aborted, Failed, NotAllowed, Rejected, Succeeded, Withdrawn
from dhruva.runtime.scopes import Scope
from dhruva.runtime.streams import StreamAborted
from tests.runtime.authorities import authority, hold, run
from tests.runtime.stores import KINDS
from tests.runtime.test_resources import nothing_is_left

CALLERS, LIMIT = 150, 5
ENDS = (Succeeded, Failed, Aborted, Rejected, Withdrawn)


class Crowd:
    """Bodies that count themselves, and callers that lose patience."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.now = self.most = 0
        self.ended: list[object] = []

    async def turns(self, most: int = 6) -> None:
        for _ in range(self.chance.randrange(most)):
            await asyncio.sleep(0)

    async def body(self, ctx: Context) -> str:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            return await self.work(ctx)
        finally:
            self.now -= 1

    async def work(self, ctx: Context) -> str:
        await self.turns()
        lot = self.chance.random()
        if lot < 0.3:
            await self.holds(ctx, lot)
        elif lot < 0.4:
            raise ValueError("again")
        elif lot < 0.5:
            return await ctx.signal.wait() if self.chance.random() < 0.5 else "left at once"
        await self.turns()
        return "done"

    async def holds(self, ctx: Context, lot: float) -> None:
        """A worker, a handler or a stream, which may outlive its body or fail."""
        try:
            if lot < 0.1:
                worker = await ctx.spawn_worker(self.aside, self.chance.random())
                if self.chance.random() < 0.5:
                    await worker.outcome()
            elif lot < 0.2:
                handler = await ctx.add_handler(self.aside)
                if self.chance.random() < 0.5:
                    await handler(self.chance.random())
            else:
                stream = await ctx.open_stream()
                await stream.send(1)
                if self.chance.random() < 0.5:
                    await stream.close()
        except (NotAllowed, StreamAborted, LookupError):
            pass  # the attempt was asked to end meanwhile, or the handler failed

    async def aside(self, lot: float) -> None:
        await self.turns()
        if lot < 0.2:
            raise LookupError
        if lot < 0.4:
            await asyncio.Event().wait()

    async def caller(self, scope: Scope) -> None:
        answer = await scope.request(self.body, priority=self.chance.choice([*Priority]))
        if isinstance(answer, Handle):
            if self.chance.random() < 0.1:
                await answer.abort()
            answer = await answer.outcome()  # type: ignore[assignment]
        self.ended.append(answer)

    async def meddle(self, scope: Scope) -> None:
        await scope.suspend()
        await self.turns()
        await scope.resume()


@pytest.mark.cites("ACT-2d", "ACT-9b", "ACT-11f", "ACT-13", "ACT-16")
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", KINDS)
def test_no_cancel_loses_or_doubles_anything(kind: str, seed: int, tmp_path: Path) -> None:
    crowd = Crowd(seed)

    async def main() -> None:
        async with authority(kind, tmp_path, LIMIT) as here, here.scope("a", queue=20, retry=1) as scope:
            started = []
            for number in range(CALLERS):
                started.append(asyncio.create_task(crowd.caller(scope)))
                await crowd.turns(4)
                if crowd.chance.random() < 0.4:
                    crowd.chance.choice(started).cancel()
                if number % 50 == 49:
                    await crowd.meddle(scope)
            await asyncio.sleep(0.05)
            for task in started:
                if crowd.chance.random() < 0.5:
                    task.cancel()
            waiting = [task for task in started if not task.done()]
            if waiting:
                await asyncio.wait(waiting, timeout=0.3)
            for living in [*scope._living]:
                if isinstance(living, Handle):
                    await living.abort()
            ends = await asyncio.gather(*started, return_exceptions=True)
            assert {type(end) for end in ends} <= {type(None), asyncio.CancelledError}
            while any(held.what in ("attempt", "request") for held in scope.alive):
                await asyncio.sleep(0.001)
            full = [await scope.request(hold) for _ in range(LIMIT + 21)]
            assert [type(answer) for answer in full] == [Handle] * (LIMIT + 20) + [Rejected]
        nothing_is_left(here, kind, tmp_path)

    run(main())
    assert crowd.most <= LIMIT
    assert crowd.now == 0
    assert {type(end) for end in crowd.ended} <= set(ENDS)
    assert len({type(end) for end in crowd.ended}) >= 3
