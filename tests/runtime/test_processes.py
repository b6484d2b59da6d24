"""Several processes on one store: who starts what, who is told, who is gone, who is merely stopped."""

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from dhruva.cells import Kind
from dhruva.ids import TaskStatus
from dhruva.records import RetryPolicy
from dhruva.runtime.api import Authority
from dhruva.runtime.sqlite import SqliteStore
from dhruva.runtime.store import StoreBusy
from dhruva.runtime.tasks import Task
from tests.runtime.authorities import hold, run, settle, started
from tests.runtime.programs import SERVES, program
from tests.runtime.stores import DIGEST, writes

Inputs = dict[str, Any]
AT_ONCE = RetryPolicy(max_attempts=2, initial_delay_ms=1, max_delay_ms=1)


async def until(task: Task, status: TaskStatus) -> None:
    while (await task.record()).status != status:
        await asyncio.sleep(0.005)


@pytest.mark.cites("LIF-3", "SHL-2b")
def test_a_process_without_executors_leaves_its_tasks_to_one_that_has_them(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    with program(SERVES, path) as other:
        assert other.line() == "serves"

        async def main() -> None:
            async with Authority.open(path) as here:
                a = await here.create("a", "where")
                b = await here.create("b", "where", after=[a])
                assert (await b.ended()).result == {"pid": other.pid}

        run(main())


@pytest.mark.cites("LIF-8", "LIF-19")
def test_a_cancel_reaches_the_process_that_runs_the_body(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    with program(SERVES, path) as other:
        assert other.line() == "serves"

        async def main() -> None:
            async with Authority.open(path) as here:
                task = await here.create("b", "block")
                while not await task.still_runs():
                    await asyncio.sleep(0.005)
                await task.cancel("from elsewhere")
                while await task.still_runs():
                    await asyncio.sleep(0.005)
                assert (await task.record()).error == "from elsewhere"

        run(main())


@pytest.mark.cites("LIF-15", "LIF-14", "SHL-4")
def test_what_a_killed_process_ran_is_run_by_another(tmp_path: Path) -> None:
    path = tmp_path / "work.db"

    async def main(other: Any) -> None:
        async with Authority.open(path) as here:
            task = await here.create("held", "hold", retry=AT_ONCE)
            assert other.line() == "holds"
            assert (await task.record()).status == TaskStatus.IN_PROGRESS

            @here.executor(name="hold")
            async def another(_inputs: Inputs) -> Inputs:
                return {"again": os.getpid()}

            other.kill()
            record = await task.ended()
            assert record.result == {"again": os.getpid()}
            cell = await here.look(lambda facts: facts.read((Kind.TASK, task.number)))
            assert (cell.number, cell.tries) == (2, 2)

    with program(SERVES, path) as other:
        assert other.line() == "serves"
        run(main(other))
    assert not list(tmp_path.glob("work.db-owner-*"))


@pytest.mark.cites("LIF-15")
def test_a_process_that_is_merely_stopped_keeps_what_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "work.db"

    async def main(other: Any) -> None:
        async with Authority.open(path) as here:
            held = await here.create("held", "hold")
            assert other.line() == "holds"
            other.kill(signal.SIGSTOP)

            @here.executor
            async def mine(_inputs: Inputs) -> Inputs:
                return {}

            assert (await (await here.create("goes on", mine)).ended()).status == TaskStatus.COMPLETED
            await asyncio.sleep(0.6)  # long enough for a look at whether it lives
            assert (await held.record()).status == TaskStatus.IN_PROGRESS
            other.kill(signal.SIGCONT)

    with program(SERVES, path) as other:
        assert other.line() == "serves"
        run(main(other))


@pytest.mark.cites("ACT-13", "LIF-7")
def test_the_limit_counts_over_all_processes(tmp_path: Path) -> None:
    async def main() -> None:
        path = tmp_path / "work.db"
        async with Authority.open(path, limit=2) as one, Authority.open(path) as two:
            running: list[int] = []
            most = 0

            async def work(_inputs: Inputs) -> None:
                nonlocal most
                running.append(1)
                most = max(most, len(running))
                await asyncio.sleep(0.01)
                running.pop()

            one.executor(work)
            two.executor(work)
            made = [await (one, two)[n % 2].create(f"t{n}", "work") for n in range(10)]
            for task in made:
                assert (await task.ended()).status == TaskStatus.COMPLETED
            assert most == 2

    run(main())


@pytest.mark.cites("ACT-13", "SHL-4")
def test_a_slot_that_one_process_frees_starts_the_request_of_another(tmp_path: Path) -> None:
    async def main() -> None:
        path = tmp_path / "work.db"
        async with (
            Authority.open(path, limit=1) as one,
            Authority.open(path) as two,
            one.scope("a", queue=5) as first,
        ):
            second = await two.scope("a", queue=5).open()
            holds = started(await first.request(hold))
            waits = started(await second.request(hold))
            await settle()
            assert waits.ref is None
            await holds.abort()
            while waits.ref is None:
                await asyncio.sleep(0.005)
            dropped = started(await second.request(hold))
            await first.dispose()
            assert str(await waits.outcome()) == "Aborted(reason='dispose')"
            assert str(await dropped.outcome()) == "Rejected(scope='a', reason='scope_disposed')"

    run(main())


@pytest.mark.cites("LIF-14", "LIF-15")
def test_a_retry_that_a_killed_process_had_to_wait_for_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    fails = SERVES.replace('return {"pid": os.getpid()}', "raise ValueError('no luck')")

    async def main(other: Any) -> None:
        async with Authority.open(path) as here:
            policy = RetryPolicy(max_attempts=2, initial_delay_ms=300, max_delay_ms=300)
            task = await here.create("a", "where", retry=policy)
            timers: list[Any] = []
            while not timers:
                await asyncio.sleep(0.001)
                timers = await here.look(lambda facts: facts.named("timer:"))
            other.kill()

            @here.executor
            async def where(_inputs: Inputs) -> Inputs:
                return {"second": True}

            assert (await task.ended()).result == {"second": True}
            assert await here.look(lambda facts: facts.named("timer:")) == []

    with program(fails, path) as other:
        assert other.line() == "serves"
        run(main(other))


@pytest.mark.cites("LIF-15")
def test_an_owner_whose_lock_file_is_missing_is_reported_and_not_guessed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "work.db"

    async def main(other: Any) -> None:
        async with Authority.open(path) as here:
            task = await here.create("held", "hold", retry=AT_ONCE)
            assert other.line() == "holds"
        for lock in tmp_path.glob("work.db-owner-*"):
            lock.unlink()
        async with Authority.open(path) as here:
            assert (await (await here.task(task.id)).record()).status == TaskStatus.IN_PROGRESS

    with program(SERVES, path) as other:
        assert other.line() == "serves"
        run(main(other))
    assert "its lock file is missing: whether it lives is not known" in caplog.text


@pytest.mark.cites("SHL-2a")
def test_who_waits_too_long_for_its_turn_gives_up_and_says_why(tmp_path: Path) -> None:
    holder = SqliteStore(tmp_path / "turn.db", DIGEST)
    waiter = SqliteStore(tmp_path / "turn.db", DIGEST, busy=0.05)
    held = holder.begin()
    for _ in range(2):
        with pytest.raises(StoreBusy, match=r"another process has been writing for 0\.05 s, or was stopped"):
            waiter.begin()
    held.commit(writes(payloads={"a:b": b"c"}))
    deadline = time.monotonic() + 10
    while waiter.turnstile._waits and time.monotonic() < deadline:
        time.sleep(0.001)
    after = holder.begin()  # who gave up holds nothing
    after.rollback()
    last = waiter.begin()
    assert last.payload("a:b") == b"c"
    last.rollback()
    holder.close()
    waiter.close()


def test_calls_of_two_processes_interleave_in_one_journal(tmp_path: Path) -> None:
    """The fixture replays it: every link follows the one before, whoever wrote it."""

    async def main() -> None:
        path = tmp_path / "work.db"
        async with Authority.open(path) as one, Authority.open(path) as two:

            async def work(_inputs: Inputs) -> None:
                return None

            one.executor(work)
            two.executor(work)
            made = await asyncio.gather(
                *((one, two)[n % 2].create(f"t{n}", "work", after=()) for n in range(100))
            )
            for task in made:
                assert (await task.ended()).status == TaskStatus.COMPLETED

    run(main())
