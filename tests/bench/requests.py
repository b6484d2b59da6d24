"""Validation of trees of 1,000, 10,000 and 100,000 tasks, with its slope, and the naming of a long cycle.

Each size has the same shape: a random parent and up to two random dependencies per task. Building the
definitions is not counted. The more tasks there are, the more often any look at them misses the caches;
so a probe takes turns with the rest, which looks each named id up once and does nothing else, and the
slope that counts is that of the multiple: flat, where validation does a bounded number of such things
per task. The slope of the time itself is printed beside it.
"""

import gc
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from uuid import UUID

from dhruva.ids import ExecutorId, ScopeId
from dhruva.records import DependsOn, TaskDefinition
from dhruva.requests import Created, Facts, Fault, Refusal, create
from dhruva.requests.shapes import outline
from dhruva.requests.tree import faults
from tests.bench.ratio import interleaved, report

SIZES = (1_000, 10_000, 100_000)
RING = 10_000
LARGEST = SIZES[-1]
AIM_SLOPE = 1.5  # the multiple of the probe at the largest size over that at the smallest

NOBODY: dict[UUID, None] = {}
FACTS = Facts(NOBODY.get, 1, ScopeId(1), lambda _: ExecutorId(1))


def uid(number: int) -> UUID:
    """Spread over all bits, as real ones are."""
    return UUID(int=number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128, version=4)


def define(number: int, needs: Sequence[int], parent: int | None) -> TaskDefinition:
    return TaskDefinition(
        id=uid(number),
        name=f"task {number}",
        executor="load",
        parent=None if parent is None else uid(parent),
        dependencies=tuple(DependsOn(id=uid(need)) for need in needs),
    )


def tree(size: int) -> list[TaskDefinition]:
    random = Random(size)
    return [
        define(n, random.sample(range(1, n), min(2, n - 1)), random.randrange(1, n) if n > 1 else None)
        for n in range(1, size + 1)
    ]


def chain(size: int) -> list[TaskDefinition]:
    """Each below and after the one before, given from its end."""
    return [define(n, (n - 1,) if n > 1 else (), n - 1 if n > 1 else None) for n in range(size, 0, -1)]


def ring(size: int) -> list[TaskDefinition]:
    return [define(n, (n % size + 1,), 1 if n > 1 else None) for n in range(1, size + 1)]


def probe(tasks: list[TaskDefinition]) -> None:
    """One lookup for each id that a task has or names."""
    places = {task.id.int: place for place, task in enumerate(tasks)}
    for task in tasks:
        if task.parent is not None:
            places[task.parent.int]
        for dependency in task.dependencies:
            places[dependency.id.int]


def validate(tasks: list[TaskDefinition]) -> None:
    assert not list(faults(outline(tasks).shapes, FACTS.known))


def created(tasks: list[TaskDefinition]) -> None:
    assert isinstance(create(tasks, FACTS), Created)


def named(tasks: list[TaskDefinition]) -> None:
    answer = create(tasks, FACTS)
    assert isinstance(answer, Refusal)
    (error,) = answer.errors
    assert error.fault == Fault.DEPENDENCY_CYCLE
    assert len(error.values) == len(tasks)


def per_task(size: int, runs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Median microseconds per task; small sizes are repeated so that each sample takes as long."""
    repeat = max(1, LARGEST // 4 // size)
    gc.collect()
    gc.disable()
    taken = interleaved({name: partial(_times, repeat, run) for name, run in runs.items()}, size * repeat, 5)
    gc.enable()
    return {name: nanoseconds / 1e3 for name, nanoseconds in taken.items()}


def _times(repeat: int, run: Callable[[], object]) -> None:
    for _ in range(repeat):
        run()


def measured() -> dict[str, dict[int, float]]:
    """By what was measured, then by size."""
    figures: dict[str, dict[int, float]] = {name: {} for name in LABELS}
    for size in SIZES:
        tasks, deep = tree(size), chain(size)
        taken = per_task(
            size,
            {
                "probe": partial(probe, tasks),
                "validation": partial(validate, tasks),
                "creation": partial(created, tasks),
                "probe_of_a_chain": partial(probe, deep),
                "chain": partial(created, deep),
            },
        )
        for name, figure in taken.items():
            figures[name][size] = figure
    return figures


LABELS = {
    "probe": "probe: a lookup per id",
    "validation": "validation of a tree",
    "creation": "  and its inputs",
    "probe_of_a_chain": "probe of a chain",
    "chain": "a chain, and its inputs",
}
BESIDE = {"validation": "probe", "creation": "probe", "chain": "probe_of_a_chain"}


def main() -> None:
    figures = measured()
    knot = ring(RING)
    naming = per_task(RING, {"ring": partial(named, knot)})["ring"]
    times = {
        name: {size: figures[name][size] / figures[beside][size] for size in SIZES}
        for name, beside in BESIDE.items()
    }
    slopes = {name: taken[LARGEST] / taken[SIZES[0]] for name, taken in times.items()}
    lines = [
        f"{'us per task':26}"
        + "".join(f"{size:>16,}" for size in SIZES)
        + "   slope, and that of the multiple"
    ]
    for name, label in LABELS.items():
        cells = (
            f"{figures[name][n]:.2f}" + (f" ({times[name][n]:.1f}x)" if name in times else "") for n in SIZES
        )
        slope = f"   {figures[name][LARGEST] / figures[name][SIZES[0]]:.2f}"
        slope += f", {slopes[name]:.2f} (at most {AIM_SLOPE})" if name in slopes else ""
        lines.append(f"{label:26}" + "".join(f"{cell:>16}" for cell in cells) + slope)
    lines.append(f"a cycle of {RING:,} named: {naming:.2f} us per task, {naming * RING / 1e3:.0f} ms in all")
    kept = {
        "us_per_task": figures,
        "times_the_probe": times,
        "slope": slopes,
        "us_per_task_of_a_ring": naming,
    }
    report("requests", kept, lines)


if __name__ == "__main__":
    main()
