"""Why a follow-up or something that was put aside does not move on (SHL-3, SHL-5)."""

from dhruva.cells import FollowUp, Key
from dhruva.inputs import DiscardParked, Handle, ResumeParked, Wake
from dhruva.rules import keys
from dhruva.why.answer import Reason, Who, Why
from dhruva.why.asking import Asking
from dhruva.why.scopes import SOME_PROCESS, SOMEONE


def of_follow_up(asking: Asking, key: Key) -> Why:
    """It is handled at any time, unless it comes after another."""
    cell = asking.cell(key)
    if cell is None:
        return Why(key, None, Reason.ABSENT, "SHL-3")
    wakes = key[1] == FollowUp.WAKE
    ways = asking.ways((Wake(key[2], SOME_PROCESS) if wakes else Handle(key), Who.SHELL))
    if ways:
        return Why(key, "", Reason.FOLLOW_UP, "SHL-3", str(key[1]), ways=ways)
    first = cell.after if cell.after is not None and asking.cell(cell.after) is not None else None
    if first is None:
        first = keys.follow(FollowUp.TELL, key[2])  # what a re-execution takes back was all told before
    return Why(key, "", Reason.AFTER, "LIF-10", str(key[1]), (first,))


def of_parked(asking: Asking, key: Key) -> Why:
    cell = asking.cell(key)
    if cell is None:
        return Why(key, None, Reason.ABSENT, "SHL-5")
    ways = asking.ways(
        (ResumeParked(key[1], SOMEONE, True), Who.OPERATOR),
        (DiscardParked(key[1], SOMEONE, True), Who.OPERATOR),
    )
    return Why(key, cell.state, Reason.OPERATOR, "SHL-5 SHL-6", ways=ways)
