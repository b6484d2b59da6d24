"""The explorer beside Spin and beside its own reference engine, within one run.

Totals count everything a user waits for: for us a fresh process that imports, records and searches; for
Spin generating, compiling with -O2 and a full depth-first run without reduction. Spin is given two models:
one written by hand for it (`tests/bench/spin`), by which the aims are judged, and the one that our engine
learned. Rounds are interleaved and the median is kept; counts must be equal or the run fails. Both sides
count the initial state as a state; Spin counts it as a transition too.
Each part can be run alone; the parts of build/bench/explore.json that were not run stay as they were.

    python -m tests.bench.explore [--rounds 3] [--only two_phase_commit] [--small]
    python -m tests.bench.explore --only huge      # one run past 10^8 states: minutes, and gigabytes
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from dhruva.explore import spin
from dhruva.explore.command import load
from dhruva.explore.promela import promela

ROOT = Path(__file__).parents[2]
OUT = ROOT / "build" / "bench" / "explore.json"
BY_HAND = ROOT / "tests" / "bench" / "spin"
Sets = dict[str, str]


class Case(NamedTuple):
    """One model beside Spin. `at_least` is the ratio that we want of Spin's time over ours, 0 for none.

    What was learned is put to Spin only where it or gcc does not take minutes for it.
    """

    name: str
    full: Sets
    small: Sets
    at_least: float
    is_exported: bool = True

    @property
    def file(self) -> str:
        return f"classics/{self.name}.py"


CASES = (
    Case("two_phase_commit", {"managers": "9"}, {"managers": "7"}, 2.0),
    Case("philosophers", {"seats": "18"}, {"seats": "13"}, 2.0),
    Case("peterson", {"processes": "6"}, {"processes": "4"}, 1 / 1.4, is_exported=False),
    Case("ewd998", {"bound": "4"}, {"bound": "2"}, 1 / 1.4, is_exported=False),
    Case("paxos", {"ballots": "4", "values": "1"}, {"ballots": "3", "values": "1"}, 1 / 1.4),
    Case("hanoi", {"disks": "13", "solve": "no"}, {"disks": "9", "solve": "no"}, 0.0),
)

# One search in a fresh process; liveness is left out, as Spin is run for safety only.
ONE = """
import json, sys
from dhruva.explore import check
from dhruva.explore.command import load
file, engine, seconds, sets = json.loads(sys.argv[1])
model = load(file, sets)
model.properties = [claim for claim in model.properties if claim.kind not in ("leads_to", "eventually")]
report = check(model, engine, keep_going=True, max_seconds=seconds)
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))
print(json.dumps([report.distinct, report.transitions, report.depth, report.seconds,
                  report.calls, report.stored_bytes, peak, report.cut is not None]))
"""


class Ours(NamedTuple):
    """What one search in a process of its own found and took."""

    distinct: int
    transitions: int
    depth: int
    search: float
    calls: int
    stored_bytes: int
    peak_mib: int
    is_cut: bool
    total: float
    cpu: float

    @property
    def rate(self) -> float:
        return self.distinct / self.search


class Spins(NamedTuple):
    distinct: int
    transitions: int
    search: float
    total: float
    cpu: float


def cpu() -> float:
    """Processor seconds of all processes started so far: steadier than the clock on a busy machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(file: str, sets: Sets, engine: str = "vector", seconds: float | None = None) -> Ours:
    """Search a model under `models`, in a fresh process."""
    started, before = time.perf_counter(), cpu()
    asked = json.dumps([str(ROOT / "models" / file), engine, seconds, sets])
    command = [sys.executable, "-c", ONE, asked]
    said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout)
    return Ours._make([*said, time.perf_counter() - started, cpu() - before])


def by_hand(name: str, sets: Sets) -> str:
    """The model that was written for Spin; bounds that are numbers are its macros."""
    bounds = [f"#define {bound} {value}\n" for bound, value in sets.items() if value.isdigit()]
    return "".join([*bounds, *((BY_HAND / f"{part}.pml").read_text() for part in ("each", name))])


def spins(text: str, known: Ours) -> Spins:
    before = cpu()
    spun = spin.spin(text, known.distinct, deadlock=False, optimise="-O2")
    found = spun.opinion
    total = spun.compile_seconds + spun.search_seconds
    assert found.distinct == known.distinct, (found, known)
    return Spins(found.distinct, found.transitions, spun.search_seconds, total, cpu() - before)


def beside_spin(case: Case, rounds: int, small: bool) -> dict[str, Any]:
    sets = case.small if small else case.full
    texts = {} if spin.missing() else {"spin": by_hand(case.name, sets)}
    if texts and (case.is_exported or small):
        texts["exported"] = promela(load(ROOT / "models" / case.file, sets))
    mine: list[Ours] = []
    theirs: dict[str, list[Spins]] = {who: [] for who in texts}
    for _ in range(rounds):
        mine.append(ours(case.file, sets))
        for who, text in texts.items():
            theirs[who].append(spins(text, mine[-1]))
    row = figures(case.file, sets, mine)
    for who, runs in theirs.items():
        for what in ("total", "search", "cpu"):
            row[f"{who}_{what}"] = median(what, runs)
            row[f"{who}_over_ours_{what}"] = row[f"{who}_{what}"] / row[what]
    if "spin" in theirs:
        # Spin prints eight digits, and one transition more: the one into the initial state.
        assert abs(theirs["spin"][-1].transitions / (mine[-1].transitions + 1) - 1) < 1e-6, (theirs, mine)
        row["wanted"] = case.at_least
    return row


def figures(file: str, sets: Sets, mine: list[Ours]) -> dict[str, Any]:
    last = mine[-1]
    return last._asdict() | {
        "model": file,
        "bounds": sets,
        "rounds": len(mine),
        "total": median("total", mine),
        "search": median("search", mine),
        "cpu": median("cpu", mine),
        "ns_per_state": median("search", mine) / last.distinct * 1e9,
        "bytes_per_state": last.stored_bytes / last.distinct,
    }


def median(what: str, runs: list[Any]) -> float:
    return float(statistics.median(getattr(run, what) for run in runs))


def beside_reference(
    file: str, full: Sets, little: Sets, wanted: float, rounds: int, small: bool
) -> dict[str, Any]:
    """States per second of both engines on one model, of which the reference engine gets a few seconds.

    The reference engine is judged by the states it has met by then, though not all of them are expanded: that
    flatters it.
    """
    sets, seconds = (little, 3.0) if small else (full, 20.0)
    fast, slow = [], []
    for _ in range(rounds):
        fast.append(ours(file, sets))
        slow.append(ours(file, sets, "reference", seconds))
    rates = [one.rate / other.rate for one, other in zip(fast, slow, strict=True)]
    return figures(file, sets, fast) | {
        "reference_distinct": slow[-1].distinct,
        "reference_is_cut": slow[-1].is_cut,
        "reference_rate": median("rate", slow),
        "vector_over_reference": statistics.median(rates),
        "wanted": wanted,
    }


def growth(rounds: int, small: bool) -> list[dict[str, Any]]:
    """Time per state, bytes per state and calls of Python as two models grow, each size in every round."""
    sizes = [("two_phase_commit", "managers", str(n)) for n in ((5, 6, 7) if small else (6, 7, 8, 9))]
    sizes += [("philosophers", "seats", str(n)) for n in ((11, 13) if small else (13, 15, 17, 18))]
    runs: dict[tuple[str, str, str], list[Ours]] = {size: [] for size in sizes}
    for _ in range(rounds):
        for name, bound, value in sizes:
            runs[name, bound, value].append(ours(f"classics/{name}.py", {bound: value}))
    return [
        figures(f"classics/{name}.py", {bound: value}, runs[name, bound, value])
        for name, bound, value in sizes
    ]


def huge(_rounds: int, small: bool) -> dict[str, Any]:
    """One run past 10^8 states."""
    sets = {"seats": "14" if small else "21"}
    return figures("classics/philosophers.py", sets, [ours("classics/philosophers.py", sets)])


PARTS: dict[str, Callable[[int, bool], Any]] = {
    **{case.name: partial(beside_spin, case) for case in CASES},
    "reference": partial(
        beside_reference, "classics/two_phase_commit.py", {"managers": "8"}, {"managers": "6"}, 50.0
    ),
    "kernel": partial(beside_reference, "kernel.py", {"attempts": "2", "spawns": "3"}, {}, 30.0),
    "growth": growth,
    "huge": huge,
}
# Only on request.
SLOW = ("huge",)


def line(row: dict[str, Any]) -> str:
    bounds = ", ".join(f"{name}={value}" for name, value in row["bounds"].items())
    text = (
        f"{row['model']} ({bounds}): {row['distinct']:,} states, {row['transitions']:,} transitions, "
        f"total {row['total']:.2f} s, search {row['search']:.2f} s, {row['ns_per_state']:.0f} ns/state, "
        f"{row['calls']:,} calls of Python, {row['bytes_per_state']:.1f} B/state, {row['peak_mib']} MiB"
    )
    for who, name in (("spin", "Spin"), ("exported", "Spin on what was learned")):
        if f"{who}_total" in row:
            text += (
                f"; {name} total {row[f'{who}_total']:.2f} s, search {row[f'{who}_search']:.2f} s: "
                f"{row[f'{who}_over_ours_total']:.2f}x our total (wanted {row['wanted']:.2f}x), "
                f"{row[f'{who}_over_ours_search']:.2f}x our search, "
                f"{row[f'{who}_over_ours_cpu']:.2f}x our processor time"
            )
    if "reference_rate" in row:
        text += (
            f"; reference {row['reference_rate']:,.0f} states/s over {row['reference_distinct']:,} states: "
            f"{row['vector_over_reference']:.0f}x (wanted {row['wanted']:.0f}x)"
        )
    return text


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--only", action="append", choices=tuple(PARTS), help="a part; all but the slow ones if none"
    )
    parser.add_argument("--small", action="store_true", help="sizes that end in seconds")
    options = parser.parse_args()
    if spin.missing():
        sys.stdout.write(f"{spin.missing()} not installed: figures beside Spin are skipped\n")
    kept = json.loads(OUT.read_text()) if OUT.exists() and not options.small else {}
    for name in options.only or [part for part in PARTS if part not in SLOW]:
        kept[name] = PARTS[name](options.rounds, options.small)
        for row in kept[name] if isinstance(kept[name], list) else [kept[name]]:
            sys.stdout.write(line(row) + "\n")
            sys.stdout.flush()
        if not options.small:
            OUT.parent.mkdir(parents=True, exist_ok=True)
            OUT.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
