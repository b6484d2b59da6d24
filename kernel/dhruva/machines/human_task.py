"""A human task: the row that a person sees of an instance that waits for them (WFL-14).

Completing it is a signal to the instance. Whoever it is assigned to completes it, nobody else.
"""

from enum import StrEnum
from typing import Final

from dhruva.table import Machine, Row, Symbol


class HumanTaskState(StrEnum):
    PENDING = "pending"
    ASSIGNED = "assigned"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


class HumanTaskEvent(StrEnum):
    ASSIGN = "assign"
    RELEASE = "release"
    REASSIGN = "reassign"
    COMPLETE = "complete"
    CANCEL = "cancel"


class HumanTaskGuard(Symbol):
    BY_ASSIGNEE = "by_assignee", "the user is the one it is assigned to"


class HumanTaskEffect(Symbol):
    SIGNAL = "signal", "the instance is signalled with the wait's token"


S, E = HumanTaskState, HumanTaskEvent
MINE = (HumanTaskGuard.BY_ASSIGNEE,)
SIGNAL = (HumanTaskEffect.SIGNAL,)

HUMAN_TASK: Final = Machine(
    name="human-task",
    initial=S.PENDING,
    final={S.COMPLETED, S.CANCELLED},
    closed_by="WFL-14",
    rows=(
        #   from        on          to           when  then    cites
        Row(S.PENDING,  E.ASSIGN,   S.ASSIGNED,  (),   (),     "WFL-14"),
        Row(S.ASSIGNED, E.RELEASE,  S.PENDING,   (),   (),     "WFL-14"),
        Row(S.ASSIGNED, E.REASSIGN, S.ASSIGNED,  (),   (),     "WFL-14"),
        Row(S.ASSIGNED, E.COMPLETE, S.COMPLETED, MINE, SIGNAL, "WFL-14"),
        Row(S.PENDING,  E.CANCEL,   S.CANCELLED, (),   (),     "WFL-14"),
        Row(S.ASSIGNED, E.CANCEL,   S.CANCELLED, (),   (),     "WFL-14"),
    ),
)  # fmt: skip
