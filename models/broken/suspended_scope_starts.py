"""A scope that was suspended goes on starting what is asked of it."""

from dhruva.explore import Model
from dhruva.machines.scope import ScopeEvent, ScopeState
from dhruva.step import kernel
from models import scope_gate as family
from models.broken import tables_with

FAILS = "a scope is what it was asked to be"
LENGTH = 2


def model() -> Model:
    tables = tables_with("scope", ScopeState.ATTACHED, ScopeEvent.SUSPEND, target=ScopeState.ATTACHED)
    return family.model(resources=0, step=kernel(tables))
