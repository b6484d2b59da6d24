"""`python -m proofs`: every claim on every input, and every contract; exit code 1 if anything is not proved.

python -m proofs                  all inputs, each `unsat` confirmed by cvc5
python -m proofs --alone          by z3 alone, which takes half as long
python -m proofs Ask "Handle (tell)"   these inputs alone
python -m proofs --json FILE      what was found, for another program
python -m proofs --deep           mutants of tables and wiring: which of them the claims notice
python -m proofs --write          proofs/README.md anew
"""

import argparse
import functools
import json
import multiprocessing
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from proofs import contracts, deep, report
from proofs.contracts.__main__ import confirmed_all
from proofs.prove import Answer, prove_input
from proofs.shapes import SHAPES

SLOWEST_FIRST = (
    "Wake",
    "Handle (reject_queued)",
    "Outcome",
    "Admit",
    "Handle (ask_again)",
    "Ask",
    "Handle (tell)",
)
README = Path(__file__).parent / "README.md"


def _run(names: Sequence[str], second: bool) -> list[Answer]:
    """On two processes, the slowest first."""
    order = {name: place for place, name in enumerate(SLOWEST_FIRST)}
    waiting = sorted(names, key=lambda name: order.get(name, len(order)))
    answers = []
    with multiprocessing.get_context("spawn").Pool(min(2, multiprocessing.cpu_count())) as pool:
        for answer in pool.imap_unordered(functools.partial(prove_input, second=second), waiting):
            answers.append(answer)
            sys.stdout.write(f"{report.of_input(answer)}\n")
            sys.stdout.flush()
    places = {shape.name: place for place, shape in enumerate(SHAPES)}
    return sorted(answers, key=lambda answer: places[answer.shape])


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proofs")
    parser.add_argument("inputs", nargs="*", help="shapes of inputs; none: all")
    parser.add_argument("--alone", action="store_true", help="z3 alone: cvc5 confirms nothing")
    parser.add_argument("--json", type=Path, help="also write what was found to this file")
    parser.add_argument("--deep", action="store_true", help="mutants instead of the shipped kernel")
    parser.add_argument("--write", action="store_true", help="write README.md and prove nothing")
    return parser.parse_args(given)


def main(given: Sequence[str]) -> int:
    asked = _arguments(given)
    known = [shape.name for shape in SHAPES]
    unknown = sorted(set(asked.inputs) - set(known))
    if unknown:
        sys.stderr.write(f"no input is called {unknown[0]!r}; there are: {', '.join(known)}\n")
        return 2
    if asked.write:
        README.write_text(report.readme(), encoding="utf-8")
        return 0
    if asked.deep:
        return deep.main()
    began = time.perf_counter()
    answers = _run(asked.inputs or known, not asked.alone)
    found = report.claims(answers, everything=not asked.inputs)
    took = time.perf_counter() - began
    sys.stdout.write(f"{report.of_claims(found)}\n{report.summary(answers, found, took)}\n")
    faults = report.faults(answers)
    if not asked.inputs:
        sys.stdout.write(f"\n{contracts.__doc__}\n")
        faults += [f"NOT CONFIRMED: {one.name}" for one in confirmed_all() if not one.holds]
    if asked.json is not None:
        text = json.dumps(report.as_json(answers, found, faults, took), indent=1, sort_keys=True)
        asked.json.write_text(f"{text}\n", encoding="utf-8")
    return 1 if faults or any(one.verdict != "proved" for one in found) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
