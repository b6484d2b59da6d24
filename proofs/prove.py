"""All claims on all paths of one input, and the sum over all inputs."""

import time
from collections.abc import Iterable
from typing import Final, NamedTuple

from dhruva.cells import Change
from dhruva.step import Step
from proofs import claims_act, claims_formed, claims_more
from proofs.claim import Claim, Refuted, View
from proofs.engine import Engine, Unproved, Unsupported
from proofs.shapes import Shape
from proofs.symbolic import Path, explore, lazy_fields
from proofs.values import engine
from proofs.worlds import QUIET

CLAIMS: Final[tuple[Claim, ...]] = (*claims_act.CLAIMS, *claims_more.CLAIMS, *claims_formed.CLAIMS)


class Found(NamedTuple):
    """What one claim came to on one input."""

    claim: str
    checked: int  # requirements that were put to a path whose premises can be met
    seconds: float
    broken: str | None


class Answer(NamedTuple):
    """What all claims came to on one input."""

    shape: str
    paths: int
    accepted: int
    checks: int
    seconds: float
    found: tuple[Found, ...]


class Enough(Exception):
    """A refutation was found, and no more than one is wanted."""


class _Tally:
    def __init__(self, claims: Iterable[Claim], first: bool) -> None:
        self.claims, self.first = tuple(claims), first
        self.restart()

    def restart(self) -> None:
        self.paths = self.accepted = 0
        self.musts = dict.fromkeys((c.name for c in self.claims), 0)
        self.seconds = dict.fromkeys((c.name for c in self.claims), 0.0)
        self.broken: dict[str, str] = {}
        self.engine: Engine | None = None

    def visit(self, path: Path) -> None:
        if self.engine is not engine():
            self.restart()
            self.engine = engine()
        self.paths += 1
        self.accepted += isinstance(path.said, Change)
        for claim in self.claims:
            if claim.name not in self.broken and (path.raised is None or claim.name == "total"):
                self._check(claim, path)
        if self.first and self.broken:
            raise Enough

    def _check(self, claim: Claim, path: Path) -> None:
        here, began = engine(), time.perf_counter()
        base = len(here.trace)

        def run() -> int:
            view = View(here, path)
            claim.check(view)
            return view.musts

        try:
            for musts in here.paths(run, base):
                self.musts[claim.name] += musts
        except (Refuted, Unproved, Unsupported) as no:
            self.broken[claim.name] = f"{type(no).__name__}: {no}"
            here.back_to(base)
        self.seconds[claim.name] += time.perf_counter() - began


def prove(shape: Shape, step: Step, claims: Iterable[Claim] = CLAIMS, first: bool = False) -> Answer:
    """Each claim on every path of this input, in the worlds that it is proved in. `first`: to the
    first refutation.
    """
    began, tally = time.perf_counter(), _Tally(claims, first)
    with lazy_fields():
        try:
            checks = explore(shape, step, tally.visit, quiet=shape.name in QUIET).checks
        except Enough:
            checks = engine().checks
    found = tuple(
        Found(c.name, tally.musts[c.name], tally.seconds[c.name], tally.broken.get(c.name))
        for c in tally.claims
    )
    return Answer(shape.name, tally.paths, tally.accepted, checks, time.perf_counter() - began, found)
