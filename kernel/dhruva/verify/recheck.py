"""A second opinion: each model as Promela, counted and judged by real Spin (`dhruva.explore.spin`).

`python -m dhruva.verify.recheck [MODEL ...]` takes every quick run of the manifest, which must hold, and
every broken model, which must not: Spin has to store as many states and to come to the same verdict. Claims
that something is reached, and claims about runs, are not exported; the table says how many are. A fault may
make a model larger without end: broken models of more than MOST states are left out, and named.
"""

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from dhruva.explore import UsageError
from dhruva.explore.command import load, module
from dhruva.explore.model import DEADLOCK, Model
from dhruva.explore.spin import EXPORTED, Recheck, missing, recheck
from dhruva.verify import manifest, models, work
from dhruva.verify.manifest import QUICK, Run
from dhruva.verify.report import aligned
from dhruva.verify.work import Crash, Job

MOST = 30_000
HEAD = ("model", "states", "transitions", "claims asked", "wanted", "ours", "Spin's", "")


class Row(NamedTuple):
    """Both opinions on one model, and the verdict that it must have."""

    name: str
    exported: int
    claims: int
    wanted: str
    found: Recheck

    @property
    def agrees(self) -> bool:
        return self.found.agrees and _word(self.found.ours.is_violated) == self.wanted


class LeftOut(NamedTuple):
    """A broken model that Spin was not asked about."""

    name: str
    because: str


def of_run(folder: Path, run: Run) -> Row:
    return _row(run.name, load(folder / f"{run.model}.py", run.sets), "holds")


def of_broken(path: Path) -> Row | LeftOut:
    """Asked about the property that must fail alone; left out if that is not exported, or it is too large."""
    name, model, fails = f"broken/{path.stem}", load(path), module(path).FAILS
    claim = next((one for one in model.claims() if one.name == fails), None)
    if not isinstance(claim, EXPORTED):
        return LeftOut(name, f"{fails!r} is no claim about a state or a step")
    model.properties = [one for one in model.properties if one.name == fails]
    if fails != DEADLOCK:
        model.allow_deadlock("one property is asked alone")
    try:
        return _row(name, model, "violated", MOST)
    except UsageError:  # the search was cut short
        return LeftOut(name, f"it has more than {MOST:,} states")


def _row(name: str, model: Model, wanted: str, most: int | None = None) -> Row:
    claims = model.claims()
    exported = sum(1 for claim in claims if isinstance(claim, EXPORTED))
    return Row(name, exported, len(claims), wanted, recheck(model, most))


def rows(folder: Path, wanted: Iterable[str], progress: work.Progress) -> list[Row | LeftOut | Crash]:
    """Opinions on the runs of these models, or on all runs and all broken models."""
    names = set(wanted)
    listed = manifest.read(folder / "manifest.toml").runs(QUICK)
    runs = models.longest_first(run for run in listed if not names or run.model in names)
    jobs = [Job(run.name, of_run, (folder, run)) for run in runs]
    if not names:
        jobs += [Job(f"broken {p.stem}", of_broken, (p,)) for p in models.files(folder / "broken")]
    return list(work.done(jobs, progress).values())


def _word(is_violated: bool) -> str:
    return "violated" if is_violated else "holds"


def _cells(one: Row) -> tuple[object, ...]:
    ours, spins = one.found
    return (
        one.name,
        f"{ours.distinct:,}",
        f"{ours.transitions:,}",
        f"{one.exported} of {one.claims}",
        one.wanted,
        _word(ours.is_violated),
        f"{_word(spins.is_violated)}, {spins.distinct:,} states",
        "agrees" if one.agrees else "DISAGREES",
    )


def _progress(line: str) -> None:
    sys.stderr.write(line + "\n")


def main(arguments: list[str]) -> int:
    if missing():
        sys.stderr.write(f"{' and '.join(missing())} missing: `make spin` installs Spin\n")
        return 2
    began = time.perf_counter()
    found = rows(Path("models"), arguments, _progress)
    opinions = [one for one in found if isinstance(one, Row)]
    sys.stdout.write(aligned([HEAD, *map(_cells, opinions)]) + "\n")
    out = [one for one in found if isinstance(one, LeftOut)]
    sys.stdout.writelines(f"left out: {one.name}: {one.because}\n" for one in out)
    sys.stdout.writelines(f"{one.message}\n" for one in found if isinstance(one, Crash))
    agreed, asked = sum(1 for one in opinions if one.agrees), len(found) - len(out)
    took = time.perf_counter() - began
    sys.stdout.write(
        f"Spin agrees on {agreed} of {asked}; {len(out)} broken models left out ({took:.0f} s)\n"
    )
    return 0 if agreed == asked else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
