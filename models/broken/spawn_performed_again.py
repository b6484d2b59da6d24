"""A dispatch is thought to be idempotent: after a crash it is performed a second time (celery 5306)."""

from typing import Any

from dhruva.cells import EffectCell, EffectKind, Key, Kind
from dhruva.explore import Model
from dhruva.machines.effect import EffectState
from dhruva.rules.deeds import DEEDS
from dhruva.step import kernel
from dhruva.walk import Given, Walk
from dhruva.wiring import Does
from models import effects as family

FAILS = "performed at most once unless idempotent"
LENGTH = 4


def careless(walk: Walk, key: Key, _group: Any, _given: Given) -> None:
    call = (Kind.EFFECT, EffectKind.DISPATCH, key[1], key[2])
    walk.create("effect", call, EffectCell(EffectState.PENDING, True))


def model() -> Model:
    return family.model(step=kernel(deeds={**DEEDS, Does.DISPATCH: careless}))
