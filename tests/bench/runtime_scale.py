"""A million stored tasks: what creating and readying one costs, and what opening and starting one does."""

import asyncio
import statistics
import time
from pathlib import Path
from typing import Any

from dhruva.records import TaskDefinition
from dhruva.runtime import Authority
from tests.bench.ratio import workshop
from tests.bench.runtime_chains import one

SIZES = (10_000, 100_000, 1_000_000)
TREE, AT_ONCE, OPENED = 500, 4, 9
AIM_LINEAR, AIM_OPEN = 1.3, 1.2
NEVER = "a function that nobody has"  # so that what was created stays pending


def tree(authority: Authority, executor: Any, count: int) -> list[TaskDefinition]:
    """One task, and all others after it."""
    root = authority.define("root", executor)
    rest = (authority.define("leaf", executor, after=[root], parent=root) for _ in range(count - 1))
    return [root, *rest]


async def fill(path: Path, count: int) -> float:
    """Microseconds of creating a task, so many of them, in trees."""
    async with Authority.open(path) as authority:
        authority.executor(one)
        left = count // TREE
        begin = time.perf_counter()

        async def create() -> None:
            nonlocal left
            while left:
                left -= 1
                await authority.create_tree(tree(authority, NEVER, TREE))

        await asyncio.gather(*(create() for _ in range(AT_ONCE)))
        return (time.perf_counter() - begin) / count * 1e6


async def ready(path: Path) -> float:
    """Microseconds until a task that becomes ready with 499 others has run."""
    async with Authority.open(path) as authority:
        authority.executor(one)
        begin = time.perf_counter()
        tasks = await authority.create_tree(tree(authority, one, TREE))
        for task in tasks:
            await task.ended()
        return (time.perf_counter() - begin) / TREE * 1e6


async def start(path: Path) -> float:
    """Milliseconds of opening the store and running one task."""
    begin = time.perf_counter()
    async with Authority.open(path) as authority:
        authority.executor(one)
        await (await authority.create("one", one)).ended()
        return (time.perf_counter() - begin) * 1e3


def main(sizes: tuple[int, ...] = SIZES) -> tuple[dict[str, Any], list[str]]:
    figures: dict[str, dict[str, float]] = {"create": {}, "ready": {}, "open": {}}
    taken: dict[int, list[float]] = {size: [] for size in sizes}
    with workshop() as folder:
        paths = {size: folder / f"{size}.db" for size in sizes}
        for size, path in paths.items():
            figures["create"][str(size)] = asyncio.run(fill(path, size))
        for size, path in paths.items():
            figures["ready"][str(size)] = statistics.median(asyncio.run(ready(path)) for _ in range(3))
        for _ in range(OPENED):
            for size, path in paths.items():
                taken[size].append(asyncio.run(start(path)))
    figures["open"] = {str(size): statistics.median(times) for size, times in taken.items()}
    first, last = str(sizes[0]), str(sizes[-1])
    grown = {name: each[last] / each[first] for name, each in figures.items()}
    lines = [
        f"{name:7} {', '.join(f'{int(size):,}: {value:.1f}' for size, value in each.items())} "
        f"{'ms' if name == 'open' else 'us a task'}"
        for name, each in figures.items()
    ]
    lines.append(
        f"creation {grown['create']:.2f}x, readiness {grown['ready']:.2f}x (aim: linear, {AIM_LINEAR})"
    )
    lines.append(f"opening and starting one: {grown['open']:.2f}x (aim {AIM_OPEN})")
    return {"by stored tasks": figures, "ratios": grown}, lines
