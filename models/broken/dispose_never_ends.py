"""The last body of a scope ends, and nobody sees that nothing is left (prefect 4490)."""

from dhruva.explore import Model
from dhruva.machines.attempt import AttemptEffect
from dhruva.step import kernel
from dhruva.wiring import WIRING, Fire
from models import kernel as family

FAILS = "dispose ends (1)"
LENGTH = 6


def model() -> Model:
    wiring = tuple(w for w in WIRING if not isinstance(w, Fire) or w.on != AttemptEffect.FREE_SLOT)
    return family.model(dispatch=0, live=1, step=kernel(wiring=wiring))
