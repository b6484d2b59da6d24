"""A second opinion: Spin counts and judges the learned model with its own code.

Spin is a program of its own (Debian package `spin`) and compiles each model with gcc; where one of them is
missing, asking is a usage error. What is compared: stored states and distinct states, which both count the
initial one; whether a state or a step refutes a claim; and whether there is a deadlock.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from dhruva.explore.errors import EngineError, UsageError
from dhruva.explore.model import Always, AlwaysStep, Model, NoDeadlock
from dhruva.explore.promela import with_tables
from dhruva.explore.promela_tables import TABLES

TOOLS = ("spin", "gcc")
# What Spin can be asked about: see `promela`.
EXPORTED = (Always, AlwaysStep, NoDeadlock)
_LEAST_STACK = 10_000
_MEMORY_MIB = 12_000


class Opinion(NamedTuple):
    """What one checker found. Spin counts as transitions also the initial state, each outcome, and each final
    state's loop."""

    distinct: int
    transitions: int
    is_violated: bool


class Spun(NamedTuple):
    """Spin's opinion, and what it took: to generate and compile, and to search."""

    opinion: Opinion
    compile_seconds: float
    search_seconds: float


class Recheck(NamedTuple):
    """Two opinions on one model."""

    ours: Opinion
    spins: Opinion

    @property
    def agrees(self) -> bool:
        return self.ours.distinct == self.spins.distinct and self.ours.is_violated == self.spins.is_violated


def missing() -> tuple[str, ...]:
    """The programs that are not installed."""
    return tuple(tool for tool in TOOLS if shutil.which(tool) is None)


def recheck(model: Model, max_states: int | None = None) -> Recheck:
    """Explore the model, have Spin search what was learned, and put the two side by side."""
    text, tables, found = with_tables(model, max_states)
    names = {claim.name for claim in model.claims() if isinstance(claim, EXPORTED)}
    ours = Opinion(found.distinct, found.transitions, not names.isdisjoint(found.paths))
    return Recheck(ours, spin(text, found.distinct, model.deadlock_allowed is None, tables=tables).opinion)


def spin(text: str, states: int, deadlock: bool = True, optimise: str = "-O0", tables: str = "") -> Spun:
    """Search all of a Promela model of so many states; `deadlock` says whether to look for one.

    -o1 and -o2 keep variables that Spin would otherwise leave out of a state. Compiling takes longer than
    searching, so it is not optimised unless the search is what is measured.
    """
    absent = missing()
    if absent:
        raise UsageError(f"{' and '.join(absent)} must be installed to ask Spin")
    options = ("-w", "-DSAFETY", "-DNOREDUCE", f"-DMEMLIM={_MEMORY_MIB}")
    sizes = (f"-m{max(states, _LEAST_STACK) + 1}", f"-w{max(states.bit_length(), 16)}")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.pml").write_text(text, encoding="utf-8")
        Path(folder, TABLES).write_text(tables, encoding="utf-8")
        started = time.perf_counter()
        _run(folder, "spin", "-o1", "-o2", "-a", "model.pml")
        _run(folder, "gcc", optimise, *options, "-o", "pan", "pan.c")
        compiled = time.perf_counter()
        said = _run(folder, "./pan", "-c0", *(() if deadlock else ("-E",)), *sizes)
        ended = time.perf_counter()
    if "max search depth too small" in said:
        raise EngineError(f"Spin met paths longer than {states:,} states: it has not searched everything")
    opinion = Opinion(
        _number(r"([\d.e+]+) states, stored", said),
        _number(r"([\d.e+]+) transitions", said),
        _number(r"errors: (\d+)", said) > 0,
    )
    return Spun(opinion, compiled - started, ended - compiled)


def _run(folder: str, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise EngineError(f"{' '.join(command)} failed: {(done.stderr or done.stdout)[-500:].strip()}")
    return done.stdout


def _number(pattern: str, said: str) -> int:
    found = re.search(pattern, said)
    if found is None:
        raise EngineError(f"Spin did not say {pattern!r}: {said[-500:].strip()}")
    return int(float(found[1]))
