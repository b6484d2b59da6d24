"""dhruva: an execution kernel with verified semantics. What runs is what was checked.

These are the user's words; each is loaded when it is first used.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from dhruva.assume import may as may
    from dhruva.cells import Change as Change
    from dhruva.explore import Model as Model
    from dhruva.explore import check as check
    from dhruva.identity import digest as digest
    from dhruva.ids import Priority as Priority
    from dhruva.ids import Ref as Ref
    from dhruva.machines import MACHINES as MACHINES
    from dhruva.records import DependsOn as DependsOn
    from dhruva.records import RetryPolicy as RetryPolicy
    from dhruva.runtime import Aborted as Aborted
    from dhruva.runtime import Authority as Authority
    from dhruva.runtime import Context as Context
    from dhruva.runtime import Failed as Failed
    from dhruva.runtime import Handle as Handle
    from dhruva.runtime import Rejected as Rejected
    from dhruva.runtime import Scope as Scope
    from dhruva.runtime import Succeeded as Succeeded
    from dhruva.runtime import Task as Task
    from dhruva.runtime import TaskContext as TaskContext
    from dhruva.runtime import TaskError as TaskError
    from dhruva.step import kernel as kernel
    from dhruva.step import step as step
    from dhruva.table import Machine as Machine
    from dhruva.table import Refused as Refused
    from dhruva.table import Row as Row

_HOME = {
    "Aborted": "dhruva.runtime",
    "Authority": "dhruva.runtime",
    "Change": "dhruva.cells",
    "Context": "dhruva.runtime",
    "DependsOn": "dhruva.records",
    "Failed": "dhruva.runtime",
    "Handle": "dhruva.runtime",
    "MACHINES": "dhruva.machines",
    "Machine": "dhruva.table",
    "Model": "dhruva.explore",
    "Priority": "dhruva.ids",
    "Ref": "dhruva.ids",
    "Refused": "dhruva.table",
    "Rejected": "dhruva.runtime",
    "RetryPolicy": "dhruva.records",
    "Row": "dhruva.table",
    "Scope": "dhruva.runtime",
    "Succeeded": "dhruva.runtime",
    "Task": "dhruva.runtime",
    "TaskContext": "dhruva.runtime",
    "TaskError": "dhruva.runtime",
    "check": "dhruva.explore",
    "digest": "dhruva.identity",
    "kernel": "dhruva.step",
    "may": "dhruva.assume",
    "step": "dhruva.step",
}

__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'dhruva' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """Keeps `dhruva.step` the function that we ship, also once the module of that name has been loaded."""

    @property
    def step(self) -> Any:
        return __getattr__("step")

    @step.setter
    def step(self, module: ModuleType) -> None:
        """The import system offers the module here; it stays reachable as `from dhruva.step import ...`."""


sys.modules[__name__].__class__ = _Package
