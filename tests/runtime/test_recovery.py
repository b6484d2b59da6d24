"""A process that is killed: nothing it held is lost or stays held, and the journal shows a legal run."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dhruva.runtime import journal
from dhruva.runtime.api import Authority
from dhruva.runtime.outcomes import Rejected
from dhruva.runtime.shipped import shipped
from dhruva.runtime.sqlite import SqliteStore
from dhruva.runtime.store import StoreError
from tests.runtime.authorities import hold, nothing, run, scopes_of, started
from tests.runtime.stores import bad_record

ROOT = Path(__file__).resolve().parents[2]
BUSY = """
import asyncio, sys
from dhruva.runtime.api import Authority

async def hold(ctx):
    await ctx.signal.wait()

async def main():
    async with Authority.open(sys.argv[1], limit=3) as authority:
        scope = await authority.scope("a", queue=100).open()
        for n in range(10**6):
            await scope.request(hold)
            print(n, flush=True)

asyncio.run(main())
"""


CHURN = """
import asyncio, sys
from dhruva.runtime.api import Authority

async def body(ctx):
    await asyncio.sleep(0.001)

async def main():
    async with Authority.open(sys.argv[1], limit=3) as authority:
        scope = await authority.scope("a", queue=20, retry=1).open()
        async def caller():
            while True:
                answer = await scope.request(body)
                if hasattr(answer, "outcome"):
                    await answer.outcome()
                    print(answer.ref.owner, flush=True)
        await asyncio.gather(*(caller() for _ in range(8)))

asyncio.run(main())
"""


OUTLIVED = """
import asyncio, sys, time
from dhruva.runtime.api import Authority

async def deaf(*_):
    while True:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            pass

def blocks():
    time.sleep(600)

async def body(ctx):
    await ctx.spawn_worker(deaf)
    await ctx.spawn_worker(blocks)
    handler = await ctx.add_handler(deaf)
    asyncio.ensure_future(handler())
    await ctx.open_stream()
    await asyncio.sleep(0.05)

async def main():
    async with Authority.open(sys.argv[1], limit=3) as authority:
        scope = await authority.scope("a").open()
        await (await scope.request(body))
        await asyncio.sleep(0.2)
        print(len(scope.alive), flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


def kill_after(program: str, path: Path, lines: int) -> list[int]:
    """The program runs until it has said so much; then SIGKILL. What it said is what it acknowledged."""
    said: list[int] = []
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(int(line))
            if len(said) == lines:
                os.kill(process.pid, signal.SIGKILL)
                break
    assert process.wait() == -signal.SIGKILL
    return said


@pytest.mark.cites("LIF-15", "ACT-16", "ACT-17", "SHL-3d")
@pytest.mark.parametrize("requests", [1, 4, 20])
def test_what_a_killed_process_held_is_free_again(tmp_path: Path, requests: int) -> None:
    path = tmp_path / "work.db"
    kill_after(BUSY, path, requests)
    before = scopes_of(Authority(), "sqlite", tmp_path)[0]
    assert min(requests, 3) <= before.active <= 3
    assert before.live >= requests

    async def main() -> None:
        async with Authority.open(path, limit=3) as here, here.scope("a") as scope:
            answers = [await scope.request(hold) for _ in range(3)]
            assert not any(isinstance(answer, Rejected) for answer in answers)

    run(main())
    after = scopes_of(Authority(), "sqlite", tmp_path)
    assert [(str(cell.state), cell.active, cell.live) for cell in after] == [("DISPOSED", 0, 0)]
    assert after[0].spawned == before.spawned + 3, "a request whose caller is gone was started"
    assert bad_record(path, shipped()) is None


@pytest.mark.cites("LIF-15", "SHL-2c", "SHL-7e", "ACT-8")
def test_a_store_whose_processes_are_killed_again_and_again(tmp_path: Path) -> None:
    """What was acknowledged is in the journal, once; no ref is used again; the journal is of a legal run."""
    path = tmp_path / "work.db"
    ended = [owner for lines in (1, 30, 7, 100) for owner in kill_after(CHURN, path, lines)]
    assert len(set(ended)) == len(ended)
    assert bad_record(path, shipped()) is None
    store = SqliteStore(path, shipped().tables)
    inputs = [tuple(given) for link in store.links() for given in journal.opened(link).inputs]
    store.close()
    succeeded = [given[1][0] for given in inputs if given[0] == "Succeed"]
    assert len(set(succeeded)) == len(succeeded)
    assert set(ended) <= set(succeeded)

    async def main() -> None:
        async with Authority.open(path, limit=3) as here, here.scope("a") as scope:
            answers = [await scope.request(hold) for _ in range(3)]
            assert not any(isinstance(answer, Rejected) for answer in answers)

    run(main())
    assert bad_record(path, shipped()) is None


@pytest.mark.cites("ACT-16", "ACT-11f", "LIF-15")
def test_what_outlived_its_attempt_ends_with_its_process(tmp_path: Path) -> None:
    """Two workers and a handler were asked to end, and had not: their attempt is over, their process gone."""
    path = tmp_path / "work.db"
    assert kill_after(OUTLIVED, path, 1) == [3]
    before = scopes_of(Authority(), "sqlite", tmp_path)[0]
    assert (before.active, before.live) == (0, 3)

    async def main() -> None:
        async with Authority.open(path, limit=3) as here, here.scope("a") as scope:
            await started(await scope.request(nothing))

    run(main())
    after = scopes_of(Authority(), "sqlite", tmp_path)
    assert [(str(cell.state), cell.active, cell.live) for cell in after] == [("DISPOSED", 0, 0)]
    assert bad_record(path, shipped()) is None


def test_who_is_cancelled_while_it_opens_a_store_lets_go_of_it(tmp_path: Path) -> None:
    async def main() -> None:
        for turns in range(6):
            opening = asyncio.create_task(Authority.open(tmp_path / "work.db").__aenter__())
            for _ in range(turns):
                await asyncio.sleep(0)
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening
        async with Authority.open(tmp_path / "work.db") as here, here.scope("a") as scope:
            await started(await scope.request(nothing))

    run(main())


def test_the_limit_of_a_store_stays(tmp_path: Path) -> None:
    async def main(limit: int | None) -> None:
        async with Authority.open(tmp_path / "work.db", limit) as here, here.scope("a") as scope:
            answers = [await scope.request(hold) for _ in range(3)]
            assert [isinstance(answer, Rejected) for answer in answers] == [False, False, True]

    run(main(2))
    run(main(None))
    with pytest.raises(StoreError, match="created with limit 2, and is opened with 5"):
        run(main(5))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    async def main() -> None:
        async with Authority.open(tmp_path / "nowhere" / "work.db"):
            pass

    with pytest.raises(StoreError, match="cannot be created: No such file"):
        run(main())
