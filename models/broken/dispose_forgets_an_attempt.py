"""Disposing a running scope aborts nobody."""

from dhruva.explore import Model
from dhruva.machines.scope import ScopeEffect, ScopeEvent, ScopeState
from dhruva.step import kernel
from models import kernel as family
from models.broken import tables_with

FAILS = "disposing forgets nobody"
LENGTH = 2


def model() -> Model:
    then = (ScopeEffect.REJECT_QUEUED,)
    tables = tables_with("scope", ScopeState.RUNNING, ScopeEvent.DISPOSE, then=then)
    return family.model(dispatch=0, step=kernel(tables))
