"""dhruva: an execution kernel with verified semantics. What runs is what was checked.

These are the user's words; each is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from dhruva.machines import MACHINES as MACHINES
    from dhruva.table import Machine as Machine
    from dhruva.table import Refused as Refused
    from dhruva.table import Row as Row

_HOME = {
    "MACHINES": "dhruva.machines",
    "Machine": "dhruva.table",
    "Refused": "dhruva.table",
    "Row": "dhruva.table",
}

__all__ = ["MACHINES", "Machine", "Refused", "Row", "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'dhruva' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
