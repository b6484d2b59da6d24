"""All claims on all paths of one input."""

import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple

import z3  # type: ignore[import-untyped]

from dhruva.cells import Change
from dhruva.step import Step
from proofs import (
    claims_act,
    claims_dsp,
    claims_formed,
    claims_lif,
    claims_rel,
    claims_wfl,
    facts,
    facts_lanes,
    facts_work,
)
from proofs.claim import Check, Claim, Refuted, View
from proofs.engine import Engine, Unproved, Unsupported
from proofs.invariants import Invariant, premises
from proofs.mirror import Mirror
from proofs.shapes import SHAPES, Shape
from proofs.symbolic import Path, explore, proved_kernel, symbolic

CLAIMS: Final[tuple[Claim, ...]] = (
    *claims_act.CLAIMS,
    *claims_lif.CLAIMS,
    *claims_dsp.CLAIMS,
    *claims_rel.CLAIMS,
    *claims_wfl.CLAIMS,
    *claims_formed.CLAIMS,
)
INVARIANTS: Final[tuple[Invariant, ...]] = tuple(
    one
    for family in (
        *(facts.LIVING, facts.PAIRED, facts.ALIVE, facts.REASONS, facts.ATTEMPTS, facts_lanes.WAITERS),
        *(facts_lanes.WHO_WAITS, facts.OWNERS, facts.NUMBERED, facts.LINKED, facts.UNMET, facts.SLOTS),
        *(facts.LIVE, facts.QUEUED, facts.WAITING, facts.OVERALL, facts.DISPOSED, facts.LIMITS),
        *(facts_work.CALLS, facts_work.PERFORMED, facts_work.LOCKS, facts_work.SPAWNING),
        *(facts_work.RECORDS, facts_work.TOKENS, facts_work.SLICES),
    )
    for one in family
)
"""What is supposed of a world. Each is required by a claim (tested)."""


class Found(NamedTuple):
    """What one claim came to on one input."""

    claim: str
    checked: int  # requirements that were put to a path whose premises can be met
    paths: int
    seconds: float
    broken: str | None


class Answer(NamedTuple):
    """What all claims came to on one input."""

    shape: str
    walked: int  # paths of parts and of the whole
    accepted: int  # ways in which the input is accepted, in some world that meets all premises
    checks: int
    seconds: float
    found: tuple[Found, ...]
    confirmed: int = 0  # answers `unsat` that cvc5 was asked about, and gave too
    walkable: int = 0


class Enough(Exception):
    """A refutation was found, and no more than one is wanted."""


class _Tally:
    def __init__(self, here: Engine, claims: Iterable[Claim], first: bool) -> None:
        self.here, self.claims, self.first = here, tuple(claims), first
        self.accepted = 0
        self.musts = dict.fromkeys((c.name for c in self.claims), 0)
        self.paths = dict.fromkeys((c.name for c in self.claims), 0)
        self.seconds = dict.fromkeys((c.name for c in self.claims), 0.0)
        self.broken: dict[str, str] = {}

    def visit(self, path: Path) -> None:
        if isinstance(path.said, Change):
            self._meet()
        for claim in self.claims:
            speaks = path.raised is None or claim.name == "total"
            if speaks and claim.name not in self.broken and not isinstance(path.given, claim.but):
                self._check(claim, path)
        if self.first and self.broken:
            raise Enough

    def _meet(self) -> None:
        """The premises can be met where the input is accepted: both solvers find a world."""
        self.accepted += self.here.solver.check() == z3.sat
        if self.here.on_unsat is not None:
            self.here.on_unsat.walkable(self.here.stack())

    def _check(self, claim: Claim, path: Path) -> None:
        began, known = time.perf_counter(), path.world.known
        base, walked = len(self.here.trace), self.here.walked
        for check in claim.checks:

            def run(check: Check = check) -> int:
                path.world.known = dict(known)
                view = View(self.here, path)
                check(view)
                return view.musts

            try:
                for musts in self.here.paths(run, base):
                    self.musts[claim.name] += musts
                    self.paths[claim.name] += bool(musts)
            except (Refuted, Unproved, Unsupported) as no:
                self.broken[claim.name] = f"{type(no).__name__}: {no}"
                self.here.back_to(base)
                break
            finally:
                path.world.known = known
        self.here.walked = walked  # paths of claims are not paths of step
        self.seconds[claim.name] += time.perf_counter() - began


def prove(
    shape: Shape,
    step: Step,
    claims: Iterable[Claim] = CLAIMS,
    first: bool = False,
    second: Mirror | None = None,
) -> Answer:
    """Each claim on every path of this input. `first`: to the first refutation. `second`: cvc5, asked about
    every `unsat`.
    """
    began, here = time.perf_counter(), Engine(second)
    tally = _Tally(here, claims, first)
    with symbolic(), suppress(Enough):
        explore(shape, step, tally.visit, here, premises(INVARIANTS))
    found = tuple(
        Found(
            c.name, tally.musts[c.name], tally.paths[c.name], tally.seconds[c.name], tally.broken.get(c.name)
        )
        for c in tally.claims
    )
    took = time.perf_counter() - began
    opinion = (0, 0) if second is None else second.opinion
    return Answer(shape.name, here.walked, tally.accepted, here.checks, took, found, *opinion)


def prove_input(name: str, second: bool) -> Answer:
    """All claims on the shipped kernel: what one process is given. `second`: cvc5 is asked too."""
    (shape,) = (shape for shape in SHAPES if shape.name == name)
    return prove(shape, proved_kernel(), second=Mirror() if second else None)
