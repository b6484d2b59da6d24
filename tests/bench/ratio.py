"""Measuring by ratio: candidates take turns within one run, the median decides, and JSON is kept."""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build" / "bench"


def interleaved(
    candidates: Mapping[str, Callable[[], object]], calls: int, rounds: int = 15
) -> dict[str, float]:
    """Median nanoseconds per call of each candidate; every round measures each of them once."""
    samples: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, run in candidates.items():
            begin = time.perf_counter_ns()
            run()
            samples[name].append((time.perf_counter_ns() - begin) / calls)
    return {name: statistics.median(taken) for name, taken in samples.items()}


@contextmanager
def workshop() -> Iterator[Path]:
    """A folder for files, on the disk of the project, or in $BENCH_FOLDER: a disk decides much."""
    within = Path(os.environ.get("BENCH_FOLDER", BUILD))
    within.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=within) as folder:
        yield Path(folder)


def report(name: str, figures: Mapping[str, object], lines: list[str]) -> None:
    """Print the lines and keep the figures under build/bench."""
    BUILD.mkdir(parents=True, exist_ok=True)
    (BUILD / f"{name}.json").write_text(json.dumps(figures, indent=2) + "\n")
    sys.stdout.write("\n".join(lines) + "\n")
