"""A queued one-off request: it waits for a slot, and leaves the queue once (ACT-1, ACT-13).

One cell per queued request and try: a retry that must wait is queued under the same id
and the next number. A request that is authorized at once is never queued and has no cell.
"""

from enum import StrEnum
from typing import Final

from dhruva.table import Machine, Row, Symbol


class RequestState(StrEnum):
    QUEUED = "queued"
    STARTED = "started"
    WITHDRAWN = "withdrawn"
    REJECTED = "rejected"


class RequestEvent(StrEnum):
    START = "start"
    WITHDRAW = "withdraw"
    REJECT = "reject"


class RequestEffect(Symbol):
    COMMIT = "commit", "an attempt is committed under a new ref"


S, E = RequestState, RequestEvent
COMMIT = (RequestEffect.COMMIT,)

REQUEST: Final = Machine(
    name="request",
    initial=S.QUEUED,
    final={S.STARTED, S.WITHDRAWN, S.REJECTED},
    closed_by="ACT-13",
    rows=(
        #   from      on          to           when  then     cites
        Row(S.QUEUED, E.START,    S.STARTED,   (),   COMMIT,  "ACT-1 ACT-13"),
        Row(S.QUEUED, E.WITHDRAW, S.WITHDRAWN, (),   (),      "ACT-13"),
        Row(S.QUEUED, E.REJECT,   S.REJECTED,  (),   (),      "ACT-11 ACT-13"),
    ),
)  # fmt: skip
