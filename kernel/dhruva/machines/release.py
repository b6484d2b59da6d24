"""When a transport may release its lock: one frozen table per policy, every event written out (REL-3).

The release fires at most once, on an observation: a spawn that was merely started is
not one. Which policy holds is decided once, from the plan (REL-1); each policy is a
machine that starts in holding.
"""

from enum import StrEnum
from typing import Final

from dhruva.table import Machine, Row, Symbol


class ReleaseState(StrEnum):
    HOLDING = "holding"
    RELEASED = "released"


class ReleaseEvent(StrEnum):
    SEND_FINAL = "send-final"
    SPAWN_STARTED = "spawn-started"
    SPAWN_START_FAILED = "spawn-start-failed"
    SOCKET_ALIVE = "socket-alive"
    CHILD_EXITED = "child-exited"
    MAILBOX_ENQUEUED = "mailbox-enqueued"


class ReleasePolicy(StrEnum):
    NO_LOCK = "no-lock"
    AFTER_SEND_FINAL = "release-after-send-final"
    AFTER_SPAWN_OBSERVATION = "release-after-spawn-observation"


class ReleaseEffect(Symbol):
    RELEASE_LOCK = "release_lock", "the claim that was handed over is released"


S, E = ReleaseState, ReleaseEvent
FREE = (ReleaseEffect.RELEASE_LOCK,)

RELEASE_NO_LOCK: Final = Machine(
    name="release-no-lock",
    initial=S.HOLDING,
    final={S.HOLDING},
    closed_by="REL-3",
    states=(S.HOLDING,),
    rows=(
        #   from        on                    to          when  then  cites
        Row(S.HOLDING,  E.SEND_FINAL,         S.HOLDING,  (),   (),   "REL-3 REL-4"),
        Row(S.HOLDING,  E.SPAWN_STARTED,      S.HOLDING,  (),   (),   "REL-3 REL-4"),
        Row(S.HOLDING,  E.SPAWN_START_FAILED, S.HOLDING,  (),   (),   "REL-3 REL-4"),
        Row(S.HOLDING,  E.SOCKET_ALIVE,       S.HOLDING,  (),   (),   "REL-3 REL-4"),
        Row(S.HOLDING,  E.CHILD_EXITED,       S.HOLDING,  (),   (),   "REL-3 REL-4"),
        Row(S.HOLDING,  E.MAILBOX_ENQUEUED,   S.HOLDING,  (),   (),   "REL-3 REL-4"),
    ),
)  # fmt: skip

RELEASE_AFTER_SEND_FINAL: Final = Machine(
    name="release-after-send-final",
    initial=S.HOLDING,
    final={S.RELEASED},
    closed_by="REL-3",
    rows=(
        #   from        on                    to          when  then  cites
        Row(S.HOLDING,  E.SEND_FINAL,         S.RELEASED, (),   FREE, "REL-3"),
        Row(S.HOLDING,  E.SPAWN_STARTED,      S.HOLDING,  (),   (),   "REL-3"),
        Row(S.HOLDING,  E.SPAWN_START_FAILED, S.HOLDING,  (),   (),   "REL-3"),
        Row(S.HOLDING,  E.SOCKET_ALIVE,       S.HOLDING,  (),   (),   "REL-3"),
        Row(S.HOLDING,  E.CHILD_EXITED,       S.HOLDING,  (),   (),   "REL-3"),
        Row(S.HOLDING,  E.MAILBOX_ENQUEUED,   S.HOLDING,  (),   (),   "REL-3"),
        Row(S.RELEASED, E.SEND_FINAL,         S.RELEASED, (),   (),   "REL-4"),
        Row(S.RELEASED, E.SPAWN_STARTED,      S.RELEASED, (),   (),   "REL-4"),
        Row(S.RELEASED, E.SPAWN_START_FAILED, S.RELEASED, (),   (),   "REL-4"),
        Row(S.RELEASED, E.SOCKET_ALIVE,       S.RELEASED, (),   (),   "REL-4"),
        Row(S.RELEASED, E.CHILD_EXITED,       S.RELEASED, (),   (),   "REL-4"),
        Row(S.RELEASED, E.MAILBOX_ENQUEUED,   S.RELEASED, (),   (),   "REL-4"),
    ),
)  # fmt: skip

RELEASE_AFTER_SPAWN_OBSERVATION: Final = Machine(
    name="release-after-spawn-observation",
    initial=S.HOLDING,
    final={S.RELEASED},
    closed_by="REL-3",
    rows=(
        #   from        on                    to          when  then  cites
        Row(S.HOLDING,  E.SEND_FINAL,         S.HOLDING,  (),   (),   "REL-3"),
        Row(S.HOLDING,  E.SPAWN_STARTED,      S.HOLDING,  (),   (),   "REL-3 REL-6"),
        Row(S.HOLDING,  E.SPAWN_START_FAILED, S.RELEASED, (),   FREE, "REL-3"),
        Row(S.HOLDING,  E.SOCKET_ALIVE,       S.RELEASED, (),   FREE, "REL-3"),
        Row(S.HOLDING,  E.CHILD_EXITED,       S.RELEASED, (),   FREE, "REL-3"),
        Row(S.HOLDING,  E.MAILBOX_ENQUEUED,   S.HOLDING,  (),   (),   "REL-3"),
        Row(S.RELEASED, E.SEND_FINAL,         S.RELEASED, (),   (),   "REL-4"),
        Row(S.RELEASED, E.SPAWN_STARTED,      S.RELEASED, (),   (),   "REL-4"),
        Row(S.RELEASED, E.SPAWN_START_FAILED, S.RELEASED, (),   (),   "REL-4"),
        Row(S.RELEASED, E.SOCKET_ALIVE,       S.RELEASED, (),   (),   "REL-4"),
        Row(S.RELEASED, E.CHILD_EXITED,       S.RELEASED, (),   (),   "REL-4"),
        Row(S.RELEASED, E.MAILBOX_ENQUEUED,   S.RELEASED, (),   (),   "REL-4"),
    ),
)  # fmt: skip
