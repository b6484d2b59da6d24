"""The explorer beside Spin and beside its own reference engine, within one run.

Totals count everything a user waits for: for us a fresh process that imports, records and searches; for
Spin generating, compiling with -O2 and a full depth-first run without reduction, on the very model that
our engine learned. Rounds are interleaved and the median is kept; counts must be equal or the run fails.

    python -m tests.bench.explore [--rounds 3] [--only two_phase_commit] [--small]
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from dhruva.explore.checker import check
from dhruva.explore.command import load
from dhruva.explore.promela import promela

ROOT = Path(__file__).parents[2]
CLASSICS = ROOT / "models" / "classics"
OUT = ROOT / "build" / "bench" / "explore.json"


class Case(NamedTuple):
    """One model beside Spin. `at_least` is the ratio that we want of Spin's time over ours, 0 for none."""

    file: str
    full: dict[str, str]
    small: dict[str, str]
    at_least: float


CASES = (
    Case("two_phase_commit", {"managers": "9"}, {"managers": "7"}, 2.0),
    Case("philosophers", {"seats": "18"}, {"seats": "13"}, 2.0),
    Case("peterson", {"processes": "6"}, {"processes": "4"}, 1 / 1.4),
    Case("ewd998", {"bound": "4"}, {"bound": "2"}, 1 / 1.4),
    Case("paxos", {"ballots": "4", "values": "1"}, {"ballots": "3", "values": "1"}, 1 / 1.4),
    Case("hanoi", {"disks": "13", "solve": "no"}, {"disks": "9", "solve": "no"}, 0.0),
)

# One search in a fresh process; liveness is left out, as Spin is run for safety only.
ONE = """
import resource, sys
from dhruva.explore import check
from dhruva.explore.command import load
model = load(sys.argv[1], dict(pair.split("=") for pair in sys.argv[3:]))
model.properties = [claim for claim in model.properties if claim.kind not in ("leads_to", "eventually")]
report = check(model, sys.argv[2], keep_going=True)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(report.distinct, report.transitions, report.depth, report.seconds)
print(report.calls, report.stored_bytes, peak)
"""


class Ours(NamedTuple):
    distinct: int
    transitions: int
    depth: int
    search: float
    calls: int
    stored_bytes: int
    peak_mib: int
    total: float
    cpu: float


class Spins(NamedTuple):
    distinct: int
    search: float
    total: float
    cpu: float


def cpu() -> float:
    """Processor seconds of all processes started so far: steadier than the clock on a busy machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(file: str, sets: dict[str, str], engine: str = "vector") -> Ours:
    started, before = time.perf_counter(), cpu()
    pairs = [f"{name}={value}" for name, value in sets.items()]
    command = [sys.executable, "-c", ONE, str(CLASSICS / f"{file}.py"), engine, *pairs]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.split()
    total = time.perf_counter() - started
    distinct, transitions, depth, calls, stored, peak = (int(said[n]) for n in (0, 1, 2, 4, 5, 6))
    return Ours(distinct, transitions, depth, float(said[3]), calls, stored, peak, total, cpu() - before)


def spins(text: str, states: int) -> Spins:
    """Spin's answer about a model, with a stack and a hash table that fit the number of states.

    -o1 and -o2 keep variables that Spin would otherwise leave out of the state.
    """
    sizes = (f"-m{states + 1}", f"-w{max(states.bit_length(), 16)}")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.pml").write_text(text)
        started, before = time.perf_counter(), cpu()
        run(folder, "spin", "-o1", "-o2", "-a", "model.pml")
        run(folder, "gcc", "-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=12000", "-o", "pan", "pan.c")
        compiled = time.perf_counter()
        output = run(folder, "./pan", "-c0", "-E", *sizes)
        ended = time.perf_counter()
    stored = re.search(r"([\d.e+]+) states, stored", output)
    assert stored is not None, output
    return Spins(int(float(stored[1])), ended - compiled, ended - started, cpu() - before)


def run(folder: str, *command: str) -> str:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def beside_spin(case: Case, sets: dict[str, str], rounds: int) -> dict[str, Any]:
    model = load(CLASSICS / f"{case.file}.py", sets)
    text = promela(model) if shutil.which("spin") and shutil.which("gcc") else None
    mine, theirs = [], []
    for _ in range(rounds):
        mine.append(ours(case.file, sets))
        if text is not None:
            theirs.append(spins(text, mine[-1].distinct))
            assert theirs[-1].distinct == mine[-1].distinct, (case, theirs, mine)
    row: dict[str, Any] = mine[-1]._asdict() | {
        "model": case.file,
        "bounds": sets,
        "rounds": rounds,
        "total": statistics.median(one.total for one in mine),
        "search": statistics.median(one.search for one in mine),
        "cpu": statistics.median(one.cpu for one in mine),
        "bytes_per_state": mine[-1].stored_bytes / mine[-1].distinct,
    }
    if theirs:
        row["spin_total"] = statistics.median(one.total for one in theirs)
        row["spin_search"] = statistics.median(one.search for one in theirs)
        row["spin_cpu"] = statistics.median(one.cpu for one in theirs)
        row["spin_over_ours"] = row["spin_total"] / row["total"]
        row["spin_over_ours_cpu"] = row["spin_cpu"] / row["cpu"]
        row["spin_over_ours_search"] = row["spin_search"] / row["search"]
        row["wanted"] = case.at_least
    return row


def beside_reference(rounds: int, small: bool) -> dict[str, Any]:
    """States per second of both engines; the reference engine on a size that it finishes in seconds."""
    fast, slow = ("7", "5") if small else ("8", "6")
    rates = []
    for _ in range(rounds):
        vector = ours("two_phase_commit", {"managers": fast})
        reference = ours("two_phase_commit", {"managers": slow}, "reference")
        rates.append((vector.distinct / vector.search) / (reference.distinct / reference.search))
    return {"vector_over_reference": statistics.median(rates), "managers": [fast, slow], "wanted": 50.0}


def growth(small: bool) -> list[dict[str, Any]]:
    """Time per state and calls of Python as the model grows."""
    rows = []
    for managers in ("6", "7") if small else ("7", "8", "9"):
        one = ours("two_phase_commit", {"managers": managers})
        rows.append(
            {
                "distinct": one.distinct,
                "ns_per_state": one.search / one.distinct * 1e9,
                "bytes_per_state": one.stored_bytes / one.distinct,
                "calls": one.calls,
            }
        )
    return rows


def huge() -> dict[str, Any]:
    """One run past 10^8 states, in this process, with what it took."""
    model = load(CLASSICS / "philosophers.py", {"seats": "21"})
    report = check(model, "vector", keep_going=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {
        "distinct": report.distinct,
        "transitions": report.transitions,
        "seconds": report.seconds,
        "bytes_per_state": report.stored_bytes / report.distinct,
        "peak_mib": peak,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=None)
    parser.add_argument("--small", action="store_true", help="sizes that end in seconds")
    parser.add_argument("--huge", action="store_true", help="also one run past 10^8 states")
    options = parser.parse_args()
    if not (shutil.which("spin") and shutil.which("gcc")):
        sys.stdout.write("Spin or gcc is not installed: figures beside Spin are skipped\n")
    result: dict[str, Any] = {"beside_spin": []}
    for case in CASES:
        if options.only in (None, case.file):
            row = beside_spin(case, case.small if options.small else case.full, options.rounds)
            result["beside_spin"].append(row)
            sys.stdout.write(line(row) + "\n")
            sys.stdout.flush()
    if options.only is None:
        result["beside_reference"] = beside_reference(options.rounds, options.small)
        result["growth"] = growth(options.small)
    if options.huge:
        result["huge"] = huge()
    for name in ("beside_reference", "growth", "huge"):
        if name in result:
            sys.stdout.write(f"{name}: {json.dumps(result[name])}\n")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(result, indent=1) + "\n")


def line(row: dict[str, Any]) -> str:
    bounds = ", ".join(f"{name}={value}" for name, value in row["bounds"].items())
    text = (
        f"{row['model']} ({bounds}): {row['distinct']:,} states, {row['transitions']:,} transitions, "
        f"total {row['total']:.2f} s, search {row['search']:.2f} s, {row['calls']:,} calls of Python, "
        f"{row['bytes_per_state']:.1f} B/state, {row['peak_mib']} MiB"
    )
    if "spin_total" in row:
        text += (
            f"; Spin total {row['spin_total']:.2f} s, search {row['spin_search']:.2f} s: "
            f"{row['spin_over_ours']:.2f}x our total (wanted {row['wanted']:.2f}x), "
            f"{row['spin_over_ours_search']:.2f}x our search, "
            f"{row['spin_over_ours_cpu']:.2f}x our processor time"
        )
    return text


if __name__ == "__main__":
    main()
