"""The models: each explored whole, and each broken one shown to fail as it says it must.

Models are files of the repository, not of the package: they are found by path, so that adding one takes
one file (VER-7). A broken model names in `FAILS` the property that must fail, and in `LENGTH` how long
the shortest trace to it is.
"""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from dhruva.explore import Report, check
from dhruva.explore.command import load, module

HELPERS = ("__init__", "claims", "world")
Progress = Callable[[str], None]
T = TypeVar("T")


class Checked(NamedTuple):
    """A model that must hold, and what was found."""

    path: Path
    report: Report

    @property
    def holds(self) -> bool:
        return self.report.verdict == "holds"


class Broken(NamedTuple):
    """A model that must fail, and how it did."""

    path: Path
    must_fail: str
    must_take: int
    failed: tuple[str, ...]
    took: int | None
    seconds: float
    story: str

    @property
    def caught(self) -> bool:
        return self.must_fail in self.failed and self.took == self.must_take


def files(folder: Path) -> list[Path]:
    """The models in a folder, by name."""
    found = sorted(path for path in folder.glob("*.py") if path.stem not in HELPERS)
    if not found:
        raise FileNotFoundError(f"no models in {folder}: run this at the root of the repository")
    return found


def check_models(folder: Path, engine: str, progress: Progress) -> list[Checked]:
    """Explore every model of the folder at its own bounds, all cores at work."""
    return _all(partial(_checked, engine), files(folder), progress)


def check_broken(folder: Path, engine: str, progress: Progress) -> list[Broken]:
    """Explore every broken model up to its first violation."""
    return _all(partial(_broken, engine), files(folder), progress)


def _all(work: Callable[[Path], T], paths: list[Path], progress: Progress) -> list[T]:
    """The work on each path, in the order of the paths; progress is told as each is done."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        running = {pool.submit(work, path): path for path in paths}
        for done, future in enumerate(as_completed(running), 1):
            progress(f"[{done}/{len(paths)}] {running[future]}")
        return [future.result() for future in running]


def _checked(engine: str, path: Path) -> Checked:
    return Checked(path, check(load(path), engine))


def _broken(engine: str, path: Path) -> Broken:
    says: Any = module(path)
    report = check(load(path), engine)
    failed = {one.name: one.trace for one in report.properties if one.verdict == "violated"}
    trace = failed.get(says.FAILS)
    return Broken(
        path,
        says.FAILS,
        says.LENGTH,
        tuple(failed),
        None if trace is None else len(trace),
        report.seconds,
        "" if trace is None else trace.story(),
    )
