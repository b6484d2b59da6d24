"""The only place with asyncio, clocks, disks and threads: it takes inputs, calls `step`, commits, answers.

Nothing in here decides a change (SHL-1). The shell is given a step, and cannot import a rule.
These are the words of whoever runs something.
"""

from dhruva.runtime.api import Authority
from dhruva.runtime.bodies import Context, Signal
from dhruva.runtime.outcomes import (
    Aborted,
    AttemptAborted,
    Failed,
    NotAllowed,
    NotRun,
    Rejected,
    ScopeKnown,
    Succeeded,
    WasParked,
    Withdrawn,
)
from dhruva.runtime.replay import replay
from dhruva.runtime.running import Handle
from dhruva.runtime.scopes import Scope
from dhruva.runtime.store import StoreError

__all__ = [
    "Aborted",
    "AttemptAborted",
    "Authority",
    "Context",
    "Failed",
    "Handle",
    "NotAllowed",
    "NotRun",
    "Rejected",
    "Scope",
    "ScopeKnown",
    "Signal",
    "StoreError",
    "Succeeded",
    "WasParked",
    "Withdrawn",
    "replay",
]
