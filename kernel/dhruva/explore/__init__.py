"""An explicit-state model checker for models written in ordinary Python.

Useful on its own: it knows nothing of the kernel, and imports nothing else of dhruva.

    from dhruva.explore import Model, check
"""

from dhruva.explore.checker import check
from dhruva.explore.errors import EngineError, ModelError, UsageError
from dhruva.explore.forms import Predicate, Read, count, for_each, for_pairs, total
from dhruva.explore.model import Model
from dhruva.explore.replay import Trace
from dhruva.explore.report import PropertyReport, Report

__all__ = [
    "EngineError",
    "Model",
    "ModelError",
    "Predicate",
    "PropertyReport",
    "Read",
    "Report",
    "Trace",
    "UsageError",
    "check",
    "count",
    "for_each",
    "for_pairs",
    "total",
]
