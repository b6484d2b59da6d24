"""A request commits by itself and asks no authority: its body starts in a scope that is not mounted."""

from dhruva.cells import OwnerKind
from dhruva.explore import Model
from dhruva.ids import Ref
from dhruva.inputs import Ask
from dhruva.rules import authority
from dhruva.table import Refused
from dhruva.walk import Walk
from models import scope_gate as family
from models.broken import with_rule

FAILS = "no body without commit through the gate"
LENGTH = 1


def unasked(walk: Walk, given: Ask) -> Refused | None:
    ref = Ref(given.request, 1, 1)
    return authority.commit(walk, ref, OwnerKind.REQUEST, given.scope, given.process, given.priority)


def model() -> Model:
    return family.model(resources=0, step=with_rule(Ask, unasked))
