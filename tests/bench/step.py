"""`step` on a dict world: time against one `Machine.step`, flatness, footprints, size of cells."""

import statistics
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from dhruva.cells import Key, Read
from dhruva.explore import check
from dhruva.ids import ExecutorId, OwnerId, ProcessId, Ref, RequestId, ScopeId, TaskId
from dhruva.inputs import Ask, CreateScope, CreateTask, Succeed, Wake
from dhruva.machines.scope import SCOPE, ScopeEvent, ScopeState
from dhruva.step import step
from dhruva.table import Refused
from tests.bench.ratio import report

HOME, PROCESS, EXECUTOR = ScopeId(1), ProcessId(9), ExecutorId(5)
FIRST_NEW = 10_000_000
SIZES = (10, 1_000, 100_000)
ROUNDS = 7
PAIRS = 2_000
AIM_STEP, AIM_FLAT, AIM_CELLS = 25.0, 1.3, 12


class World(dict[Key, Any]):
    """Cells in a dict."""

    def apply(self, given: Any) -> None:
        answer = step(self.get, given)
        if isinstance(answer, Refused):
            raise ValueError(f"{given} gives {answer}")
        for key, cell in answer.writes.items():
            if cell is None:
                del self[key]
            else:
                self[key] = cell


def task(number: int) -> TaskId:
    return TaskId(OwnerId(number))


def crowded(size: int) -> World:
    """A scope with so many living attempts of stored tasks."""
    world = World()
    world.apply(CreateScope(HOME))
    for number in range(10, 10 + size):
        world.apply(CreateTask(task(number), HOME, EXECUTOR))
        world.apply(Wake(HOME, PROCESS))
    return world


def one_off(world: World, numbers: Iterable[int]) -> None:
    for number in numbers:
        world.apply(Ask(RequestId(OwnerId(number)), HOME, PROCESS))
        world.apply(Succeed(Ref(OwnerId(number), 1, 1)))


def stored(world: World, numbers: Iterable[int]) -> None:
    """Start and end of tasks that were created before."""
    for number in numbers:
        world.apply(Wake(HOME, PROCESS))
        world.apply(Succeed(Ref(OwnerId(number), 1, 1)))


def table_lookup() -> float:
    begin = time.perf_counter_ns()
    take, state, event = SCOPE.step, ScopeState.ATTACHED, ScopeEvent.TASK_STARTED
    for _ in range(20_000):
        take(state, event)
    return (time.perf_counter_ns() - begin) / 20_000


def timed(run: Callable[[World, Iterable[int]], None], world: World, numbers: range) -> float:
    begin = time.perf_counter_ns()
    run(world, numbers)
    return (time.perf_counter_ns() - begin) / (2 * len(numbers))


def measure() -> dict[str, dict[str, float]]:
    """Median nanoseconds per step, by size of the world, all taking turns; `lookup` is one Machine.step."""
    worlds = {size: crowded(size) for size in SIZES}
    samples: dict[str, dict[str, list[float]]] = {"lookup": {"": []}, "one_off": {}, "stored": {}}
    for turn in range(ROUNDS):
        samples["lookup"][""].append(table_lookup())
        for size, world in worlds.items():
            begin = FIRST_NEW + turn * PAIRS
            numbers = range(begin, begin + PAIRS)
            samples["one_off"].setdefault(str(size), []).append(timed(one_off, world, numbers))
            numbers = range(2 * FIRST_NEW + turn * PAIRS, 2 * FIRST_NEW + (turn + 1) * PAIRS)
            for number in numbers:
                world.apply(CreateTask(task(number), HOME, EXECUTOR))
            samples["stored"].setdefault(str(size), []).append(timed(stored, world, numbers))
    return {
        name: {size: statistics.median(taken) for size, taken in group.items()}
        for name, group in samples.items()
    }


def encoded(world: World) -> int:
    """Bytes of the largest cell: words as they are, numbers and absences in eight bytes."""
    return max(map(_bytes, world.values()))


def _bytes(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    return sum(map(_bytes, value)) if isinstance(value, tuple) else 8


def footprints() -> dict[str, int]:
    """Cells that each input read or wrote at most, over every step of every model."""
    most: dict[str, int] = {}

    def counting(read: Read, given: Any) -> Any:
        seen: set[Key] = set()

        def noting(key: Key) -> Any:
            seen.add(key)
            return read(key)

        answer = step(noting, given)
        touched = len(seen | (set() if isinstance(answer, Refused) else answer.writes.keys()))
        name = type(given).__name__
        most[name] = max(most.get(name, 0), touched)
        return answer

    for path in sorted(Path("models").glob("*.py")):
        build = getattr(import_module(f"models.{path.stem}"), "model", None)
        if build is not None:
            check(build(step=counting))
    return dict(sorted(most.items(), key=lambda item: -item[1]))


def main() -> None:
    taken, touched = measure(), footprints()
    small, large = encoded(crowded(SIZES[0])), encoded(crowded(SIZES[-1]))
    lookup = taken["lookup"][""]
    lines = [f"{'Machine.step':34} {lookup / 1e3:7.2f} us"]
    for name, words in (("one_off", "request and end of a one-off"), ("stored", "start and end of a task")):
        by_size = taken[name]
        first, last = by_size[str(SIZES[0])], by_size[str(SIZES[-1])]
        times, flat = first / lookup, last / first
        lines.append(
            f"{words:34} {first / 1e3:7.2f} us a step, {times:.0f}x of Machine.step (aim {AIM_STEP:.0f})"
        )
        lines.append(f"{'':34} {SIZES[-1]:,} live against {SIZES[0]}: {flat:.2f}x (aim {AIM_FLAT})")
    lines.append(f"largest cell: {small} bytes with {SIZES[0]} tasks, {large} with {SIZES[-1]:,}")
    lines.append(f"cells touched, at most (aim 5, limit {AIM_CELLS}):")
    lines += [f"  {count:3}  {name}" for name, count in touched.items()]
    figures = {"nanoseconds": taken, "footprints": touched, "largest_cell": {"small": small, "large": large}}
    report("step", figures, lines)


if __name__ == "__main__":
    main()
