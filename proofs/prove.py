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
    claims_frame,
    claims_lif,
    claims_rel,
    claims_wfl,
    facts,
    facts_lanes,
    facts_order,
    facts_work,
)
from proofs.claim import Check, Claim, Refuted, View
from proofs.engine import Engine, Unproved, Unsupported
from proofs.invariants import Invariant, premises
from proofs.second import Disagreement, Opinion, Second
from proofs.shapes import SHAPES, Shape
from proofs.symbolic import Path, explore, proved_kernel, symbolic

CLAIMS: Final[tuple[Claim, ...]] = (
    *claims_act.CLAIMS,
    *claims_lif.CLAIMS,
    *claims_dsp.CLAIMS,
    *claims_rel.CLAIMS,
    *claims_wfl.CLAIMS,
    *claims_formed.CLAIMS,
    *claims_frame.CLAIMS,
)
INVARIANTS: Final[tuple[Invariant, ...]] = tuple(
    one
    for family in (
        *(facts.LIVING, facts.PAIRED, facts.ALIVE, facts.REASONS, facts.ATTEMPTS, facts_lanes.WAITERS),
        *(facts_lanes.WHO_WAITS, facts_lanes.READY, facts_order.ORDER, facts.OWNERS, facts.NUMBERED),
        *(facts.LINKED, facts.UNMET, facts.SLOTS, facts.LIVE, facts.QUEUED, facts.WAITING, facts.OVERALL),
        *(facts.DISPOSED, facts.LIMITS, facts_work.PRIMARIES, facts_work.CALLS, facts_work.PERFORMED),
        *(facts_work.LOCKS, facts_work.SPAWNING, facts_work.RECORDS, facts_work.TOKENS, facts_work.SLICES),
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
    opinion: Opinion | None = None  # of cvc5, where it was asked
    fault: str | None = None  # why the paths could not be walked to their end


class Enough(Exception):
    """A refutation was found, and no more than one is wanted."""


class _Tally:
    def __init__(self, here: Engine, claims: Iterable[Claim], first: bool, second: Second | None) -> None:
        self.here, self.claims, self.first, self.second = here, tuple(claims), first, second
        self.accepted = 0
        self.musts = dict.fromkeys((c.name for c in self.claims), 0)
        self.paths = dict.fromkeys((c.name for c in self.claims), 0)
        self.seconds = dict.fromkeys((c.name for c in self.claims), 0.0)
        self.broken: dict[str, str] = {}
        self.refuted = False

    def visit(self, path: Path) -> None:
        """In a world that meets all premises."""
        if isinstance(path.said, Change):
            self._meet()
        if path.raised is not None:  # noticed by the claim that nothing is, in any world
            return
        for claim in self.claims:
            if not claim.anywhere:
                self._put(claim, path)

    def anywhere(self, path: Path) -> None:
        """In any world."""
        for claim in self.claims:
            if claim.anywhere:
                self._put(claim, path)

    def _put(self, claim: Claim, path: Path) -> None:
        if claim.name not in self.broken:
            self._check(claim, path)
            if self.first and self.refuted:
                raise Enough

    def _meet(self) -> None:
        """The premises can be met where the input is accepted: both solvers find a world."""
        self.accepted += self.here.solver.check() == z3.sat
        if self.second is not None:
            self.second.walkable(self.here.stack())

    def _check(self, claim: Claim, path: Path) -> None:
        began, known = time.perf_counter(), path.world.known
        base, walked = len(self.here.trace), self.here.walked
        if self.second is not None:
            self.second.about = claim.name
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
            except (Refuted, Unproved, Unsupported, Disagreement) as no:
                self.broken[claim.name] = f"{type(no).__name__}: {no}"
                self.refuted |= isinstance(no, Refuted)
                self.here.back_to(base)
                break
            finally:
                path.world.known = known
        if self.second is not None:
            self.second.about = None
        self.here.walked = walked  # paths of claims are not paths of step
        self.seconds[claim.name] += time.perf_counter() - began


def prove(
    shape: Shape,
    step: Step,
    claims: Iterable[Claim] = CLAIMS,
    first: bool = False,
    second: Second | None = None,
) -> Answer:
    """Each claim on every path of this input. `first`: to the first refutation. `second`: cvc5, asked about
    every `unsat`.
    """
    began, here = time.perf_counter(), Engine(second)
    tally = _Tally(here, claims, first, second)
    with symbolic(), suppress(Enough):
        explore(shape, step, tally.visit, here, premises(INVARIANTS))
        if any(claim.anywhere for claim in tally.claims):
            explore(shape, step, tally.anywhere, here, None)
    found = tuple(
        Found(
            c.name, tally.musts[c.name], tally.paths[c.name], tally.seconds[c.name], tally.broken.get(c.name)
        )
        for c in tally.claims
    )
    took = time.perf_counter() - began
    opinion = None if second is None else second.opinion
    return Answer(shape.name, here.walked, tally.accepted, here.checks, took, found, opinion)


def prove_input(name: str, second: bool) -> Answer:
    """All claims on the shipped kernel: what one process is given. `second`: cvc5 is asked too."""
    (shape,) = (shape for shape in SHAPES if shape.name == name)
    try:
        return prove(shape, proved_kernel(), second=Second() if second else None)
    except (Unproved, Unsupported, Disagreement) as no:
        return Answer(name, 0, 0, 0, 0.0, (), None, f"{type(no).__name__}: {no}")
