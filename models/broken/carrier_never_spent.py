"""The call is over, and its carrier goes on holding on to it."""

from dhruva.explore import Model
from dhruva.machines.carrier import CarrierEvent
from dhruva.step import kernel
from dhruva.wiring import WIRING, Fire
from models import carrier_group as family

FAILS = "a carrier is spent in the end (1.1)"
LENGTH = 4


def model() -> Model:
    wiring = tuple(w for w in WIRING if not isinstance(w, Fire) or w.events != (CarrierEvent.RELEASED,))
    return family.model(budget=1, depth=0, cost=0, live=1, step=kernel(wiring=wiring))
