"""What we stand beside, where it is installed: anyio's limiter, and DBOS on its own SQLite file."""

import asyncio
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

MISSING = "{} is not installed, so nothing is compared with it: pip install 'dhruva[bench]'"
Sample = Callable[[int], float]


def has(name: str) -> bool:
    """Whether the peer is there; if not, it is said once."""
    if find_spec(name) is not None:
        return True
    sys.stdout.write(MISSING.format(name) + "\n")
    return False


def limiter() -> Callable[[int], Awaitable[None]]:
    """So many empty bodies in a task group, each under anyio's CapacityLimiter."""
    anyio: Any = import_module("anyio")

    async def run(count: int) -> None:
        limit = anyio.CapacityLimiter(count)

        async def body() -> None:
            async with limit:
                pass

        async with anyio.create_task_group() as group:
            for _ in range(count):
                group.start_soon(body)

    return run


def _step(number: int) -> int:
    return number + 1


async def _step_async(number: int) -> int:
    return number + 1


@contextmanager
def dbos(folder: Path, steps: int) -> Iterator[dict[str, Sample]]:
    """Workflows of so many steps, by each of its two APIs; write-ahead log, synchronous=FULL as it has it."""
    library: Any = import_module("dbos").DBOS
    path = folder / "dbos.db"
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.close()
    config: Any = {
        "name": "bench",
        "system_database_url": f"sqlite:///{path}",
        "log_level": "ERROR",
        "run_admin_server": False,
    }
    library(config=config)
    step, step_async = library.step()(_step), library.step()(_step_async)

    def chain() -> int:
        number = 0
        for _ in range(steps):
            number = step(number)
        return number

    async def chain_async() -> int:
        number = 0
        for _ in range(steps):
            number = await step_async(number)
        return number

    workflow, workflow_async = library.workflow()(chain), library.workflow()(chain_async)

    def plain(count: int) -> float:
        begin = time.perf_counter()
        for _ in range(count // steps):
            workflow()
        return count / (time.perf_counter() - begin)

    def awaited(count: int) -> float:
        async def run() -> None:
            for _ in range(count // steps):
                await workflow_async()

        begin = time.perf_counter()
        asyncio.run(run())
        return count / (time.perf_counter() - begin)

    library.launch()
    try:
        yield {"DBOS sync": plain, "DBOS async": awaited}
    finally:
        library.destroy()
