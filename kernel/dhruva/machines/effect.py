"""An effect that leaves the process: a send, a spawn, an enqueue, a call, a notice (SHL-4).

It is written in the transaction that decides it and performed after. Taken and then lost
means that nobody knows: it stays indeterminate until evidence resolves it, unless it is
idempotent by key and may simply be performed again.
"""

from enum import StrEnum
from typing import Final

from dhruva.table import Machine, Row, Symbol


class EffectState(StrEnum):
    PENDING = "pending"
    TAKEN = "taken"
    DONE = "done"
    FAILED = "failed"
    INDETERMINATE = "indeterminate"
    WITHDRAWN = "withdrawn"


class EffectEvent(StrEnum):
    TAKE = "take"
    WITHDRAW = "withdraw"
    ACK = "ack"
    FAIL = "fail"
    LOST = "lost"
    LOST_IDEMPOTENT = "lost_idempotent"
    RESOLVE_DONE = "resolve_done"
    RESOLVE_FAILED = "resolve_failed"


class EffectGuard(Symbol):
    OVERRIDE = "override", "the input names an actor and a reason"


S, E = EffectState, EffectEvent
OVERRIDE = (EffectGuard.OVERRIDE,)

EFFECT: Final = Machine(
    name="effect",
    initial=S.PENDING,
    final={S.DONE, S.FAILED, S.WITHDRAWN},
    closed_by="SHL-4",
    rows=(
        #   from             on                 to               when      then  cites
        Row(S.PENDING,       E.TAKE,            S.TAKEN,         (),       (),   "SHL-4"),
        Row(S.PENDING,       E.WITHDRAW,        S.WITHDRAWN,     (),       (),   "SHL-4"),
        Row(S.TAKEN,         E.ACK,             S.DONE,          (),       (),   "SHL-4"),
        Row(S.TAKEN,         E.FAIL,            S.FAILED,        (),       (),   "SHL-4"),
        Row(S.TAKEN,         E.LOST,            S.INDETERMINATE, (),       (),   "SHL-4"),
        Row(S.TAKEN,         E.LOST_IDEMPOTENT, S.PENDING,       (),       (),   "SHL-4 DSP-3"),
        Row(S.INDETERMINATE, E.ACK,             S.DONE,          (),       (),   "SHL-4"),
        Row(S.INDETERMINATE, E.FAIL,            S.FAILED,        (),       (),   "SHL-4"),
        Row(S.INDETERMINATE, E.RESOLVE_DONE,    S.DONE,          OVERRIDE, (),   "SHL-4 SHL-6"),
        Row(S.INDETERMINATE, E.RESOLVE_FAILED,  S.FAILED,        OVERRIDE, (),   "SHL-4 SHL-6"),
    ),
)  # fmt: skip
