"""A cooperative that should withdraw commits, and stays."""

from dhruva.explore import Model
from dhruva.machines.carrier import CarrierEvent, CarrierState
from dhruva.step import kernel
from models import carrier_group as family
from models.broken import tables_with

FAILS = "a cooperative only withdraws"
LENGTH = 2


def model() -> Model:
    row = CarrierState.IDLE, CarrierEvent.WITHDRAW
    tables = tables_with("carrier-cooperative", *row, target=CarrierState.COMMITTED)
    return family.model(step=kernel(tables, checked=False))
