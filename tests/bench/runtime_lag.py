"""How late the event loop is under load: a ticker beside a hundred chains, on a file and without one."""

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


async def lags(path: Path | None) -> list[float]:
    """Milliseconds by which each tick came late, while chains run one hundred at a time."""
    late: list[float] = []

    async def load(authority: Authority) -> None:
        while len(late) < TICKS:
            await many(authority)

    async with loaded(path) as authority:
        await many(authority)
        loading = asyncio.create_task(load(authority))
        while not loading.done():
            begin = time.perf_counter()
            await asyncio.sleep(TICK)
            late.append((time.perf_counter() - begin - TICK) * 1e3)
        await loading
    return late


def main() -> tuple[dict[str, Any], list[str]]:
    with workshop() as folder:
        taken = {"SQLite": asyncio.run(lags(folder / "work.db")), "memory": asyncio.run(lags(None))}
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
