"""`python -m proofs`: every claim on every input, one line per claim; exit code 1 if anything is not
proved.
"""

import multiprocessing
import sys
import time
from collections.abc import Sequence

from proofs.prove import CLAIMS, Answer, prove
from proofs.shapes import SHAPES
from proofs.worlds import QUIET, proved_kernel

SLOWEST_FIRST = ("Outcome", "Ask", "SliceWaits", "Admit")


def _prove(name: str) -> Answer:
    shape = next(shape for shape in SHAPES if shape.name == name)
    return prove(shape, proved_kernel())


def _run(names: Sequence[str], workers: int) -> list[Answer]:
    answers = []
    with multiprocessing.Pool(workers, maxtasksperchild=8) as pool:
        for answer in pool.imap_unordered(_prove, names):
            answers.append(answer)
            _input(answer)
    return answers


def main(arguments: Sequence[str]) -> int:
    """Names of inputs, or none for all."""
    began = time.perf_counter()
    names = sorted(
        (shape.name for shape in SHAPES if not arguments or shape.name in arguments),
        key=lambda name: SLOWEST_FIRST.index(name) if name in SLOWEST_FIRST else len(SLOWEST_FIRST),
    )
    sys.stdout.write("paths   accepted  seconds  input\n")
    answers = _run(names, min(2, multiprocessing.cpu_count()))
    failed = _claims(answers, everything=not arguments)
    paths, checks = sum(a.paths for a in answers), sum(a.checks for a in answers)
    took = time.perf_counter() - began
    sys.stdout.write(
        f"\n{len(CLAIMS)} claims, {failed} not proved; {len(answers)} shapes of inputs, {paths} paths, "
        f"{checks} solver checks, {took:.0f} s\n"
    )
    return 1 if failed else 0


def _input(a: Answer) -> None:
    worlds = "  (quiet worlds)" if a.shape in QUIET else ""
    sys.stdout.write(f"{a.paths:<8}{a.accepted:<10}{a.seconds:<9.1f}{a.shape}{worlds}\n")
    sys.stdout.flush()


def _claims(answers: Sequence[Answer], everything: bool) -> int:
    """One line per claim. Over all inputs, what was never put to a path is not proved either."""
    failed = 0
    for at, claim in enumerate(CLAIMS):
        found = [(a, a.found[at]) for a in answers]
        checked, seconds = sum(f.checked for _, f in found), sum(f.seconds for _, f in found)
        paths = sum(a.paths for a, f in found if f.checked)
        broken = [(a.shape, f.broken) for a, f in found if f.broken]
        failed += bool(broken) or (everything and not checked)
        word = "NOT PROVED" if broken else "proved" if checked else "not put"
        figures = f"inductive, {paths} paths, {checked} checks, {seconds:.0f} s"
        sys.stdout.write(f"{word:<11}{claim.name:<32}{claim.cites}  {figures}\n")
        for shape, why in broken:
            sys.stdout.write(f"  {shape}: {why}\n")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
