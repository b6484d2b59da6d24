"""`Machine.step` against a bare dict lookup of the same pair, and the import against the standard library."""

import subprocess
import sys
from functools import partial
from itertools import product

from dhruva.machines.scope import SCOPE
from tests.bench.ratio import interleaved, report

CALLS = 36 * 5_000
AIM_STEP = 4.0
AIM_IMPORT = 2.0


def step_against_dict() -> dict[str, float]:
    """All pairs of the scope machine, refused ones included, looked up the same number of times."""
    pairs = list(product(SCOPE.states, SCOPE.events)) * 5_000
    bare = {(row.source, row.on): row for row in SCOPE.rows}
    legal = [pair for pair in pairs if pair in bare]
    legal = (legal * (CALLS // len(legal) + 1))[:CALLS]

    def lookup() -> None:
        for state, event in legal:
            bare[state, event]

    def step() -> None:
        take = SCOPE.step
        for state, event in legal:
            take(state, event)

    def refused() -> None:
        take = SCOPE.step
        for state, event in pairs:
            take(state, event)

    return interleaved({"dict": lookup, "step": step, "step_with_refusals": refused}, CALLS)


def import_time() -> dict[str, float]:
    """Seconds of a fresh interpreter for each import, less an empty one."""
    codes = {
        "nothing": "pass",
        "standard": "import asyncio, sqlite3, json",
        "dhruva": "import dhruva",
        "dhruva_machines": "import dhruva; dhruva.MACHINES",
    }

    runs = {
        name: partial(subprocess.run, [sys.executable, "-c", code], check=True)
        for name, code in codes.items()
    }
    taken = interleaved(runs, 1, rounds=9)
    return {name: (taken[name] - taken["nothing"]) / 1e9 for name in codes if name != "nothing"}


def main() -> None:
    steps, imports = step_against_dict(), import_time()
    ratio = steps["step"] / steps["dict"]
    loading = imports["dhruva"] / imports["standard"]
    figures = {
        "nanoseconds": steps,
        "step_per_dict": ratio,
        "import_seconds": imports,
        "import_ratio": loading,
    }
    rows = [
        ("bare dict lookup", f"{steps['dict']:.0f} ns", ""),
        ("Machine.step", f"{steps['step']:.0f} ns", f"{ratio:.2f}x of the lookup (at most {AIM_STEP})"),
        ("  refused pairs included", f"{steps['step_with_refusals']:.0f} ns", ""),
        ("import asyncio, sqlite3, json", f"{imports['standard'] * 1e3:.0f} ms", ""),
        (
            "import dhruva",
            f"{imports['dhruva'] * 1e3:.0f} ms",
            f"{loading:.2f}x of that (at most {AIM_IMPORT})",
        ),
        ("  with all machines", f"{imports['dhruva_machines'] * 1e3:.0f} ms", ""),
    ]
    report("table", figures, [f"{name:30} {figure:>8}   {note}".rstrip() for name, figure, note in rows])


if __name__ == "__main__":
    main()
