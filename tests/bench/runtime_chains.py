"""On SQLite, synchronous=FULL: steps per second, beside DBOS and a probe that only commits the same rows.

A step is a user's function that ran, its result durable before the next starts.

Disks are shared and swing: the probe runs before and after each sample, and a sample is void if it moved by
more than 2x. What is compared took turns in the same round.
"""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from dhruva.records import TaskDefinition
from dhruva.runtime import Authority
from tests.bench import peers
from tests.bench.probe import Probe, recorded, synchronous_off
from tests.bench.ratio import workshop

STEPS, ROUNDS, MOVED = 200, 7, 2.0
CHAINS, LENGTH = 100, 20
AIM_DBOS, AIM_PROBE, AIM_DRIVEN, AIM_MANY, AIM_JOURNAL = 5.0, 0.35, 3.0, 3.0, 1.3
Way = Callable[[Authority], Awaitable[int]]


async def one(_inputs: dict[str, int]) -> dict[str, int]:
    """The user's function."""
    return {"number": 1}


def chain(authority: Authority, length: int) -> list[TaskDefinition]:
    """Tasks, each after the one before."""
    tasks: list[TaskDefinition] = []
    for number in range(length):
        root = tasks[0] if tasks else None
        tasks.append(authority.define(f"step {number}", one, after=tasks[-1:], parent=root))
    return tasks


async def depending(authority: Authority) -> int:
    """One chain by dependencies, from its creation to its end."""
    tasks = await authority.create_tree(chain(authority, STEPS))
    await tasks[-1].ended()
    return STEPS


async def driven(authority: Authority) -> int:
    """One chain that the caller drives: it creates a task, awaits its end, creates the next."""
    for number in range(STEPS):
        await (await authority.create(f"step {number}", one)).ended()
    return STEPS


async def many(authority: Authority) -> int:
    """A hundred chains by dependencies at once."""

    async def run() -> None:
        tasks = await authority.create_tree(chain(authority, LENGTH))
        await tasks[-1].ended()

    await asyncio.gather(*(run() for _ in range(CHAINS)))
    return CHAINS * LENGTH


@asynccontextmanager
async def opened(folder: Path, name: str = "work.db") -> AsyncIterator[Authority]:
    async with Authority.open(folder / name) as authority:
        authority.executor(one)
        yield authority


def rate(folder: Path, way: Way, name: str = "work.db") -> float:
    """Steps per second; the store is opened before."""

    async def run() -> float:
        async with opened(folder, name) as authority:
            begin = time.perf_counter()
            steps = await way(authority)
            return steps / (time.perf_counter() - begin)

    return asyncio.run(run())


def sampled(probe: Probe, take: Callable[[], float]) -> tuple[float, float] | None:
    """A sample, and the probe's rate around it; None if that moved too much."""
    before, value = probe.rate(), take()
    after = probe.rate()
    if max(before, after) > MOVED * min(before, after):
        return None
    return value, (before + after) / 2


def measure(folder: Path) -> tuple[dict[str, list[float]], dict[str, list[float]], int]:
    """Per candidate its rates and the probe's beside them; how many samples were void."""
    probe = recorded(folder, lambda name: rate(folder, depending, name), STEPS)
    takes: dict[str, Callable[[], float]] = {
        "chain by dependencies": lambda: rate(folder, depending),
        "chain driven by the caller": lambda: rate(folder, driven),
        "100 chains": lambda: rate(folder, many),
    }
    rates: dict[str, list[float]] = {}
    beside: dict[str, list[float]] = {}
    void = 0
    with ExitStack() as stack:
        if peers.has("dbos"):
            for name, theirs in stack.enter_context(peers.dbos(folder, 10)).items():
                takes[name] = partial(theirs, STEPS // 2)
        for take in takes.values():
            take()  # everything was loaded once
        for _ in range(ROUNDS):
            for name, take in takes.items():
                sample = sampled(probe, take)
                if sample is None:
                    void += 1
                else:
                    rates.setdefault(name, []).append(sample[0])
                    beside.setdefault(name, []).append(sample[1])
    probe.close()
    return rates, beside, void


def main() -> tuple[dict[str, Any], list[str]]:
    with workshop() as folder:
        rates, beside, void = measure(folder)
    middle = {name: statistics.median(taken) for name, taken in rates.items()}
    probed = {name: statistics.median(taken) for name, taken in beside.items()}
    lines = [
        f"{name:28} {each:8.0f} steps/s, {each / probed[name]:.2f} of the probe"
        for name, each in middle.items()
    ]
    lines.append(f"{'probe: the same rows':28} {statistics.median(probed.values()):8.0f} steps/s")
    by_dependencies, by_caller = middle["chain by dependencies"], middle["chain driven by the caller"]
    share = by_dependencies / probed["chain by dependencies"]
    ratios = {"probe": share, "many": middle["100 chains"] / by_dependencies}
    lines.append(f"a chain against the probe: {share:.2f} (aim {AIM_PROBE})")
    theirs = [each for name, each in middle.items() if name.startswith("DBOS")]
    if theirs:
        ratios |= {"dbos": by_dependencies / max(theirs), "driven": by_caller / max(theirs)}
        lines.append(f"a chain against DBOS in its faster mode: {ratios['dbos']:.2f}x (aim {AIM_DBOS})")
        lines.append(f"driven by the caller against DBOS: {ratios['driven']:.2f}x (aim {AIM_DRIVEN})")
    lines.append(f"100 chains against one: {ratios['many']:.2f}x (aim {AIM_MANY})")
    lines.append(f"void samples, where the probe moved by more than {MOVED:.0f}x: {void}")
    return {"steps per second": rates, "probe": beside, "ratios": ratios, "void": void}, lines


def journal() -> tuple[dict[str, Any], list[str]]:
    """With the journal against without it; synchronous=OFF, so that the disk does not decide."""
    taken: dict[str, list[float]] = {"on": [], "off": []}
    with workshop() as folder:
        for turn in range(2 * ROUNDS + 2):
            kept = turn % 2 == 0
            with synchronous_off(journal=kept):
                each = 1e6 / rate(folder, depending, f"{kept}.db")
            if turn > 1:
                taken["on" if kept else "off"].append(each)
    middle = {name: statistics.median(times) for name, times in taken.items()}
    ratio = middle["on"] / middle["off"]
    lines = [f"journal {name:4} {each:8.0f} us a step" for name, each in middle.items()]
    lines.append(f"journal on against off: {ratio:.2f}x (aim {AIM_JOURNAL})")
    return {"microseconds": taken, "ratios": {"journal": ratio}}, lines
