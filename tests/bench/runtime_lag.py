"""How late the event loop is under load: a ticker beside a hundred chains, on a file and without one.

In memory each step runs where it is asked for, so there are fewer ticks beside the same load: it is the load
that is the same, not the number of ticks.
"""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from dhruva.runtime import Authority
from tests.bench.ratio import workshop
from tests.bench.runtime_chains import many, one

TICK, TICKS = 0.0005, 10_000  # seconds, at least so many
AIM_P99, AIM_P999 = 5.0, 5.0  # milliseconds; the second over the same load without a store


@asynccontextmanager
async def loaded(path: Path | None) -> AsyncIterator[Authority]:
    authority = Authority(journal=True) if path is None else Authority.open(path)
    async with authority:
        authority.executor(one)
        yield authority


async def lags(path: Path | None, rounds: int | None = None) -> tuple[list[float], int]:
    """Milliseconds by which each tick came late beside so many rounds of the load, one hundred chains each;
    without a number, beside as many as it takes for enough ticks. And how many rounds it were."""
    late: list[float] = []
    done = 0

    async def load(authority: Authority) -> None:
        nonlocal done
        while len(late) < TICKS if rounds is None else done < rounds:
            await many(authority)
            done += 1

    async with loaded(path) as authority:
        await many(authority)
        loading = asyncio.create_task(load(authority))
        while not loading.done():
            begin = time.perf_counter()
            await asyncio.sleep(TICK)
            late.append((time.perf_counter() - begin - TICK) * 1e3)
        await loading
    return late, done


def main() -> tuple[dict[str, Any], list[str]]:
    with workshop() as folder:
        stored, rounds = asyncio.run(lags(folder / "work.db"))
        taken = {"SQLite": stored, "memory": asyncio.run(lags(None, rounds))[0]}
    figures, lines = {}, []
    for name, late in taken.items():
        parts = statistics.quantiles(late, n=1000)
        figures[name] = {
            "ticks": len(late),
            "p50": parts[499],
            "p99": parts[989],
            "p99.9": parts[998],
            "max": max(late),
        }
        told = ", ".join(f"{what} {value:.2f} ms" for what, value in figures[name].items() if what != "ticks")
        lines.append(f"{name:8} {len(late):,} ticks: {told}")
    p99, more = figures["SQLite"]["p99"], figures["SQLite"]["p99.9"] - figures["memory"]["p99.9"]
    lines.append(
        f"p99 {p99:.2f} ms (aim {AIM_P99}); p99.9 over that without a store: {more:+.2f} ms (aim {AIM_P999})"
    )
    return {"milliseconds": figures, "ratios": {"p99": p99, "p99.9 over": more}}, lines
