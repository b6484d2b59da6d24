"""The authority does not count slots: every request of an open scope is authorized."""

from dhruva.decide.authority import Facts, Verdict, authorize
from dhruva.explore import Model
from dhruva.step import kernel
from dhruva.walk import DECISIONS
from models import scope_gate as family

FAILS = "slots within the limit"
LENGTH = 3


def uncounted(facts: Facts) -> Verdict:
    return authorize(facts._replace(active=0, active_overall=0))


def model() -> Model:
    return family.model(step=kernel(decisions=DECISIONS._replace(authorize=uncounted)))
