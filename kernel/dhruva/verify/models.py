"""The models: each run explored whole and compared with its pin, each broken one shown to fail as it must.

Models are files of the repository, not of the package: they are found by path, so that adding one takes one
file and one entry of the manifest (VER-7). A broken model names in `FAILS` the property that must fail, and
in `LENGTH` how long the shortest trace to it is.
"""

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from dhruva.explore import ModelError, Report, check
from dhruva.explore.command import load, module
from dhruva.explore.model import DEADLOCK
from dhruva.explore.replay import Trace
from dhruva.verify.manifest import Manifest, Pin, Run, pin

HELPERS = ("__init__", "claims", "world")
TOLD_EVERY = 15.0  # seconds between words about one long run


class Checked(NamedTuple):
    """A run of a model that must hold, and what was found."""

    run: Run
    report: Report

    @property
    def holds(self) -> bool:
        """Every property holds, and none of nothing."""
        return self.report.verdict == "holds" and not any(p.is_vacuous for p in self.report.properties)

    @property
    def counted(self) -> Pin:
        return pin(self.report)


class Broken(NamedTuple):
    """A model that must fail, and how it did."""

    name: str
    about: str
    must_fail: str
    must_take: int
    trace: Trace | None  # how the property failed
    sentence: str
    seconds: float

    @property
    def took(self) -> int | None:
        return None if self.trace is None else len(self.trace)

    @property
    def caught(self) -> bool:
        return self.took == self.must_take


def files(folder: Path) -> list[Path]:
    """The models in a folder, by name: modules that define `model`, helpers left aside."""
    found = sorted(path for path in folder.glob("*.py") if path.stem not in HELPERS and _is_model(path))
    if not found:
        raise FileNotFoundError(f"no models in {folder}: run this at the root of the repository")
    return found


def _is_model(path: Path) -> bool:
    return "\ndef model(" in path.read_text(encoding="utf-8")


def unlisted(folder: Path, listed: Manifest) -> list[str]:
    """Models without a run, and runs without a model: each is a mistake."""
    there = {path.stem for path in files(folder)}
    named = set(listed.models)
    return [
        *(f"models/{name}.py has no run in manifest.toml" for name in sorted(there - named)),
        *(f"manifest.toml names {name}, and there is no models/{name}.py" for name in sorted(named - there)),
    ]


def explore(folder: Path, engine: str, run: Run) -> Checked:
    """One run, in a process of its own; a long one says now and then how far it is."""
    model = load(folder / f"{run.model}.py", run.sets)
    return Checked(run, check(model, engine, progress=_Told(run.name)))


def explore_broken(engine: str, path: Path) -> Broken:
    """A broken model, asked about the property that must fail and no other, up to its violation."""
    says: Any = module(path)
    model = load(path)
    if says.FAILS not in {claim.name for claim in model.claims()}:
        raise ModelError(f"{path}: there is no property {says.FAILS!r}")
    model.properties = [claim for claim in model.properties if claim.name == says.FAILS]
    if says.FAILS != DEADLOCK:
        model.allow_deadlock("one property is asked alone")
    report = check(model, engine)
    asked = next(one for one in report.properties if one.name == says.FAILS)
    return Broken(
        path.stem,
        " ".join((says.__doc__ or "").split()),
        says.FAILS,
        says.LENGTH,
        asked.trace if asked.verdict == "violated" else None,
        asked.sentence,
        report.seconds,
    )


def longest_first(runs: Iterable[Run]) -> list[Run]:
    """So that the last to finish is a short one; what is not pinned may be long."""
    return sorted(runs, key=lambda run: -(run.pin.transitions if run.pin else sys.maxsize))


class _Told:
    """Progress of one run, on the error stream, where several processes write."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.last = time.perf_counter()

    def __call__(self, distinct: int, frontier: int, depth: int) -> None:
        now = time.perf_counter()
        if now - self.last >= TOLD_EVERY:
            self.last = now
            sys.stderr.write(f"      {self.name}: {distinct:,} states, depth {depth}, {frontier:,} in it\n")
            sys.stderr.flush()
