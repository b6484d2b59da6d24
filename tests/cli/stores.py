"""Stores for the commands: made by the real runtime, in the test's own folder."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from typer.testing import CliRunner, Result

from dhruva import Authority, cli
from dhruva.inputs import Cancel
from dhruva.records import RetryPolicy
from dhruva.runtime.calls import Kernel
from dhruva.runtime.outcomes import WasParked
from dhruva.runtime.shipped import shipped
from dhruva.runtime.tasks import Task

ONCE = RetryPolicy(max_attempts=1)


class Night(NamedTuple):
    """The tasks of the store that `night` makes."""

    store: str
    done: Task
    failed: Task
    blocked: Task
    waiting: Task  # for an executor that nobody has


def run(*words: object) -> Result:
    """The command in this process; what it raises is raised here."""
    return CliRunner().invoke(cli.app, [str(word) for word in words], catch_exceptions=False)


def asked(*words: object) -> Any:
    """The answer as JSON of a command that must succeed."""
    answer = run(*words, "--json")
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


def night(folder: Path) -> Night:
    """A copy of one store that was made once: a closed store is one file."""
    made, data = _template()
    store = folder / "work.db"
    store.write_bytes(data)
    return made._replace(store=str(store))


@cache
def _template() -> tuple[Night, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "work.db"
        return asyncio.run(_night(store)), store.read_bytes()


async def _night(store: Path) -> Night:
    async with Authority.open(store, limit=2) as authority:

        @authority.executor
        async def load(inputs: dict[str, Any]) -> dict[str, Any]:
            if inputs.get("breaks"):
                raise RuntimeError("no such table")
            return {"rows": 3}

        done = await authority.create("load sales", load)
        failed = await authority.create("load stock", load, {"breaks": True}, retry=ONCE)
        blocked = await authority.create("report", load, after=[done, failed])
        authority.executor(_unheard)
        waiting = await authority.create("mail", _unheard, after=[blocked])
        await done.ended()
        await failed.ended()
        return Night(str(store), done, failed, blocked, waiting)


async def _unheard(_inputs: dict[str, Any]) -> dict[str, Any]:
    return {}


def put_aside(night_: Night) -> int:
    """What the store puts aside because a step raises: the cancel of the task that is blocked."""

    def raises(read: Any, given: Any) -> Any:
        if isinstance(given, Cancel):
            raise ZeroDivisionError("a fault of the kernel")
        return shipped().step(read, given)

    async def cancel() -> int:
        kernel = Kernel(raises, shipped().tables)
        async with Authority.open(night_.store, kernel=kernel) as authority:
            with pytest.raises(WasParked) as caught:
                await (await authority.task(night_.blocked.id)).cancel()
        assert caught.value.parked is not None
        return caught.value.parked

    return asyncio.run(cancel())


STUBBORN = """
import asyncio, sys
from dhruva import Authority

async def main(store):
    async with Authority.open(store) as authority:
        @authority.executor
        async def stubborn(inputs):
            print("runs", flush=True)
            while True:
                try:
                    await asyncio.sleep(60)
                except asyncio.CancelledError:
                    pass

        @authority.executor
        async def quick(inputs):
            return {}

        task = await authority.create("stubborn", stubborn, retry=1)
        print(task.id, flush=True)
        await task.ended()
        print("ended", flush=True)
        await asyncio.sleep(60)

asyncio.run(main(sys.argv[1]))
"""


class Other:
    """Another process that serves the store: its body ignores every request to end."""

    def __init__(self, store: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", STUBBORN, str(store)], stdout=subprocess.PIPE, text=True
        )
        words = {self.line(), self.line()}
        assert "runs" in words
        self.task = UUID((words - {"runs"}).pop())

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
