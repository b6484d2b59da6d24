"""What the proofs say: lines for people, one object for programs, and proofs/README.md."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final, NamedTuple

from dhruva.assume import ASSUMPTIONS
from proofs import prose
from proofs.prove import CLAIMS, INVARIANTS, Answer
from proofs.shapes import INPUTS, OUTSIDE, STRANGE_KEYS

REFUSED_ALWAYS: Final = {f"({name})" for name in STRANGE_KEYS} | {"(wake)"}
"""Inputs that no world accepts: keys that are none, and the follow-up that the input Wake handles."""


class Line(NamedTuple):
    """What a claim came to over all inputs."""

    name: str
    sentence: str
    cites: str
    verdict: str
    paths: int
    checks: int
    seconds: float
    scope: str
    broken: tuple[tuple[str, str], ...]


def claims(answers: Sequence[Answer], everything: bool) -> list[Line]:
    """Over all inputs, a claim that was never put to a path is not proved either."""
    lines = []
    for at, claim in enumerate(CLAIMS):
        found = [(answer.shape, answer.found[at]) for answer in answers]
        broken = tuple((shape, one.broken) for shape, one in found if one.broken is not None)
        checks = sum(one.checked for _, one in found)
        refuted = any(why.startswith("Refuted") for _, why in broken)
        proved = not broken and (checks > 0 or not everything)
        verdict = "proved" if proved else "refuted" if refuted else "not proved"
        lines.append(
            Line(
                *(claim.name, claim.sentence, claim.cites, verdict),
                *(sum(one.paths for _, one in found), checks, sum(one.seconds for _, one in found)),
                *(", ".join(f"not of {cls.__name__}" for cls in claim.but), broken),
            )
        )
    return lines


def never_accepted(answers: Sequence[Answer]) -> list[str]:
    """Inputs that no world accepts and that should be: their premises would be empty."""
    return [
        one.shape
        for one in answers
        if not one.accepted and not any(one.shape.endswith(word) for word in REFUSED_ALWAYS)
    ]


def of_input(one: Answer) -> str:
    second = f"{one.confirmed:>6} by cvc5" if one.confirmed else " " * 14
    return f"{one.walked:>6} paths {one.checks:>6} checks {second} {one.seconds:>7.1f} s  {one.shape}"


def of_claims(found: Sequence[Line]) -> str:
    width = max(len(one.name) for one in found)
    text = []
    for one in found:
        figures = f"inductive {one.paths:>6} paths {one.checks:>6} checks {one.seconds:>6.1f} s"
        text.append(f"{one.verdict:<10} {one.name:<{width}}  {figures}  {one.cites or 'helper'}")
        text += [f"  {shape}: {why}" for shape, why in one.broken]
    return "\n".join(text)


def summary(answers: Sequence[Answer], found: Sequence[Line], took: float) -> str:
    proved = sum(one.verdict == "proved" for one in found)
    confirmed, worlds = sum(one.confirmed for one in answers), sum(one.walkable for one in answers)
    lines = [
        f"{proved} of {len(found)} claims proved; {len(answers)} shapes of inputs, "
        f"{sum(one.walked for one in answers)} paths of step, {sum(one.checks for one in answers)} solver "
        f"checks, {took:.0f} s",
        f"second opinion: {confirmed} answers `unsat` confirmed by cvc5, {worlds} controls `sat`",
    ]
    lines += [f"NEVER ACCEPTED: {shape}" for shape in never_accepted(answers)]
    return "\n".join(lines)


def as_json(answers: Sequence[Answer], found: Sequence[Line], took: float) -> Mapping[str, Any]:
    """The same bytes for the same code, but for the seconds."""
    return {
        "claims": [
            {
                "name": one.name,
                "sentence": one.sentence,
                "cites": one.cites.split(),
                "verdict": one.verdict,
                "rung": "inductive",
                "paths": one.paths,
                "checks": one.checks,
                "scope": "",
            }
            for one in found
        ],
        "inputs": len(answers),
        "solvers": {"z3": version("z3-solver"), "cvc5": version("cvc5")},
        "assumed": [*(f"{one.name} ({one.who})" for one in ASSUMPTIONS), *prose.SUPPOSED],
        "seconds": round(took, 1),
    }


def readme() -> str:
    """proofs/README.md."""
    rows = "\n".join(f"| {c.name} | {c.sentence} | {c.cites or 'helper'} |" for c in CLAIMS)
    assumed = "\n".join(f"- {one.name} (guaranteed by {one.who})" for one in ASSUMPTIONS)
    supposed = "\n".join(f"- {one}" for one in prose.SUPPOSED)
    figures = f"{len(CLAIMS)} claims, {len(INVARIANTS)} invariants, {len(INPUTS)} shapes of inputs, " + (
        f"{len(OUTSIDE)} moves of the outside."
    )
    return prose.README.format(rows=rows, assumed=assumed, supposed=supposed, figures=figures)
