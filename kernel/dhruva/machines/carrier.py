"""Carriers, the sub-routines 0, 1 and -1: they deliver a committed attempt, once (DSP-2, DSP-3, DSP-5).

A group has one primary, which alone may commit, and cooperatives, which only share the
pressure and withdraw before it does. A carrier waits for no answer: when its dispatch
effect is over, however it ended, the carrier is void.
"""

from enum import StrEnum
from typing import Final

from dhruva.table import Machine, Row, Symbol


class CarrierState(StrEnum):
    IDLE = "idle"
    COMMITTED = "committed"
    VOID = "void"
    WITHDRAWN = "withdrawn"


class CarrierEvent(StrEnum):
    COMMIT = "commit"
    RELEASED = "released"
    WITHDRAW = "withdraw"


class CarrierGuard(Symbol):
    COOPERATIVES = "cooperatives_withdrawn", "every cooperative of the group has withdrawn"


class CarrierEffect(Symbol):
    DISPATCH = "dispatch", "the dispatch call is issued, under one key"


S, E = CarrierState, CarrierEvent
ALONE = (CarrierGuard.COOPERATIVES,)
DISPATCH = (CarrierEffect.DISPATCH,)

CARRIER_PRIMARY: Final = Machine(
    name="carrier-primary",
    initial=S.IDLE,
    final={S.VOID, S.WITHDRAWN},
    closed_by="DSP-2",
    rows=(
        #   from         on          to           when   then      cites
        Row(S.IDLE,      E.COMMIT,   S.COMMITTED, ALONE, DISPATCH, "DSP-2 DSP-3 DSP-5"),
        Row(S.COMMITTED, E.RELEASED, S.VOID,      (),    (),       "DSP-2 DSP-3"),
        Row(S.IDLE,      E.WITHDRAW, S.WITHDRAWN, (),    (),       "DSP-2"),
    ),
)  # fmt: skip

CARRIER_COOPERATIVE: Final = Machine(
    name="carrier-cooperative",
    initial=S.IDLE,
    final={S.WITHDRAWN},
    closed_by="DSP-5",
    states=(S.IDLE, S.WITHDRAWN),
    events=(E.WITHDRAW,),
    rows=(
        #   from    on          to           when  then  cites
        Row(S.IDLE, E.WITHDRAW, S.WITHDRAWN, (),   (),   "DSP-2 DSP-5"),
    ),
)  # fmt: skip
