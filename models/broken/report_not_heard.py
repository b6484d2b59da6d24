"""Whoever took an effect reports its end, and gives it up for lost, and it stays taken for ever."""

from dataclasses import replace

from dhruva.explore import Model
from dhruva.machines import MACHINES
from dhruva.machines.effect import EffectState
from dhruva.step import kernel
from models import effects as family

FAILS = "what is taken is settled (run_slice)"
LENGTH = 1


def model() -> Model:
    table = MACHINES["effect"]
    rows = tuple(
        replace(row, target=EffectState.TAKEN) if row.source == EffectState.TAKEN else row
        for row in table.rows
    )
    tables = {**MACHINES, "effect": table.unchecked(rows)}
    return family.model(takes=2, live=1, step=kernel(tables, checked=False))
