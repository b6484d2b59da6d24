"""What is dropped is dropped whole, and what is left is still checked (SHL-10)."""

import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from dhruva.runtime.api import Authority
from dhruva.runtime.replay import Bad
from dhruva.runtime.shipped import shipped
from dhruva.runtime.sqlite import SqliteStore
from tests.runtime.authorities import FakeEnvironment, authority, run, settle
from tests.runtime.stores import KINDS, bad_record

Inputs = dict[str, Any]


async def nothing(_inputs: Inputs) -> None:
    return None


@pytest.mark.cites("SHL-10")
@pytest.mark.parametrize("kind", KINDS)
def test_records_that_ended_long_ago_are_forgotten_unless_something_hangs_on_them(
    kind: str, tmp_path: Path
) -> None:
    environment = FakeEnvironment()

    async def main() -> None:
        async with authority(kind, tmp_path, environment=environment) as here:
            here.executor(nothing)
            old = await here.create("old", nothing)
            after = await here.create("after", nothing, after=[old])
            kept = await here.create("kept", nothing)
            await after.ended()
            await kept.ended()
            environment.clock += timedelta(days=30)
            young = await here.create("young", nothing, after=[kept])
            await young.ended()
            await settle()
            assert await here.forget(timedelta(days=7)) == 2
            assert [task.name for task in (await here.tasks()).tasks] == ["kept", "young"]
            with pytest.raises(ValueError, match="older_than is"):
                await here.forget(timedelta(days=-1))

    run(main())


async def busy(path: Path, check: bool) -> None:
    async with Authority.open(path) as here:
        here.executor(nothing)
        for n in range(5):
            await (await here.create(f"t{n}", nothing)).ended()
        if check:
            await here.checkpoint()
        await (await here.create("last", nothing)).ended()


def links(path: Path) -> list[int]:
    store = SqliteStore(path, shipped().tables)
    found = [link.number for link in store.links()]
    store.close()
    return found


@pytest.mark.cites("SHL-10", "SHL-7")
def test_the_journal_begins_at_a_checkpoint_and_replays_from_there(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    run(busy(path, check=False))
    run(busy(path, check=True))
    numbers = links(path)
    assert numbers[0] > 10
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    run(busy(path, check=False))
    assert bad_record(path, shipped()) is None


@pytest.mark.parametrize("kind", KINDS)
def test_in_either_store_the_run_goes_on_after_a_checkpoint(kind: str, tmp_path: Path) -> None:
    """The fixture replays it."""

    async def main() -> None:
        async with authority(kind, tmp_path) as here:
            await here.checkpoint()
            here.executor(nothing)
            for _ in range(2):
                await (await here.create("t", nothing)).ended()
                await here.checkpoint()
            await (await here.create("t", nothing)).ended()

    run(main())


@pytest.mark.usefixtures("tampered")
@pytest.mark.parametrize(
    ("plant", "said"),
    [
        ("UPDATE checked SET cell = (SELECT max(cell) FROM checked)", "not those it was made of"),
        ("DELETE FROM checked WHERE key = (SELECT max(key) FROM checked)", "not those it was made of"),
        ("DELETE FROM journal WHERE number = (SELECT min(number) FROM journal)", "for another journal"),
        ("UPDATE meta SET value = 'nonsense' WHERE name = 'checkpoint'", "for another journal"),
        ("DELETE FROM meta WHERE name = 'checkpoint'", "link 1 is missing"),
        ("UPDATE journal SET body = x'00' WHERE number = (SELECT min(number) FROM journal)", "its hash"),
    ],
    ids=["a changed cell", "a dropped cell", "no anchor", "no meaning", "no checkpoint", "a changed anchor"],
)
def test_a_checkpoint_that_is_not_whole_is_named(tmp_path: Path, plant: str, said: str) -> None:
    path = tmp_path / "work.db"
    run(busy(path, check=True))
    db = sqlite3.connect(path)
    with db:
        db.execute(plant)
    db.close()
    bad = bad_record(path, shipped())
    assert isinstance(bad, Bad)
    assert said in str(bad)
