"""Authority, scopes, requests and handles, on each store."""

import asyncio
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from dhruva.ids import Priority
from dhruva.runtime.api import Authority
from dhruva.runtime.context import Context
from dhruva.runtime.errors import InvalidDependency
from dhruva.runtime.outcomes import (
    Aborted,
    AttemptAborted,
    Failed,
    NotAllowed,
    NotRun,
    Rejected,
    ScopeKnown,
    Succeeded,
    Withdrawn,
)
from dhruva.runtime.store import StoreError
from tests.runtime.authorities import (
    FakeEnvironment,
    authority,
    hold,
    nothing,
    run,
    scopes_of,
    settle,
    started,
)
from tests.runtime.stores import KINDS

pytestmark = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.cites("ACT-1b", "ACT-3d", "ACT-4a", "ACT-4b")
def test_over_the_limit_is_a_value_and_nothing_ran(kind: str, tmp_path: Path) -> None:
    ran: list[int] = []
    heard: list[Rejected] = []

    async def body(ctx: Context) -> None:
        ran.append(ctx.ref.owner)
        await ctx.signal.wait()

    async def main() -> None:
        async with authority(kind, tmp_path, 2) as here:
            here.on_rejected(heard.append)
            async with here.scope("insights") as scope:
                answers = [await scope.request(body) for _ in range(3)]
                assert answers[2] == Rejected("insights", "concurrency_limit")
                await settle()
        assert here.refused == 1

    run(main())
    assert len(ran) == 2
    assert heard == [Rejected("insights", "concurrency_limit")]


@pytest.mark.cites("ACT-7", "ACT-16")
def test_a_handle_gives_what_the_body_returned_or_raised(kind: str, tmp_path: Path) -> None:
    async def good(ctx: Context) -> int:
        return ctx.ref.number

    async def bad(_ctx: Context) -> int:
        raise LookupError("nowhere")

    async def leaves(_ctx: Context) -> int:
        sys.exit(3)

    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            assert await started(await scope.request(good)) == 1
            assert await started(await scope.request(good)).outcome() == Succeeded(1)
            with pytest.raises(LookupError, match="nowhere"):
                await started(await scope.request(bad))
            left = await started(await scope.request(leaves)).outcome()
            assert isinstance(left, Failed)
            assert isinstance(left.error, SystemExit)
        assert [cell.active for cell in scopes_of(here, kind, tmp_path)] == [0]

    run(main())


@pytest.mark.cites("ACT-7")
def test_a_plain_function_runs_in_a_thread(kind: str, tmp_path: Path) -> None:
    def plain(_ctx: Context) -> str:
        return threading.current_thread().name

    async def main() -> str:
        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            return await started(await scope.request(plain))

    assert run(main()).endswith("plain")


@pytest.mark.cites("ACT-11", "ACT-17")
def test_leaving_disposes_and_waits_and_the_result_is_discarded(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path) as here:
            async with here.scope("a", limit=1, queue=1) as scope:
                runs = started(await scope.request(hold))
                waits = started(await scope.request(nothing))
            assert await runs.outcome() == Aborted("dispose")
            assert await waits.outcome() == Rejected("a", "scope_disposed")
            with pytest.raises(AttemptAborted, match="aborted: dispose"):
                await runs
            with pytest.raises(NotRun, match="rejected: scope_disposed"):
                await waits
            await scope.dispose()
            assert await scope.request(nothing) == Rejected("a", "scope_disposed")
            async with here.scope("a") as again:
                assert again.id != scope.id
        states = [(str(cell.state), cell.active, cell.live) for cell in scopes_of(here, kind, tmp_path)]
        assert states == [("DISPOSED", 0, 0)] * 2

    run(main())


@pytest.mark.cites("ACT-11", "ACT-7d")
def test_a_body_that_never_looked_at_its_signal_is_cancelled(kind: str, tmp_path: Path) -> None:
    seen: list[object] = []

    async def busy(ctx: Context) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            seen.append(ctx.signal.reason)

    async def main() -> None:
        async with authority(kind, tmp_path) as here:
            async with here.scope("a") as scope:
                handle = started(await scope.request(busy))
            assert await handle.outcome() == Aborted("dispose")

    run(main())
    assert seen == ["dispose"]


@pytest.mark.cites("ACT-11", "ACT-7d")
def test_a_body_that_looks_at_its_signal_ends_in_its_own_time(kind: str, tmp_path: Path) -> None:
    """However early it is asked: its first turn comes before."""
    seen: list[object] = []

    async def tidy(ctx: Context) -> None:
        reason = await ctx.signal.wait()
        await asyncio.sleep(0.005)
        seen.append(reason)

    async def polls(ctx: Context) -> None:
        while not ctx.signal.aborted:
            await asyncio.sleep(0.001)
        seen.append(ctx.signal.reason)

    async def main() -> None:
        async with authority(kind, tmp_path) as here:
            async with here.scope("a") as scope:
                for body in (tidy, polls):
                    started(await scope.request(body))
            assert not scope.alive

    run(main())
    assert seen == ["dispose", "dispose"]


@pytest.mark.cites("ACT-11")
def test_a_body_that_ignores_its_signal_keeps_the_scope_and_is_named(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        over = asyncio.Event()

        async def deaf(_ctx: Context) -> None:
            while not over.is_set():
                with suppress(asyncio.CancelledError):
                    await over.wait()

        async with authority(kind, tmp_path) as here:
            scope = await here.scope("a").open()
            handle = started(await scope.request(deaf))
            await settle()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(scope.dispose(), 0.05)
            (held,) = scope.alive
            assert (held.what, held.name, held.ref) == ("attempt", deaf.__qualname__, handle.ref)
            assert str(held).endswith("was asked to end (dispose) and has not")
            over.set()
            await scope.dispose()
            assert not scope.alive
            assert await handle.outcome() == Aborted("dispose")

    run(main())


@pytest.mark.cites("ACT-13", "LIF-6")
def test_who_waits_goes_by_priority_then_in_order(kind: str, tmp_path: Path) -> None:
    order: list[str] = []

    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a", limit=1, queue=4) as scope:
            first = started(await scope.request(hold))
            waiting = []
            for name in ("low", "normal", "normal again", "urgent"):

                async def body(_ctx: Context, name: str = name) -> None:
                    order.append(name)

                priority = Priority[name.split()[0].upper()]
                waiting.append(started(await scope.request(body, priority=priority)))
            assert await scope.request(nothing) == Rejected("a", "queue_full")
            assert await first.abort()
            for handle in waiting:
                await handle

    run(main())
    assert order == ["urgent", "normal", "normal again", "low"]


@pytest.mark.cites("ACT-10", "ACT-8")
def test_a_retry_is_a_new_attempt_under_a_new_ref(kind: str, tmp_path: Path) -> None:
    refs: list[tuple[int, int]] = []

    async def flaky(ctx: Context) -> str:
        refs.append((ctx.ref.owner, ctx.ref.number))
        if len(refs) < 3:
            raise ValueError(len(refs))
        return "done"

    async def main() -> str:
        async with authority(kind, tmp_path) as here, here.scope("a", retry=2) as scope:
            return await started(await scope.request(flaky))

    assert run(main()) == "done"
    assert [number for _, number in refs] == [1, 2, 3]
    assert len({owner for owner, _ in refs}) == 1


@pytest.mark.cites("ACT-10", "ACT-13")
def test_a_retry_that_is_rejected_ends_with_the_error_and_the_reason(kind: str, tmp_path: Path) -> None:
    async def bad(_ctx: Context) -> None:
        raise ValueError("no")

    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a", retry=3, spawns=2) as scope:
            ended = await started(await scope.request(bad)).outcome()
            assert isinstance(ended, Failed)
            assert (str(ended.error), ended.rejected) == ("no", "spawn_limit")

    run(main())


@pytest.mark.cites("ACT-12")
def test_suspend_keeps_what_runs_and_refuses_what_is_new(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            runs = started(await scope.request(hold))
            await scope.suspend()
            assert await scope.request(nothing) == Rejected("a", "scope_suspended")
            assert await runs.abort()
            assert await runs.outcome() == Aborted("user")
            assert not await runs.abort()
            await scope.resume()
            with pytest.raises(
                NotAllowed, match=r"RUNNING: resume is refused by ACT-5 \(no row\); allowed after suspend"
            ) as caught:
                await scope.resume()
            assert caught.value.route is not None
            await started(await scope.request(nothing))

    run(main())


@pytest.mark.cites("ACT-13", "ACT-14c")
def test_time_asks_and_the_end_of_the_body_concludes(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        environment = FakeEnvironment()
        terms = {"limit": 1, "queue": 2, "timeout": 30.0, "queue_wait": 5.0}
        async with authority(kind, tmp_path, environment=environment) as here:
            async with here.scope("a", **terms) as scope:  # type: ignore[arg-type]
                runs = started(await scope.request(hold))
                waits = started(await scope.request(nothing))
                await settle()
                assert runs.asked_at == environment.now()
                assert environment.fire(5.0) == 1
                assert await waits.outcome() == Rejected("a", "policy_window")
                assert environment.fire(30.0) == 1
                assert await runs.outcome() == Aborted("timeout")
                await started(await scope.request(nothing))
            assert [timer for timer in environment.timers if not timer.cancelled] == []

    run(main())


def test_leaving_the_authority_shuts_down_and_disposes_nothing(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path) as here:
            scope = await here.scope("a", limit=1, queue=1).open()
            runs, waits = started(await scope.request(hold)), started(await scope.request(hold))
        assert await runs.outcome() == Aborted("shutdown")
        assert await waits.outcome() == Withdrawn()
        with pytest.raises(StoreError, match="closed"):
            await scope.request(hold)
        with pytest.raises(StoreError, match="closed"):
            await scope.suspend()
        assert [str(cell.state) for cell in scopes_of(here, kind, tmp_path)] == ["RUNNING"]

    run(main())


@pytest.mark.cites("ACT-17")
def test_a_name_is_open_once(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("a") as scope:
            with pytest.raises(ScopeKnown, match="'a' is open already"):
                await here.scope("a").open()
            await started(await scope.request(nothing))

    run(main())


def test_nonsense_is_refused_with_words(kind: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="limit is 0; it must be at least 1"):
        authority(kind, tmp_path, 0)
    with pytest.raises(ValueError, match="limit of scope 'a' is 0"):
        Authority().scope("a", limit=0)


def test_an_authority_that_was_not_entered_says_so(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        here = authority(kind, tmp_path)

        @here.executor
        async def work(_inputs: dict[str, Any]) -> None:
            pass

        for call in (here.create("a", work), here.tasks(), here.scope("a").open(), here.checkpoint()):
            with pytest.raises(StoreError, match="is not open: enter it first"):
                await call
        async with here:
            await (await here.create("a", work)).ended()
            with pytest.raises(RuntimeError, match="an authority is entered once"):
                await here.__aenter__()
            await here.tasks()
        with pytest.raises(StoreError, match="is closed"):
            await here.tasks()

    run(main())


def test_what_is_no_task_or_status_is_named(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path) as here:

            @here.executor
            async def work(_inputs: dict[str, Any]) -> None:
                pass

            with pytest.raises(InvalidDependency, match="'a' is no task"):
                await here.create("b", work, after=["a"])  # type: ignore[list-item]
            with pytest.raises(ValueError, match="status is 'running'; it is one of pending, in_progress"):
                await here.tasks(status="running")

    run(main())
