"""Cancelling the caller: a queued request is taken back, no slot is lost or doubled, no cancel swallowed."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dhruva.runtime.calls import Answer
from dhruva.runtime.context import Context
from dhruva.runtime.handles import Handle
from dhruva.runtime.outcomes import Aborted, Rejected, Succeeded, Withdrawn
from tests.runtime.authorities import authority, hold, nothing, run, scopes_of, settle, started
from tests.runtime.stores import KINDS


@pytest.mark.cites("ACT-13")
@pytest.mark.parametrize("kind", KINDS)
def test_a_caller_cancelled_while_queued_takes_its_request_back(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a", limit=1, queue=1) as scope:
            first = started(await scope.request(hold))
            queued = started(await scope.request(nothing))
            waiting = asyncio.create_task(queued.outcome())
            await settle()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert await queued.outcome() == Withdrawn()
            next_ = started(await scope.request(nothing))
            assert await first.abort()
            await next_

    run(main())


@pytest.mark.parametrize("kind", KINDS)
def test_while_another_waits_for_it_the_request_stays(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a", limit=1, queue=1) as scope:
            first = started(await scope.request(hold))
            queued = started(await scope.request(nothing))
            one, other = asyncio.create_task(queued.outcome()), asyncio.create_task(queued.outcome())
            await settle()
            one.cancel()
            await settle()
            assert not other.done()
            assert await first.abort()
            await other
            assert await queued.outcome() == Succeeded(None)

    run(main())


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_that_runs_belongs_to_its_scope(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path) as here:
            async with here.scope("a") as scope:
                runs = started(await scope.request(hold))
                waiting = asyncio.create_task(runs.outcome())
                await settle()
                waiting.cancel()
                await settle()
                assert waiting.cancelled()
                assert [held.ref for held in scope.alive] == [runs.ref]
            assert await runs.outcome() == Aborted("dispose")

    run(main())


@pytest.mark.parametrize("kind", KINDS)
def test_a_cancel_inside_the_scope_reaches_the_caller_after_everything_ended(
    kind: str, tmp_path: Path
) -> None:
    ended: list[str] = []

    async def main() -> None:
        runs = asyncio.Event()

        async def body(ctx: Context) -> None:
            runs.set()
            ended.append(await ctx.signal.wait())

        async def work() -> None:
            async with authority(kind, tmp_path) as here, here.scope("a") as scope:
                await scope.request(body)
                await asyncio.Event().wait()

        task = asyncio.create_task(work())
        await runs.wait()
        await settle()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    assert ended == ["dispose"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_that_is_cancelled_has_ended_and_its_slot_is_free(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path, 1) as here, here.scope("a") as scope:
            handle = started(await scope.request(hold))
            await settle()
            assert handle._task is not None
            handle._task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await handle
            await started(await scope.request(nothing))

    run(main())


@pytest.mark.cites("ACT-13", "ACT-16")
@pytest.mark.parametrize("queued", [False, True])
def test_who_is_cancelled_before_the_answer_wants_it_no_longer(
    tmp_path: Path, queued: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer may be there at the very moment of the cancel: then, too, nobody holds the handle."""
    asked: list[Handle[Any]] = []
    ask = Handle.asked

    async def noted(self: Handle[Any]) -> Answer:
        asked.append(self)
        return await ask(self)

    monkeypatch.setattr(Handle, "asked", noted)

    async def main() -> None:
        async with authority("sqlite", tmp_path) as here, here.scope("a", limit=1, queue=1) as scope:
            first = started(await scope.request(hold)) if queued else None
            left = set() if first is None else {first}
            for last_moment in (False, True):
                asking = asyncio.create_task(scope.request(hold))
                await asyncio.sleep(0)
                if last_moment:
                    while asked[-1].answer is None:
                        time.sleep(0.001)
                        await asyncio.sleep(0)
                asking.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await asking
                while asked[-1].answer is None or scope._living != left:
                    await asyncio.sleep(0.001)

    run(main())


DELAYS = st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=12)


@pytest.mark.cites("ACT-16", "ACT-2d")
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(delays=DELAYS, queue=st.integers(0, 3))
def test_no_cancel_loses_or_doubles_a_slot(
    kind: str, tmp_path_factory: pytest.TempPathFactory, delays: list[tuple[int, bool]], queue: int
) -> None:
    """Each caller asks, awaits, and is cancelled after so many turns of the loop, wherever it is by then."""
    folder, limit, most, now = tmp_path_factory.mktemp("cancel"), 2, 0, 0

    async def body(ctx: Context) -> None:
        nonlocal most, now
        now += 1
        most = max(most, now)
        await asyncio.wait([asyncio.ensure_future(ctx.signal.wait())], timeout=0.002)
        now -= 1

    async def main() -> None:
        async with authority(kind, folder, limit) as here, here.scope("a", queue=queue) as scope:

            async def caller() -> None:
                answer = await scope.request(body)
                if not isinstance(answer, Rejected):
                    await answer.outcome()

            tasks = []
            for turns, cancel in delays:
                tasks.append(asyncio.create_task(caller()))
                for _ in range(turns):
                    await asyncio.sleep(0)
                if cancel:
                    tasks[-1].cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
            for (_, cancel), end in zip(delays, ends, strict=True):
                assert end is None or (cancel and isinstance(end, asyncio.CancelledError))
            while scope.alive:
                await asyncio.sleep(0.001)
            full = [await scope.request(hold) for _ in range(limit)]
            assert not any(isinstance(answer, Rejected) for answer in full)
        cells = scopes_of(here, kind, folder)
        assert [(cell.active, cell.live, cell.queued, cell.waiting) for cell in cells] == [(0, 0, 0, 0)]

    run(main())
    assert most <= limit
