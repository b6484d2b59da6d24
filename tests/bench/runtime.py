"""`make bench-runtime`: the runtime beside its peers, by ratios within one run. JSON under build/bench.

    python -m tests.bench.runtime [memory] [chains] [lag] [journal] [scale]

Files are made under build/bench, or in $BENCH_FOLDER. Peers are optional (`pip install 'dhruva[bench]'`);
without them their lines are left out, and it is said.
"""

import sys
from collections.abc import Callable
from typing import Any

from tests.bench import runtime_chains, runtime_lag, runtime_memory, runtime_scale
from tests.bench.ratio import report

PARTS: dict[str, Callable[[], tuple[dict[str, Any], list[str]]]] = {
    "memory": runtime_memory.main,
    "chains": runtime_chains.main,
    "lag": runtime_lag.main,
    "journal": runtime_chains.journal,
    "scale": runtime_scale.main,
}


def main(wanted: list[str]) -> int:
    unknown = [name for name in wanted if name not in PARTS]
    if unknown:
        sys.stderr.write(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}\n")
        return 2
    for name in wanted or PARTS:
        figures, lines = PARTS[name]()
        report(f"runtime-{name}", figures, [f"== {name}", *lines])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
