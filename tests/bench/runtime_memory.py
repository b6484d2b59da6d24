"""In memory: a request with an empty body, from asking to its end, and a rejection, beside asyncio, anyio.

What is compared took turns in the same round; the median counts.
"""

import asyncio
import gc
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

from dhruva.runtime import Authority, Context, Handle, Rejected
from dhruva.runtime.scopes import Scope
from tests.bench import peers

COUNT, ROUNDS = 2_000, 9
SIZES = (10, 1_000, 100_000)
AIM_LIMITER, AIM_REJECTION, AIM_FLAT = 0.8, 0.6, 1.3
Timed = Callable[[], Awaitable[float]]


async def _empty() -> None:
    """What a bare task runs."""


async def _body(_ctx: Context) -> None:
    """What a request runs."""


async def _hold(ctx: Context) -> None:
    await ctx.signal.wait()


async def one_by_one() -> float:
    """A bare task, created and awaited."""
    begin = time.perf_counter()
    for _ in range(COUNT):
        await asyncio.create_task(_empty())
    return time.perf_counter() - begin


async def together() -> float:
    """Bare tasks, created and then awaited all."""
    begin = time.perf_counter()
    await asyncio.gather(*[asyncio.create_task(_empty()) for _ in range(COUNT)])
    return time.perf_counter() - begin


async def ask(scope: Scope, count: int = COUNT) -> float:
    """Asked for, authorized, committed, run and ended, so many at a time."""
    begin = time.perf_counter()
    handles = [await scope.request(_body) for _ in range(count)]
    for handle in handles:
        assert isinstance(handle, Handle)
        await handle
    return time.perf_counter() - begin


async def requests() -> float:
    async with Authority() as authority, authority.scope("bench") as scope:
        return await ask(scope)


async def rejections() -> float:
    async with Authority() as authority, authority.scope("bench", limit=1) as scope:
        await scope.request(_hold)
        begin = time.perf_counter()
        for _ in range(COUNT):
            await scope.request(_body)
        taken = time.perf_counter() - begin
        assert isinstance(await scope.request(_body), Rejected)
    return taken


async def _limited(run: Callable[[int], Awaitable[None]]) -> float:
    begin = time.perf_counter()
    await run(COUNT)
    return time.perf_counter() - begin


def measure() -> dict[str, float]:
    """Median microseconds of each, all taking turns."""
    candidates: dict[str, Timed] = {
        "bare": one_by_one,
        "bare, gathered": together,
        "request": requests,
        "rejection": rejections,
    }
    if peers.has("anyio"):
        run = peers.limiter()
        candidates["anyio limiter"] = lambda: _limited(run)
    samples: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(ROUNDS):
        for name, candidate in candidates.items():
            gc.collect()
            samples[name].append(asyncio.run(candidate()))  # type: ignore[arg-type]
    return {name: statistics.median(taken) / COUNT * 1e6 for name, taken in samples.items()}


async def flat() -> dict[str, float]:
    """Microseconds of a request beside so many living attempts in its scope; what lives is old by then."""
    taken: dict[int, list[float]] = {size: [] for size in SIZES}
    async with Authority() as authority:
        scopes = {size: await authority.scope(f"of {size}").open() for size in SIZES}
        for size, scope in scopes.items():
            for _ in range(size):
                await scope.request(_hold)
        await asyncio.sleep(0)
        gc.collect()
        gc.freeze()
        for _ in range(ROUNDS):
            for size, scope in scopes.items():
                taken[size].append(await ask(scope, 500))
        gc.unfreeze()
    return {str(size): statistics.median(times) / 500 * 1e6 for size, times in taken.items()}


def main() -> tuple[dict[str, Any], list[str]]:
    figures, sizes = measure(), asyncio.run(flat())
    bare, request = figures["bare"], figures["request"]
    rejected, grown = figures["rejection"] / bare, sizes[str(SIZES[-1])] / sizes[str(SIZES[0])]
    lines = [f"{name:18} {taken:8.2f} us, {taken / bare:5.2f}x bare" for name, taken in figures.items()]
    limited = figures.get("anyio limiter")
    if limited is not None:
        lines.append(f"request against anyio's limiter: {request / limited:.2f}x (aim {AIM_LIMITER})")
    lines.append(f"rejection against a bare task: {rejected:.2f}x (aim {AIM_REJECTION})")
    lines.append(f"{SIZES[-1]:,} living attempts against {SIZES[0]}: {grown:.2f}x (aim {AIM_FLAT})")
    ratios = {"limiter": limited and request / limited, "rejection": rejected, "flat": grown}
    return {"microseconds": figures, "by living attempts": sizes, "ratios": ratios}, lines
