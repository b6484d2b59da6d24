"""Bad days for durable tasks: the store fails, is locked, damaged, full; a step raises. Nothing is lost."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import Change, Kind, Read
from dhruva.ids import ProcessId, TaskStatus
from dhruva.records import RetryPolicy
from dhruva.runtime import shell as shells
from dhruva.runtime import sqlite
from dhruva.runtime.api import Authority
from dhruva.runtime.calls import Kernel
from dhruva.runtime.engine import Engine
from dhruva.runtime.inline import InlineShell
from dhruva.runtime.outcomes import WasParked
from dhruva.runtime.shipped import shipped
from dhruva.runtime.store import NotAStore, OtherTables, StoreError, StoreFull, Writes
from dhruva.step import step
from dhruva.table import Refused
from tests.runtime.authorities import FakeEnvironment, authority, run, settle
from tests.runtime.programs import ROOT
from tests.runtime.stores import KINDS
from tests.runtime.test_bad_days import FlakyStore, fails

Inputs = dict[str, Any]


async def nothing(_inputs: Inputs) -> None:
    return None


def raises_on(kind: type[Any]) -> Kernel:
    """A kernel whose step raises on one kind of input, for tasks named by an even id."""

    def raising(read: Read, given: Any) -> Change | Refused:
        if isinstance(given, kind):
            raise RuntimeError("thirteen")
        return step(read, given)

    return Kernel(raising, "raises")


@pytest.mark.cites("SHL-5a", "SHL-5b")
@pytest.mark.parametrize("kind", KINDS)
def test_a_creation_that_cannot_be_stepped_is_put_aside_and_told(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path, kernel=raises_on(i.Depend)) as here:
            here.executor(nothing)
            first = await here.create("first", nothing)
            with pytest.raises(WasParked, match="RuntimeError: thirteen") as caught:
                await here.create("second", nothing, after=[first])
            assert (await first.ended()).status == TaskStatus.COMPLETED
            assert [task.name for task in (await here.tasks()).tasks] == ["first"]
            parked = await here.look(lambda facts: [key[1] for key, _ in facts.scan(Kind.PARKED)])
            assert parked == [caught.value.parked]

    run(main())


@pytest.mark.cites("SHL-5")
@pytest.mark.parametrize("kind", KINDS)
def test_an_end_that_cannot_be_stepped_is_put_aside_with_its_result(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path, kernel=raises_on(i.Succeed)) as here:

            @here.executor
            async def works(_inputs: Inputs) -> Inputs:
                return {"kept": True}

            task = await here.create("works", works)
            parked: list[Any] = []
            while not parked:
                await asyncio.sleep(0.001)
                parked = await here.look(lambda facts: facts.named("parked:"))
            assert b"kept" in parked[0][1]
            assert await task.still_runs(), "nobody has said that it ended: an operator decides"

    run(main())


@pytest.mark.cites("LIF-15", "SHL-2c")
def test_the_end_of_a_task_is_said_again_until_it_is_stored() -> None:
    async def main() -> None:
        store, environment = FlakyStore(), FakeEnvironment()
        engine = Engine(store, shipped(), ProcessId(1), True)
        async with Authority(environment=environment, shell=InlineShell(engine)) as here:
            gate = asyncio.Event()

            @here.executor
            async def works(_inputs: Inputs) -> Inputs:
                await gate.wait()
                return {"done": 1}

            task = await here.create("works", works)
            await settle()
            store.ends = fails
            gate.set()
            await settle()
            store.ends = None
            assert (await task.record()).status == TaskStatus.IN_PROGRESS
            assert environment.fire(0.05) == 1
            assert (await task.ended()).result == {"done": 1}
            store.ends = fails
            with pytest.raises(StoreError, match="no space left"):
                await here.create("another", works)
            store.ends = None
            assert len((await here.tasks()).tasks) == 1

    run(main())


def test_a_store_that_takes_nothing_keeps_no_body_from_hearing_of_the_shutdown() -> None:
    async def main() -> None:
        store = FlakyStore()
        engine = Engine(store, shipped(), ProcessId(1), True)
        async with Authority(shell=InlineShell(engine)) as here:

            @here.executor
            async def holds(_inputs: Inputs) -> None:
                await asyncio.Event().wait()

            await here.create("holds", holds)
            await settle()
            store.ends = fails

    run(main())


@pytest.mark.cites("SHL-10a")
def test_more_than_the_writer_takes_is_refused_by_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with authority("sqlite", tmp_path) as here:
            here.executor(nothing)
            with monkeypatch.context() as patch:
                patch.setattr(shells, "QUEUED_MAX", 0)
                with pytest.raises(StoreFull, match="store_full"):
                    await here.create("a", nothing)
            assert (await (await here.create("a", nothing)).ended()).status == TaskStatus.COMPLETED

    run(main())


@pytest.mark.cites("ACT-14a", "LIF-7")
def test_ten_thousand_tasks_in_one_tick(tmp_path: Path) -> None:
    async def main() -> None:
        async with authority("sqlite", tmp_path, 50) as here:
            here.executor(nothing)
            root = here.define("root", nothing)
            made = await here.create_tree(
                [root, *(here.define(f"t{n}", nothing, parent=root) for n in range(9_999))]
            )
            assert (await made[-1].ended()).status == TaskStatus.COMPLETED
            counted, after = 0, None
            while True:
                page = await here.tasks(limit=1000, after=after, newest=True)
                counted += len(page.tasks)
                if (after := page.next) is None:
                    break
            assert counted == 10_000

    run(main())


def test_a_store_that_another_program_locks_is_an_error_and_goes_on_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.1)
    monkeypatch.setattr(sqlite.SqliteStore.__init__, "__defaults__", (sqlite._connect, 0.1))

    async def main() -> None:
        path = tmp_path / "work.db"
        async with Authority.open(path) as here:
            here.executor(nothing)
            await (await here.create("a", nothing)).ended()
            foreign = sqlite3.connect(path, isolation_level=None)
            foreign.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="database is locked"):
                await here.create("b", nothing)
            foreign.execute("ROLLBACK")
            foreign.close()
            assert (await (await here.create("b", nothing)).ended()).status == TaskStatus.COMPLETED

    run(main())


async def some(path: Path) -> None:
    async with Authority.open(path) as here:
        here.executor(nothing)
        for n in range(20):
            await (await here.create(f"t{n}", nothing, {"filler": "x" * 2000})).ended()


@pytest.mark.usefixtures("tampered")
def test_a_damaged_file_is_named_or_its_cell_is_and_never_believed(tmp_path: Path) -> None:
    """Pages overwritten one after the other: each time opening or the next call says what is wrong."""
    path = tmp_path / "work.db"
    run(some(path))
    whole = path.read_bytes()
    said = []
    for page in range(0, len(whole) // 4096, 3):
        damaged = bytearray(whole)
        damaged[page * 4096 : page * 4096 + 4096] = os.urandom(16) * 256
        path.write_bytes(damaged)
        for beside in tmp_path.glob("work.db-[ws]*"):
            beside.unlink()
        try:
            run(some(path))
            said.append("untouched")
        except (StoreError, WasParked) as fault:
            said.append(type(fault).__name__)
    assert said[0] == "NotAStore"
    assert {"NotAStore", "StoreError"} & set(said)


def test_a_file_that_cannot_be_written_is_an_error_and_changes_nothing(tmp_path: Path) -> None:
    """Opened for reading alone, since root writes to any file that it opens otherwise."""
    path = tmp_path / "work.db"
    run(some(path))
    store = sqlite.SqliteStore(
        path,
        shipped().tables,
        lambda name: sqlite3.connect(f"file:{name}?mode=ro", uri=True, isolation_level=None),
    )
    with pytest.raises(StoreError, match=r"work\.db: attempt to write a readonly database"):
        store.begin().commit(Writes({}, (), {"a:b": b"c"}, None))
    store.close()


def test_a_store_of_other_tables_and_a_link_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    run(some(path))

    async def other() -> None:
        async with Authority.open(path, kernel=Kernel(step, "other tables")):
            pass

    with pytest.raises(OtherTables, match="this program has other tables"):
        run(other())
    (tmp_path / "link.db").symlink_to(path)
    with pytest.raises(NotAStore, match="no plain file"):
        run(some(tmp_path / "link.db"))
    (tmp_path / "turned.db-turn").symlink_to(path)
    with pytest.raises(StoreError, match=r"turned\.db-turn cannot be opened"):
        run(some(tmp_path / "turned.db"))

    async def nowhere() -> None:
        async with Authority.open(tmp_path / "nowhere.db", create=False):
            pass

    with pytest.raises(StoreError, match=r"nowhere\.db is not there"):
        run(nowhere())


FILLS = """
import asyncio, resource, signal, sys
from dhruva.runtime.api import Authority
from dhruva.runtime.store import StoreError

async def main():
    async with Authority.open(sys.argv[1]) as here:
        @here.executor
        async def work(inputs):
            return {"n": inputs["n"]}
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
        n = 0
        try:
            while True:
                n += 1
                task = await here.create(f"t{n}", work, {"n": n, "filler": "x" * 5000})
                print(task.id, flush=True)
        except StoreError as fault:
            print("failed:", fault, flush=True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        await asyncio.sleep(0.3)
        again = await here.create("again", work, {"n": 0})
        print((await again.ended()).status, flush=True)

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
asyncio.run(main())
"""


@pytest.mark.cites("SHL-2c", "LIF-15")
def test_a_full_disk_in_the_midst_of_it_loses_nothing_that_was_accepted(tmp_path: Path) -> None:
    """By a limit on the size of files, since a small file system cannot be mounted everywhere."""
    path = tmp_path / "work.db"
    told = subprocess.run(
        [sys.executable, "-c", FILLS, str(path)], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.splitlines()
    assert told[-2].startswith("failed:")
    assert told[-1] == "completed"

    async def main() -> None:
        async with Authority.open(path) as here:

            @here.executor
            async def work(inputs: Inputs) -> Inputs:
                return {"n": inputs["n"]}

            for id_ in told[:-2]:
                assert (await (await here.task(id_)).ended()).status == TaskStatus.COMPLETED

    run(main())


@pytest.mark.cites("LIF-3")
@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_task_whose_executor_nobody_has_waits_for_it_and_others_go_on(kind: str, tmp_path: Path) -> None:
    async def first() -> Any:
        async with authority(kind, tmp_path, 1) as here:
            here.executor(name="rare")(nothing)
            gate = asyncio.Event()

            @here.executor
            async def holds(_inputs: Inputs) -> None:
                await gate.wait()

            await here.create("holds", holds, retry=RetryPolicy(max_attempts=1))
            return (await here.create("rare", "rare")).id

    async def second(id_: Any) -> None:
        async with authority(kind, tmp_path, 1) as here:

            @here.executor
            async def holds(_inputs: Inputs) -> None:
                return None

            plain = await here.create("plain", holds)
            assert (await plain.ended()).status == TaskStatus.COMPLETED
            rare = await here.task(id_)
            assert (await rare.record()).status == TaskStatus.PENDING
            assert "executor" in str(await rare.why())
            here.executor(name="rare")(nothing)
            assert (await rare.ended()).status == TaskStatus.COMPLETED

    run(second(run(first())))
