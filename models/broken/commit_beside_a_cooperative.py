"""The primary commits while a cooperative is still there: it could dispatch beside it."""

from dhruva.explore import Model
from dhruva.machines.carrier import CarrierEvent, CarrierState
from dhruva.step import kernel
from models import carrier_group as family
from models.broken import tables_with

FAILS = "the primary commits alone"
LENGTH = 2


def model() -> Model:
    tables = tables_with("carrier-primary", CarrierState.IDLE, CarrierEvent.COMMIT, when=())
    return family.model(step=kernel(tables))
