"""The authority looks at its own scope only: together the scopes hold more slots than the cap."""

from dhruva.decide.authority import Facts, Verdict, authorize
from dhruva.explore import Model
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import scope_gate as family

FAILS = "slots within the cap"
LENGTH = 2


def local(facts: Facts) -> Verdict:
    return authorize(facts._replace(active_overall=0))


def model() -> Model:
    step = kernel(decisions=DECISIONS._replace(authorize=local))
    return family.model(cap=1, requests=3, resources=0, retry=0, step=step)
