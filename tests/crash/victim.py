"""A process that works on a store until it kills itself, with SIGKILL, at a chosen place.

    python -m tests.crash.victim STORE LOG SEED PLACE AFTER

It creates small trees of tasks, waits for some of them, and writes to LOG what it was told: `A id` once a
task was accepted, `E id` once it was told that it ended. Each line is one write: a kill leaves it whole.
"""

import asyncio
import logging
import os
import random
import signal
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any

from dhruva.records import RetryPolicy, TaskDefinition
from dhruva.runtime import sqlite
from dhruva.runtime.api import Authority
from dhruva.runtime.calls import Outcome
from dhruva.runtime.engine import Engine
from dhruva.runtime.executions import TaskContext
from dhruva.runtime.recovery import Recovery
from dhruva.runtime.tasks import Tasks


class Place(StrEnum):
    """Where a process is killed."""

    BEFORE = "before the transaction"
    COMMITTED = "after it, before the answer"
    ANSWERED = "after the answer, before performing"
    BODY = "inside a body"
    RECOVERY = "during recovery"
    NOWHERE = "nowhere"


class Fuse:
    """Burns down with every visit of its place, then kills."""

    def __init__(self, place: Place, after: int) -> None:
        self._place, self._left = place, after

    def at(self, place: Place) -> None:
        if place == self._place:
            self._left -= 1
            if self._left < 0:
                os.kill(os.getpid(), signal.SIGKILL)


def wrapped(fuse: Fuse) -> None:
    """Visits to each place, put around what happens there."""
    commit, settle, run, told = (
        sqlite.SqliteTransaction.commit,
        Recovery._settle,
        Engine.run,
        Tasks._told,
    )
    recovering = False

    def committing(self: Any, writes: Any) -> None:
        fuse.at(Place.BEFORE)
        commit(self, writes)
        fuse.at(Place.COMMITTED)

    def settling(self: Any, process: int, hears: Callable[[Outcome], None]) -> bool:
        nonlocal recovering
        recovering = True
        fuse.at(Place.RECOVERY)
        try:
            return settle(self, process, hears)
        finally:
            recovering = False

    def running(self: Any, calls: Any) -> Outcome:
        came = run(self, calls)
        if recovering:
            fuse.at(Place.RECOVERY)
        return came

    def telling(self: Any, outcome: Outcome) -> None:
        if outcome.answers:
            fuse.at(Place.ANSWERED)
        told(self, outcome)

    places: Any = ((sqlite.SqliteTransaction, "commit", committing), (Recovery, "_settle", settling))
    places += ((Engine, "run", running), (Tasks, "_told", telling))
    for owner, name, around in places:
        setattr(owner, name, around)


class Victim:
    """What it does until it dies."""

    def __init__(self, here: Authority, log: Path, seed: int, fuse: Fuse) -> None:
        self._here, self._fuse, self._chance = here, fuse, random.Random(seed)
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        here.executor(self.work)
        here.executor(self.flaky)

    def tell(self, word: str, id_: object) -> None:
        os.write(self._log, f"{word} {id_}\n".encode())

    async def work(self, inputs: dict[str, Any]) -> dict[str, Any]:
        self._fuse.at(Place.BODY)
        await asyncio.sleep(0.001 * inputs["pause"])
        return {"did": inputs["name"]}

    async def flaky(self, inputs: dict[str, Any], context: TaskContext) -> dict[str, Any]:
        """Fails each time it is tried first, and is tried again."""
        self._fuse.at(Place.BODY)
        if context.ref.number % 2 == 1:
            raise ConnectionError("down")
        return {"did": inputs["name"]}

    def tree(self) -> list[TaskDefinition]:
        """A root, two below it that wait for it, one that waits for both."""
        retry = RetryPolicy(max_attempts=10_000, initial_delay_ms=1, max_delay_ms=2)
        root = self._task("root", retry)
        two = [self._task(name, retry, parent=root, after=[root]) for name in ("left", "right")]
        return [root, *two, self._task("last", retry, parent=root, after=two)]

    def _task(self, name: str, retry: RetryPolicy, **named: Any) -> TaskDefinition:
        executor = self._chance.choice(("work", "work", "flaky"))
        inputs = {"name": name, "pause": self._chance.randrange(3)}
        return self._here.define(name, executor, inputs, retry=retry, **named)

    async def live(self) -> None:
        while True:
            made = await self._here.create_tree(self.tree())
            for task in made:
                self.tell("A", task.id)
            if self._chance.random() < 0.7:
                await made[-1].ended()
                self.tell("E", made[-1].id)


async def main(store: Path, log: Path, seed: int, place: Place, after: int) -> None:
    logging.getLogger("dhruva.runtime").setLevel(logging.CRITICAL)  # each death is warned of
    fuse = Fuse(place, after)
    wrapped(fuse)
    async with Authority.open(store, limit=6) as here:
        victim = Victim(here, log, seed, fuse)
        await asyncio.gather(*(victim.live() for _ in range(3)))


if __name__ == "__main__":
    where, told, *rest = sys.argv[1:]
    asyncio.run(main(Path(where), Path(told), int(rest[0]), Place(rest[1]), int(rest[2])))
