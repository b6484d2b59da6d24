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
    rung: str  # "inductive", or shown in "any world" alone
    broken: tuple[tuple[str, str], ...]


def claims(answers: Sequence[Answer], everything: bool) -> list[Line]:
    """Over all inputs, a claim that was never put to a path is not proved either; and none is where the
    paths of an input were not walked to their end.
    """
    lines, walked = [], [answer for answer in answers if answer.fault is None]
    for at, claim in enumerate(CLAIMS):
        found = [(answer.shape, answer.found[at]) for answer in walked]
        broken = tuple((shape, one.broken) for shape, one in found if one.broken is not None)
        checks = sum(one.checked for _, one in found)
        refuted = any(why.startswith("Refuted") for _, why in broken)
        proved = not broken and (checks > 0 or not everything) and len(walked) == len(answers)
        verdict = "proved" if proved else "refuted" if refuted else "not proved"
        lines.append(
            Line(
                *(claim.name, claim.sentence, claim.cites, verdict),
                *(sum(one.paths for _, one in found), checks, sum(one.seconds for _, one in found)),
                *("any world" if claim.anywhere else "inductive", broken),
            )
        )
    return lines


def never_accepted(answers: Sequence[Answer]) -> list[str]:
    """Inputs that no world accepts and that should be: their premises would be empty."""
    return [
        one.shape
        for one in answers
        if one.fault is None
        and not one.accepted
        and not any(one.shape.endswith(word) for word in REFUSED_ALWAYS)
    ]


def uncontrolled(answers: Sequence[Answer]) -> list[str]:
    """Claims that cvc5 was asked about and of which no control is `sat`: nothing meets their premises."""
    asked = [one.opinion for one in answers if one.opinion is not None]
    controlled = {name for one in asked for name in one.controlled}
    return sorted({name for one in asked for name in one.uncontrolled} - controlled)


def faults(answers: Sequence[Answer]) -> list[str]:
    """What is wrong with the run itself, whatever it says of claims."""
    return [
        *(f"NOT WALKED TO THE END: {one.shape}: {one.fault}" for one in answers if one.fault is not None),
        *(f"NEVER ACCEPTED: {shape}" for shape in never_accepted(answers)),
        *(f"NO CONTROL IS SAT: {claim}" for claim in uncontrolled(answers)),
    ]


def of_input(one: Answer) -> str:
    second = " " * 14 if one.opinion is None else f"{one.opinion.confirmed:>6} by cvc5"
    return f"{one.walked:>6} paths {one.checks:>6} checks {second} {one.seconds:>7.1f} s  {one.shape}"


def of_claims(found: Sequence[Line]) -> str:
    width = max(len(one.name) for one in found)
    text = []
    for one in found:
        figures = f"{one.rung:<9} {one.paths:>6} paths {one.checks:>6} checks {one.seconds:>6.1f} s"
        text.append(f"{one.verdict:<10} {one.name:<{width}}  {figures}  {one.cites or 'helper'}")
        text += [f"  {shape}: {why}" for shape, why in one.broken]
    return "\n".join(text)


def summary(answers: Sequence[Answer], found: Sequence[Line], took: float) -> str:
    proved = sum(one.verdict == "proved" for one in found)
    asked = [one.opinion for one in answers if one.opinion is not None]
    lines = [
        f"{proved} of {len(found)} claims proved; {len(answers)} shapes of inputs, "
        f"{sum(one.walked for one in answers)} paths of step, {sum(one.checks for one in answers)} solver "
        f"checks, {took:.0f} s",
        f"second opinion: {sum(one.confirmed for one in asked)} answers `unsat` of z3, all confirmed by cvc5 "
        f"({sum(one.cores for one in asked)} unsat cores), {sum(one.controls for one in asked)} controls "
        f"`sat`"
        if asked
        else "second opinion: cvc5 was not asked",
    ]
    lines += faults(answers)
    return "\n".join(lines)


def as_json(
    answers: Sequence[Answer], found: Sequence[Line], faults: Sequence[str], took: float
) -> Mapping[str, Any]:
    """The same bytes for the same code, but for the seconds."""
    return {
        "claims": [
            {
                "name": one.name,
                "sentence": one.sentence,
                "cites": one.cites.split(),
                "verdict": one.verdict,
                "rung": one.rung,
                "paths": one.paths,
                "checks": one.checks,
                "scope": "",
            }
            for one in found
        ],
        "inputs": len(answers),
        "faults": list(faults),
        "second": None if any(one.opinion is None for one in answers) else _second(answers),
        "solvers": {"z3": version("z3-solver"), "cvc5": version("cvc5")},
        "assumed": [*(f"{one.name} ({one.who})" for one in ASSUMPTIONS), *prose.SUPPOSED],
        "seconds": round(took, 1),
    }


def _second(answers: Sequence[Answer]) -> Mapping[str, int]:
    asked = [one.opinion for one in answers if one.opinion is not None]
    return {word: sum(getattr(one, word) for one in asked) for word in ("confirmed", "cores", "controls")}


def readme() -> str:
    """proofs/README.md."""
    rows = "\n".join(f"| {c.name} | {c.sentence} | {c.cites or 'helper'} |" for c in CLAIMS)
    assumed = "\n".join(f"- {one.name} (guaranteed by {one.who})" for one in ASSUMPTIONS)
    supposed = "\n".join(f"- {one}" for one in prose.SUPPOSED)
    figures = f"{len(CLAIMS)} claims, {len(INVARIANTS)} invariants, {len(INPUTS)} shapes of inputs, " + (
        f"{len(OUTSIDE)} moves of the outside."
    )
    return prose.README.format(rows=rows, assumed=assumed, supposed=supposed, figures=figures)
