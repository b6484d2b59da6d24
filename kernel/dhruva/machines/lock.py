"""The lock on a target: what was observed of its claim file (REL-5 to REL-8).

The file is the truth and this cell follows it. A claim is held from the moment it is
asked for; `conflict` says that publishing met another holder. Nothing frees a lock by
age: release compares the nonce, a takeover needs the evidence of REL-7, and an operator
who forces a release says so.
"""

from enum import StrEnum
from typing import Final

from dhruva.table import Machine, Row, Symbol


class LockState(StrEnum):
    FREE = "free"
    HELD = "held"
    RETAINED = "retained"


class LockEvent(StrEnum):
    CLAIM = "claim"
    CONFLICT = "conflict"
    CHILD_RECORDED = "child_recorded"
    RELEASE = "release"
    UNOBSERVED = "unobserved"
    TAKEOVER = "takeover"
    FORCE_RELEASE = "force_release"


class LockGuard(Symbol):
    NONCE = "nonce", "the nonce is the one of the claim that holds the lock"
    STALE = "stale", "the claim's advisory lock was granted and every recorded process is gone"
    OVERRIDE = "override", "the input names an actor and a reason"


class LockEffect(Symbol):
    PUBLISH = "publish", "the claim is published whole"
    REPORT = "report", "the lock is listed as retained"
    NEW_NONCE = "new_nonce", "the lock has a new claim, with a new nonce"


S, E, G, F = LockState, LockEvent, LockGuard, LockEffect

LOCK: Final = Machine(
    name="lock",
    initial=S.FREE,
    final=frozenset(),
    closed_by="REL-7",
    rows=(
        #   from        on                to          when           then             cites
        Row(S.FREE,     E.CLAIM,          S.HELD,     (),            (F.PUBLISH,),    "REL-7"),
        Row(S.HELD,     E.CONFLICT,       S.FREE,     (G.NONCE,),    (),              "REL-7"),
        Row(S.HELD,     E.CHILD_RECORDED, S.HELD,     (),            (),              "REL-6 REL-7"),
        Row(S.HELD,     E.RELEASE,        S.FREE,     (G.NONCE,),    (),              "REL-5 REL-7"),
        Row(S.HELD,     E.UNOBSERVED,     S.RETAINED, (),            (F.REPORT,),     "REL-8"),
        Row(S.RETAINED, E.RELEASE,        S.FREE,     (G.NONCE,),    (),              "REL-5 REL-7"),
        Row(S.HELD,     E.TAKEOVER,       S.HELD,     (G.STALE,),    (F.NEW_NONCE,),  "REL-6 REL-7"),
        Row(S.RETAINED, E.TAKEOVER,       S.HELD,     (G.STALE,),    (F.NEW_NONCE,),  "REL-6 REL-7"),
        Row(S.HELD,     E.FORCE_RELEASE,  S.FREE,     (G.OVERRIDE,), (),              "SHL-6"),
        Row(S.RETAINED, E.FORCE_RELEASE,  S.FREE,     (G.OVERRIDE,), (),              "SHL-6"),
    ),
)  # fmt: skip
