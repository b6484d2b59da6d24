"""`python -m proofs --deep`: every mutant of tables and wiring, and what notices it (VER-5).

A mutant is a kernel with one row redirected or dropped, one guard, effect or wire left out. It is put to the
inputs whose paths consult what was changed (the others walk the shipped kernel), the cheapest first, until a
claim is refuted. A mutant that no claim refutes is put to the models, and is listed with the property that
kills it there: liveness most of all.

What is known of a mutant is kept in a file as soon as it is known, and a run that was cut short goes on from
there, as long as kernel, models and proofs are as they were.
"""

import functools
import json
import multiprocessing
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from dhruva.verify import hunt
from dhruva.verify.mutants import Mutant, mutants
from dhruva.verify.watch import Consulted
from dhruva.walk import Book
from proofs.claim import Refuted
from proofs.engine import Engine, Unproved, Unsupported
from proofs.invariants import premises
from proofs.prove import CLAIMS, INVARIANTS, prove
from proofs.shapes import INPUTS, Shape
from proofs.symbolic import explore, in_parts, stepping, symbolic
from proofs.values import concrete

KINDS: Final = ("redirected", "row dropped", "guard dropped", "effect dropped", "wire dropped")
ROOT: Final = Path(__file__).parent.parent
SOURCES: Final = ("kernel/dhruva", "models", "proofs")
KEPT: Final = Path("build/proofs/deep.jsonl")
PROOF, MODEL = "proof", "model"


class Fate(NamedTuple):
    """What became of a mutant: who noticed it (a claim and an input, or a property and a run), or nobody."""

    mutant: str
    kind: str
    cites: tuple[str, ...]
    noticed: str  # PROOF, MODEL, or what the hunt calls its fate (hunt.FATES)
    by: str
    where: str

    @property
    def due(self) -> bool:
        """Whether a proved claim cites what was changed: then somebody must notice."""
        return not claimed().isdisjoint(self.cites)


@functools.cache
def claimed() -> frozenset[str]:
    """The requirements that claims cite, without the letters of their parts."""
    return frozenset(hunt.whole(id_ for claim in CLAIMS for id_ in claim.cites.split()))


@functools.cache
def chosen_mutants() -> tuple[Mutant, ...]:
    """Mutants of the tables and of the wiring; those of decisions are the contracts' and the models'.

    In an order that has nothing to do with what they are, so that any beginning of the list is a sample.
    """
    chosen = (one for one in mutants() if one.kind in KINDS)
    return tuple(sorted(chosen, key=lambda one: blake2b(one.name.encode()).digest()))


# Which inputs consult what


class Walked(NamedTuple):
    """What the paths of one input consult, and how many questions they are to the solver."""

    shape: str
    consulted: frozenset[Consulted]
    checks: int


class _Noted(dict[Any, Any]):
    """A table whose lookups are noted, the missed ones too."""

    def __init__(self, table: Mapping[Any, Any], seen: set[Consulted], name: Consulted = ()) -> None:
        super().__init__(table)
        self._seen, self._name = seen, name

    def get(self, key: Any, default: Any = None) -> Any:
        self._seen.add((*self._name, *(str(concrete(part)) for part in key)))
        return super().get(key, default)


def _noting(book: Book, seen: set[Consulted]) -> Book:
    moves = {name: _Noted(rows, seen, (name,)) for name, rows in book.moves.items()}
    return book._replace(moves=moves, wires=_Noted(book.wires, seen))


def walked(name: str) -> Walked:
    """The shipped kernel on one input."""
    here, seen = Engine(), set[Consulted]()
    step = stepping.stepping(_noting(in_parts(stepping.book()), seen))
    with symbolic():
        explore(_shape(name), step, lambda _: None, here, premises(INVARIANTS))
    return Walked(name, frozenset(seen), here.checks)


def _shape(name: str) -> Shape:
    return next(shape for shape in INPUTS if shape.name == name)


def asked(mutant: Mutant, inputs: Iterable[Walked]) -> tuple[str, ...]:
    """The inputs that can tell a mutant from the kernel, the cheapest first."""
    met = [one for one in inputs if not mutant.consulted.isdisjoint(one.consulted)]
    return tuple(one.shape for one in sorted(met, key=lambda one: (one.checks, one.shape)))


# What notices a mutant


def by_proof(job: tuple[int, tuple[str, ...]]) -> Fate | None:
    """The mutant at this place of the list on these inputs; kernels do not travel between processes."""
    mutant = chosen_mutants()[job[0]]
    step = stepping.stepping(in_parts(mutant.book()))
    for name in job[1]:
        try:
            found = prove(_shape(name), step, first=True).found
        except (Unproved, Unsupported):  # the engine cannot follow it: no refutation
            continue
        for one in found:
            if one.broken is not None and one.broken.startswith(Refuted.__name__):
                return Fate(mutant.name, mutant.kind, mutant.cites, PROOF, one.claim, name)
    return None


def by_model(at: int, models: frozenset[str] = frozenset()) -> Fate:
    """The property of one of these models, or of any, that kills a mutant, or what the hunt says of it."""
    mutant = chosen_mutants()[at]
    found = hunt.fate(mutant, hunt.worlds(ROOT / "models", models))
    killer = found.killer
    if killer is None:
        return Fate(mutant.name, mutant.kind, mutant.cites, found.fate, found.refused or "", "")
    return Fate(mutant.name, mutant.kind, mutant.cites, MODEL, killer.said.by, killer.run)


# Keeping what is known


def sources() -> str:
    """A digest of everything that a fate depends on."""
    digest = blake2b(digest_size=16)
    for folder in SOURCES:
        for file in sorted((ROOT / folder).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


class Kept:
    """Fates in a file, one to a line, under the digest of the sources."""

    def __init__(self, file: Path) -> None:
        self.file, self.fates = file, dict[str, Fate]()
        self.unproved = set[str]()  # mutants that no claim refutes
        self.first = json.dumps({"sources": sources()})
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        if lines[:1] != [self.first]:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{self.first}\n", encoding="utf-8")
            return
        for said in map(json.loads, lines[1:]):
            self._take(said)

    def _take(self, said: Any) -> None:
        if "by" in said:
            fate = Fate(**{**said, "cites": tuple(said["cites"])})
            self.fates[fate.mutant] = fate
        else:
            self.unproved.add(said["unproved"])

    def add(self, mutant: str, fate: Fate | None) -> None:
        said = {"unproved": mutant} if fate is None else fate._asdict()
        self._take(said)
        with self.file.open("a", encoding="utf-8") as out:
            out.write(f"{json.dumps(said)}\n")


# All of them


def _ask_proofs(pool: Any, kept: Kept) -> Iterator[tuple[Mutant, Fate | None]]:
    known = {*kept.fates, *kept.unproved}
    places = [at for at, one in enumerate(chosen_mutants()) if one.name not in known]
    if not places:
        return
    inputs = pool.map(walked, [shape.name for shape in INPUTS], chunksize=1)
    work = [(at, asked(chosen_mutants()[at], inputs)) for at in places]
    for at, fate in zip(places, pool.imap(by_proof, work), strict=True):
        yield chosen_mutants()[at], fate


def _ask_models(pool: Any, kept: Kept) -> Iterator[tuple[Mutant, Fate]]:
    places = [
        at
        for at, one in enumerate(chosen_mutants())
        if one.name in kept.unproved and one.name not in kept.fates
    ]
    for at, fate in zip(places, pool.imap(by_model, places), strict=True):
        yield chosen_mutants()[at], fate


def _said(mutant: Mutant, fate: Fate | None) -> str:
    if fate is None:
        return f"{'no claim':<8} {'':<58} {mutant.name}"
    return f"{fate.noticed:<8} {fate.by[:34]:<34} {fate.where[:23]:<23} {mutant.name}"


def summary(fates: Sequence[Fate]) -> str:
    """How many fell to what, and the mutants that fell to no claim, each with what noticed it instead."""
    due = [one for one in fates if one.due]
    lines = []
    for words, some in (("mutants", fates), ("of them of what a proved claim cites", due)):
        proofs = sum(one.noticed == PROOF for one in some)
        models = sum(one.noticed == MODEL for one in some)
        rest = len(some) - proofs - models
        lines.append(
            f"{len(some)} {words}: {proofs} fell to a proof alone, {models} to a model, {rest} to none"
        )
    lines += ["", "Fell to no claim:"]
    lines += [
        f"  {one.noticed:<14} {one.by or '-'} {f'({one.where})' if one.where else ''}\n"
        f"  {'':<14} {one.mutant}  {' '.join(one.cites)}"
        for one in sorted(fates, key=lambda one: (one.noticed == MODEL, one.noticed, one.mutant))
        if one.noticed != PROOF
    ]
    return "\n".join(lines)


def missed(fates: Iterable[Fate]) -> list[Fate]:
    """Mutants of what a proved claim cites that neither a claim nor a property of a model notices. A table
    that cannot be built, and a kernel that is no other one, are noticed or nothing to notice.
    """
    fine = (PROOF, MODEL, hunt.CHECKED, hunt.EQUIVALENT, hunt.NO_DIFFERENCE)
    return [one for one in fates if one.due and one.noticed not in fine]


def main(file: Path = KEPT, processes: int | None = None) -> int:
    """Every mutant of these kinds. Exit code 1 if one that a proved claim cites is noticed by nobody."""
    began, kept = time.perf_counter(), Kept(file)
    total = len(chosen_mutants())
    cores = processes or min(2, multiprocessing.cpu_count())
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        for ask in (_ask_proofs, _ask_models):
            for mutant, fate in ask(pool, kept):
                kept.add(mutant.name, fate)
                known = len(kept.fates.keys() | kept.unproved)
                sys.stdout.write(f"[{known}/{total}] {_said(mutant, fate)}\n")
                sys.stdout.flush()
    fates = [kept.fates[one.name] for one in chosen_mutants()]
    sys.stdout.write(f"\n{summary(fates)}\n{time.perf_counter() - began:.0f} s; kept in {file}\n")
    return 1 if missed(fates) else 0
