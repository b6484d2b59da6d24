"""`python -m proofs --deep`: mutants of tables and wiring, and which of them a claim notices (VER-5).

A mutant is a kernel with one row redirected or dropped, one guard, effect or wire left out. It is put to the
inputs that move the changed machine, until a claim is refuted. What no claim notices is listed: a property
of a model must kill it instead (`dhruva verify` hunts those), liveness most of all.
"""

import functools
import multiprocessing
import sys
import time
from typing import Any, Final, NamedTuple

from dhruva.cells import Change
from dhruva.verify.mutants import Mutant, mutants
from dhruva.wiring import FOLLOW_UP
from proofs.engine import Engine
from proofs.invariants import premises
from proofs.merge import Guarded
from proofs.prove import INVARIANTS, prove
from proofs.shapes import INPUTS, Shape
from proofs.symbolic import Path, explore, in_parts, proved_kernel, stepping, symbolic

KINDS: Final = ("redirected", "row dropped", "guard dropped", "effect dropped", "wire dropped")


class Fate(NamedTuple):
    """What became of a mutant: the claim that noticed it and the input on which it did, or nothing."""

    mutant: str
    cites: tuple[str, ...]
    claim: str | None
    shape: str | None


@functools.cache
def chosen_mutants() -> tuple[Mutant, ...]:
    """Mutants of the tables and of the wiring; those of decisions are the contracts' and the models'."""
    return tuple(one for one in mutants() if one.kind in KINDS)


@functools.cache
def moved() -> dict[str, tuple[Shape, ...]]:
    """The inputs that move each machine, learned from the paths of the shipped kernel."""
    found: dict[str, list[Shape]] = {FOLLOW_UP: [one for one in INPUTS if one.name.startswith("Handle")]}
    step = proved_kernel()
    for shape in INPUTS:

        def visit(path: Path, shape: Shape = shape) -> None:
            items: Any = path.said.edges if isinstance(path.said, Change) else ()
            for item in items:
                edge = item.item if isinstance(item, Guarded) else item
                shapes = found.setdefault(edge.machine, [])
                if shape not in shapes:
                    shapes.append(shape)

        with symbolic():
            explore(shape, step, visit, Engine(), premises(INVARIANTS))
    return {machine: tuple(shapes) for machine, shapes in found.items()}


def fate(at: int) -> Fate:
    """Of the mutant at this place of the list; kernels do not travel between processes, places do."""
    mutant = chosen_mutants()[at]
    step = stepping.stepping(in_parts(mutant.book()))
    for shape in moved().get(mutant.of, ()):
        for found in prove(shape, step, first=True).found:
            if found.broken is not None:
                return Fate(mutant.name, mutant.cites, found.claim, shape.name)
    return Fate(mutant.name, mutant.cites, None, None)


def main() -> int:
    """Every mutant of these kinds, on two processes. What no claim notices is listed, and is no failure."""
    began, left = time.perf_counter(), []
    places = range(len(chosen_mutants()))
    with multiprocessing.get_context("spawn").Pool(min(2, multiprocessing.cpu_count())) as pool:
        for one in pool.imap(fate, places):
            if one.claim is None:
                left.append(one)
            sys.stdout.write(f"{one.claim or 'NOT NOTICED':<34} {one.shape or '':<24} {one.mutant}\n")
            sys.stdout.flush()
    took = time.perf_counter() - began
    sys.stdout.write(
        f"\n{len(places) - len(left)} of {len(places)} mutants fell to a proof alone, {took:.0f} s\n"
    )
    sys.stdout.write("Left to the models:\n" if left else "")
    for one in left:
        sys.stdout.write(f"  {one.mutant}  ({' '.join(one.cites)})\n")
    return 0
