"""Signals that come early, where an instance may keep one: what finds no room is refused, nothing else.

The waits, the inputs and the claims are those of models/instance_signals.py.

Left out: what that model leaves out, and each wait but that for a signal: room is not asked for by kind.
"""

from dhruva.explore import Model
from dhruva.step import Step, kernel
from dhruva.walk import Settings
from models import instance_signals as family

SETTINGS = Settings(kept_max=1)
narrow = kernel(settings=SETTINGS)


def model(versions: int = 4, step: Step = narrow) -> Model:
    m = family.model(versions=versions, humans=0, children=0, kept=SETTINGS.kept_max, step=step)
    m.name = "kept signals"
    return m
