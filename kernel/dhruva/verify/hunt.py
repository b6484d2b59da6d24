"""The hunt: every mutant against the models at their quick bounds, until a property notices (VER-5).

Only runs that consult the mutated thing are asked, small ones first, and the first whose verdict changes ends
it. What a mutant came to:

- `killed`: a property of a model changed its verdict: that is noticing by meaning.
- `checked`: no property noticed, but such a table or wiring cannot be built.
- `raised`: no property noticed, but the kernel, or a claim over an odd state, raised, or no world came about.
- `counted`: only the numbers of states or transitions differ: a pin of the manifest would notice.
- `survived`: answers differ, and nobody notices.
- `equivalent`: a changed decision that says the same on every combination of its facts (`same`).
- `no difference`: every answer in every state of every run that consults it is the kernel's own.
- `unmet`: no run consults it.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from dhruva.explore.command import module
from dhruva.step import book, stepping
from dhruva.verify import delta, manifest, work
from dhruva.verify.delta import Said
from dhruva.verify.graph import Graph
from dhruva.verify.manifest import QUICK, Run
from dhruva.verify.mutants import Mutant, mutants
from dhruva.verify.same import same
from dhruva.verify.work import Crash, Job
from dhruva.walk import SETTINGS, Settings

KILLED, CHECKED, RAISED, COUNTED = "killed", "checked", "raised", "counted"
SURVIVED, EQUIVALENT, NO_DIFFERENCE, UNMET = "survived", "equivalent", "no difference", "unmet"
FATES: Final = (KILLED, CHECKED, RAISED, COUNTED, SURVIVED, EQUIVALENT, NO_DIFFERENCE, UNMET)
BATCH = 25  # mutants handed to a worker at a time


class Word(NamedTuple):
    """What one run said of a mutant."""

    run: str
    said: Said


class Fate(NamedTuple):
    """What became of a mutant."""

    name: str
    kind: str
    of: str
    cites: tuple[str, ...]
    fate: str
    words: tuple[Word, ...]  # of the runs that consult it, in the order in which they were asked
    refused: str | None  # what the checks of tables and wiring say
    shows: tuple[str, ...]  # the requirements among `cites` that the killing property cites

    @property
    def killer(self) -> Word | None:
        return next((word for word in self.words if word.said.killed), None)


class Credit(NamedTuple):
    """A requirement, a mutant of something that implements it, and a property that cites it and notices."""

    id: str
    mutant: str
    property: str
    run: str


class World(NamedTuple):
    """A run and its graph under the shipped kernel."""

    run: Run
    settings: Settings
    graph: Graph

    @property
    def cites(self) -> dict[str, tuple[str, ...]]:
        return {claim.name: claim.cites for claim in self.graph.model.claims()}


def world(folder: Path, run: Run) -> World:
    """The graph of a run. A module may say at which settings of the kernel its model is meant."""
    said: Any = module(folder / f"{run.model}.py")
    settings = getattr(said, "SETTINGS", SETTINGS)
    bounds = dict(run.bounds)
    return World(run, settings, Graph(lambda step: said.model(**bounds, step=step), book(settings=settings)))


@cache
def worlds(folder: Path, models: frozenset[str] = frozenset()) -> tuple[World, ...]:
    """All quick runs, or those of some models, small ones first; made once per process."""
    listed = manifest.read(folder / "manifest.toml").runs(QUICK)
    runs = [run for run in listed if not models or run.model in models]
    return tuple(sorted((world(folder, run) for run in runs), key=lambda one: len(one.graph.rows)))


def fate(mutant: Mutant, among: Iterable[World]) -> Fate:
    """Ask the runs in order until one notices."""
    words: dict[str, Word] = {}
    cited: set[str] = set()
    for one, runs in _asked(mutant, list(among), words):
        said = judge(mutant, one, runs=runs)
        if said.outcome != delta.SAME:
            words[one.run.name] = Word(one.run.name, said)
        if said.killed:
            cited = whole(one.cites[said.by])
            break
    refused = mutant.refused()
    came_to = _fate([word.said for word in words.values()], refused)
    if came_to in (NO_DIFFERENCE, UNMET) and same(mutant):
        came_to = EQUIVALENT
    shows = tuple(id_ for id_ in mutant.cites if id_ in cited)
    return Fate(
        mutant.name, mutant.kind, mutant.of, mutant.cites, came_to, tuple(words.values()), refused, shows
    )


def _asked(mutant: Mutant, among: list[World], words: Mapping[str, Word]) -> Iterator[tuple[World, bool]]:
    """First every run without claims about runs, which cost most; then with them, where the graph differs."""
    met = [
        one
        for one in among
        if any(c in one.graph.consulting or c in one.graph.setup for c in mutant.consulted)
    ]
    yield from ((one, False) for one in met)
    for one in met:
        word = words.get(one.run.name)
        if one.graph.live and word is not None and word.said.counts_differ:
            yield one, True


def judge(mutant: Mutant, one: World, only: frozenset[str] | None = None, runs: bool = True) -> Said:
    return delta.judge(one.graph, stepping(mutant.book(one.settings)), mutant.consulted, only=only, runs=runs)


def _fate(said: list[Said], refused: str | None) -> str:
    if any(one.killed for one in said):
        return KILLED
    if refused is not None:
        return CHECKED
    if any(one.outcome in (delta.RAISED, delta.NO_WORLD) for one in said):
        return RAISED
    if any(one.counts_differ for one in said):
        return COUNTED
    if any(one.differs or one.outcome == delta.CUT for one in said):
        return SURVIVED
    return NO_DIFFERENCE if said else UNMET


def credit(id_: str, folder: Path, names: tuple[str, ...]) -> Credit | None:
    """The first of these mutants, all of things that implement a requirement, that a property which cites
    it notices. The property that noticed first may have cited others, so those that cite it are asked alone.
    """
    wanted = frozenset(names)
    for mutant in (one for one in mutants() if one.name in wanted):
        for one in worlds(folder):
            only = frozenset(name for name, cites in one.cites.items() if id_ in whole(cites))
            said = judge(mutant, one, only) if only else Said(delta.SAME)
            if said.killed:
                return Credit(id_, mutant.name, said.by, one.run.name)
    return None


def whole(cites: Iterable[str]) -> set[str]:
    """Requirements without the letters of their parts."""
    return {id_.rstrip("abcdefghijklmnopqrstuvwxyz") for id_ in cites}


class Wanted(NamedTuple):
    """Which mutants, and by which models; empty means all."""

    of: frozenset[str] = frozenset()
    by: frozenset[str] = frozenset()

    def mutants(self) -> Iterator[Mutant]:
        return (one for one in mutants() if not self.of or one.of in self.of)


def jobs(folder: Path, wanted: Wanted = Wanted()) -> list[Job]:  # noqa: B008 (it is frozen)
    """The hunt in batches."""
    total = sum(1 for _ in wanted.mutants())
    return [
        Job(f"mutants {start + 1} to {min(start + BATCH, total)}", _batch, (folder, wanted, start), _told)
        for start in range(0, total, BATCH)
    ]


def _batch(folder: Path, wanted: Wanted, start: int) -> list[Fate]:
    among = worlds(folder, wanted.by)
    return [fate(one, among) for one in islice(wanted.mutants(), start, start + BATCH)]


def _told(fates: list[Fate]) -> str:
    return f"{sum(1 for one in fates if one.fate == KILLED)} of {len(fates)} killed"


def credited(fates: Iterable[Fate]) -> dict[str, Credit]:
    """The requirements that the hunt itself has shown."""
    found: dict[str, Credit] = {}
    for one in fates:
        if one.killer is not None:
            for id_ in one.shows:
                word = one.killer
                found.setdefault(id_, Credit(id_, one.name, word.said.by, word.run))
    return found


def credit_jobs(folder: Path, fates: Iterable[Fate]) -> list[Job]:
    """One job for each requirement that has killed mutants, and none killed by a property that cites it."""
    killed = [one for one in fates if one.fate == KILLED]
    shown = credited(killed)
    names: dict[str, list[str]] = {}
    for one in killed:
        for id_ in one.cites:
            if id_ not in shown:
                names.setdefault(id_, []).append(one.name)
    return [Job(f"credit {id_}", credit, (id_, folder, tuple(some))) for id_, some in sorted(names.items())]


def totals(fates: Iterable[Fate]) -> Mapping[str, int]:
    counted = Counter(one.fate for one in fates)
    return {name: counted[name] for name in FATES}


def _quiet(_line: str) -> None:
    """Nobody watches."""


def main(arguments: list[str]) -> int:
    """`python -m dhruva.verify.hunt [MACHINE|DECISION|MODEL ...]`: the mutants that no property kills."""
    out = sys.stdout.write
    folder = Path("models")
    models = frozenset(manifest.read(folder / "manifest.toml").models) & frozenset(arguments)
    wanted = Wanted(frozenset(arguments) - models, models)
    batches = work.done(jobs(folder, wanted), _quiet)
    for name, batch in batches.items():
        if isinstance(batch, Crash):
            out(f"{name}: {batch.message}\n")
    found = [one for batch in batches.values() if not isinstance(batch, Crash) for one in batch]
    for one in found:
        if one.fate != KILLED:
            out(f"{one.fate:14}{one.kind:16}  {one.name}\n")
            for word in one.words:
                out(
                    f"{'':16}{word.run}: {word.said.outcome} {word.said.by[:160]} "
                    f"({word.said.differs} answers differ, {word.said.new} new states)\n"
                )
    out(", ".join(f"{count} {name}" for name, count in totals(found).items()) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
