"""The Scope FSM: the only gate through which work starts (ACT-5, ACT-6).

A scope is mounted, runs work, may be suspended and resumed, and is disposed once and
for all. RUNNING never falls back: it says that something has started here, not that
something runs now. DISPOSED is reached by `drained` alone, when nothing is alive.
"""

from enum import StrEnum
from typing import Final

from dhruva.table import Machine, Row, Symbol


class ScopeState(StrEnum):
    INIT = "INIT"
    ATTACHED = "ATTACHED"
    RUNNING = "RUNNING"
    SUSPENDED = "SUSPENDED"
    DISPOSING = "DISPOSING"
    DISPOSED = "DISPOSED"


class ScopeEvent(StrEnum):
    MOUNTED = "mounted"
    TASK_STARTED = "task_started"
    SUSPEND = "suspend"
    RESUME = "resume"
    DISPOSE = "dispose"
    DRAINED = "drained"


class ScopeGuard(Symbol):
    EMPTY = "empty", "live = 0: no attempt, worker, handler, stream or queued request of it is alive"


class ScopeEffect(Symbol):
    WAKE_LANES = "wake_lanes", "what waits in the scope's lanes asks again"
    ABORT_EACH = "abort_each", "each living attempt is aborted with reason dispose"
    REJECT_QUEUED = "reject_queued", "each queued request is rejected"


S, E = ScopeState, ScopeEvent
EMPTY = (ScopeGuard.EMPTY,)
WAKE = (ScopeEffect.WAKE_LANES,)
CLEAR = (ScopeEffect.ABORT_EACH, ScopeEffect.REJECT_QUEUED)

SCOPE: Final = Machine(
    name="scope",
    initial=S.INIT,
    final={S.DISPOSED},
    closed_by="ACT-5",
    rows=(
        #   from         on              to            when     then     cites
        Row(S.INIT,      E.MOUNTED,      S.ATTACHED,   (),      WAKE,    "ACT-5 ACT-17"),
        Row(S.ATTACHED,  E.TASK_STARTED, S.RUNNING,    (),      (),      "ACT-5 ACT-7"),
        Row(S.RUNNING,   E.TASK_STARTED, S.RUNNING,    (),      (),      "ACT-5 ACT-7"),
        Row(S.ATTACHED,  E.SUSPEND,      S.SUSPENDED,  (),      (),      "ACT-5 ACT-12"),
        Row(S.RUNNING,   E.SUSPEND,      S.SUSPENDED,  (),      (),      "ACT-5 ACT-12"),
        Row(S.SUSPENDED, E.RESUME,       S.RUNNING,    (),      WAKE,    "ACT-5 ACT-12"),
        Row(S.INIT,      E.DISPOSE,      S.DISPOSING,  (),      CLEAR,   "ACT-5 ACT-11"),
        Row(S.ATTACHED,  E.DISPOSE,      S.DISPOSING,  (),      CLEAR,   "ACT-5 ACT-11"),
        Row(S.RUNNING,   E.DISPOSE,      S.DISPOSING,  (),      CLEAR,   "ACT-5 ACT-11"),
        Row(S.SUSPENDED, E.DISPOSE,      S.DISPOSING,  (),      CLEAR,   "ACT-5 ACT-11"),
        Row(S.DISPOSING, E.DISPOSE,      S.DISPOSING,  (),      (),      "ACT-5 ACT-11"),
        Row(S.DISPOSED,  E.DISPOSE,      S.DISPOSED,   (),      (),      "ACT-5 ACT-11"),
        Row(S.DISPOSING, E.DRAINED,      S.DISPOSED,   EMPTY,   (),      "ACT-5 ACT-11"),
    ),
)  # fmt: skip

CAN_EXECUTE: Final = frozenset({S.ATTACHED, S.RUNNING})
"""The states in which a commit may happen (ACT-6)."""

ALIVE: Final = frozenset({S.INIT, S.ATTACHED, S.RUNNING, S.SUSPENDED})
"""The states in which a scope has not been disposed of (ACT-6)."""
