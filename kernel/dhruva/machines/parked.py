"""Something that was put aside with its error, so that the rest can go on (SHL-5).

An operator resumes or discards it, and is on record for that.
"""

from enum import StrEnum
from typing import Final

from dhruva.table import Machine, Row, Symbol


class ParkedState(StrEnum):
    PARKED = "parked"
    RESUMED = "resumed"
    DISCARDED = "discarded"


class ParkedEvent(StrEnum):
    RESUME = "resume"
    DISCARD = "discard"


class ParkedGuard(Symbol):
    OVERRIDE = "override", "the input names an actor and a reason"


S, E = ParkedState, ParkedEvent
OVERRIDE = (ParkedGuard.OVERRIDE,)

PARKED: Final = Machine(
    name="parked",
    initial=S.PARKED,
    final={S.RESUMED, S.DISCARDED},
    closed_by="SHL-5",
    rows=(
        #   from      on         to           when      then  cites
        Row(S.PARKED, E.RESUME,  S.RESUMED,   OVERRIDE, (),   "SHL-5 SHL-6"),
        Row(S.PARKED, E.DISCARD, S.DISCARDED, OVERRIDE, (),   "SHL-5 SHL-6"),
    ),
)  # fmt: skip
