"""A cooperative issues the call as it goes, beside its primary."""

from dhruva.explore import Model
from dhruva.machines.carrier import CarrierEffect, CarrierEvent, CarrierState
from dhruva.step import kernel
from dhruva.wiring import WIRING, Do, Does
from models import carrier_group as family
from models.broken import tables_with

FAILS = "committed means the call is on its way"
LENGTH = 2


def model() -> Model:
    then = (CarrierEffect.DISPATCH,)
    tables = tables_with("carrier-cooperative", CarrierState.IDLE, CarrierEvent.WITHDRAW, then=then)
    wire = Do("carrier-cooperative", CarrierEffect.DISPATCH, Does.DISPATCH, "DSP-5")
    return family.model(step=kernel(tables, wiring=(*WIRING, wire)))
