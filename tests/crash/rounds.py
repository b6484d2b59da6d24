"""Rounds of processes that are killed on one store, and what must hold after them (LIF-15, SHL-2, SHL-7).

- No task is lost that was accepted: whoever was told so finds it in the store, and it comes to its end.
- No outcome is recorded twice, and one that was told does not change.
- The journal, over all processes and their deaths, is that of a legal run: `replay` finds nothing.
"""

import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from dhruva.ids import TaskStatus
from dhruva.runtime import codec, journal
from dhruva.runtime.api import Authority
from dhruva.runtime.replay import replay
from dhruva.runtime.shipped import shipped
from dhruva.runtime.sqlite import SqliteStore
from tests.crash.victim import Fuse, Place, Victim

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0  # seconds until a process that should have killed itself is given up


class Round(NamedTuple):
    """Processes that run at the same time, each until it is killed."""

    seed: int
    places: tuple[tuple[Place, int], ...]  # where each dies, and after how many visits


def rounds(seed: int, deaths: int, together: int) -> Iterable[Round]:
    """So many deaths, over all places in turn; a recovery needs someone who died before."""
    chance = random.Random(seed)
    places = [place for place in Place if place != Place.NOWHERE]
    for number in range(0, deaths, together):
        fates = tuple(
            (places[(number + each) % len(places)], chance.randrange(chance.choice((3, 12, 25))))
            for each in range(together)
        )
        yield Round(
            chance.randrange(10**6), tuple((p, n % 3 if p == Place.RECOVERY else n) for p, n in fates)
        )


def play(store: Path, log: Path, this: Round) -> Counter[Place]:
    """Run the round to its end. Every process ends by SIGKILL: its own, or ours if its place never came."""
    living = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.crash.victim", str(store), str(log)),
                *(str(this.seed + at), str(place), str(after)),
            ],
            cwd=ROOT,
        )
        for at, (place, after) in enumerate(this.places)
    ]
    died: Counter[Place] = Counter()
    deadline = time.monotonic() + PATIENCE
    for process, (place, _) in zip(living, this.places, strict=True):
        bound = deadline if place != Place.RECOVERY or len(living) == 1 else time.monotonic() + 3
        try:
            code = process.wait(timeout=max(0.1, bound - time.monotonic()))
            assert code == -9, f"a process ended with {code}, not by SIGKILL"
            died[place] += 1
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            died[Place.NOWHERE] += 1
    return died


def told(log: Path) -> tuple[set[UUID], set[UUID]]:
    """What was accepted, and what was told to have ended."""
    accepted: set[UUID] = set()
    ended: set[UUID] = set()
    for line in log.read_text().splitlines() if log.exists() else ():
        word, id_ = line.split()
        (accepted if word == "A" else ended).add(UUID(id_))
    return accepted, ended


async def finish(store: Path, log: Path) -> None:
    """A last process, which nobody kills: everything that was accepted comes to its end."""
    accepted, ended = told(log)
    async with Authority.open(store, limit=6) as here:
        for id_ in ended:
            assert (await (await here.task(id_)).record()).status == TaskStatus.COMPLETED, (
                "an outcome was lost"
            )
        Victim(here, log, 0, Fuse(Place.NOWHERE, 0))
        for id_ in accepted:
            record = await asyncio.wait_for((await here.task(id_)).ended(), PATIENCE)
            assert record.status == TaskStatus.COMPLETED, record
            assert record.result == {"did": record.definition.name}


def check(store: Path, log: Path) -> tuple[int, int]:
    """Every claim, on the file. How many tasks and links there are."""
    asyncio.run(finish(store, log))
    opened = SqliteStore(store, shipped().tables)
    try:
        bad = replay(opened, shipped()).bad
        assert bad is None, str(bad)
        completed: Counter[int] = Counter()
        number = 0
        for link in opened.links():
            number = link.number
            for machine, key, _, _, target in journal.opened(link).edges:
                if machine == "task" and target == TaskStatus.COMPLETED:
                    completed[codec.key_from_bytes(key)[1]] += 1
    finally:
        opened.close()
    twice = [task for task, times in completed.items() if times > 1]
    assert not twice, f"recorded twice: {twice}"
    assert not list(store.parent.glob(f"{store.name}-owner-*")), "a lock of a process that is gone was left"
    return len(completed), number
