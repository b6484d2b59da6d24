"""Why an effect, a lock, a workflow instance or a human task does not move on (SHL-4, REL, WFL)."""

from typing import Any, Final

from dhruva.cells import EffectKind, Key
from dhruva.decide.signal import TERMINAL
from dhruva.ids import SignalId, UserId
from dhruva.inputs import (
    Ack,
    AssignHuman,
    CancelInstance,
    Claim,
    CompleteHuman,
    EffectFailed,
    ForceRelease,
    Lost,
    Release,
    Resolve,
    RetryInstance,
    Signal,
    SliceCompleted,
    Take,
    Takeover,
)
from dhruva.machines.effect import EffectState
from dhruva.machines.instance import InstanceState, WaitKind
from dhruva.machines.lock import LockState
from dhruva.rules import keys
from dhruva.why.answer import Reason, Who, Why
from dhruva.why.asking import Asking
from dhruva.why.scopes import SOMEONE

EFFECTS: Final = {
    EffectState.PENDING: Reason.UNPERFORMED,
    EffectState.TAKEN: Reason.UNACKNOWLEDGED,
    EffectState.INDETERMINATE: Reason.INDETERMINATE,
}
LOCKS: Final = {
    LockState.FREE: Reason.FREE,
    LockState.HELD: Reason.HELD,
    LockState.RETAINED: Reason.RETAINED,
}
A_NEW_SIGNAL: Final = SignalId(0)


def of_effect(asking: Asking, key: Key) -> Why:
    cell = asking.cell(key)
    if cell is None:
        return Why(key, None, Reason.ABSENT, "SHL-4")
    ways = asking.ways(
        (Take(key), Who.SHELL),
        (Ack(key), Who.SHELL),
        (EffectFailed(key), Who.SHELL),
        (Lost(key), Who.SYSTEM),
        (Resolve(key, True, SOMEONE, True), Who.OPERATOR),
        (Resolve(key, False, SOMEONE, True), Who.OPERATOR),
    )
    return Why(key, cell.state, EFFECTS[cell.state], "SHL-4", ways=ways)


def of_lock(asking: Asking, key: Key) -> Why:
    """Time alone never releases: its holder does, or evidence that it is gone, or an operator (REL-7)."""
    cell = asking.cell(key)
    if cell is None:
        return Why(key, None, Reason.ABSENT, "REL-7")
    ways = asking.ways(
        (Claim(key[1]), Who.CALLER),
        (Release(key[1], cell.nonce), Who.HOLDER),
        (Takeover(key[1], True, True, 0), Who.SYSTEM),
        (ForceRelease(key[1], SOMEONE, True), Who.OPERATOR),
    )
    return Why(key, cell.state, LOCKS[cell.state], "REL-7 REL-8", ways=ways)


def of_instance(asking: Asking, key: Key) -> Why:
    cell = asking.cell(key)
    if cell is None:
        return Why(key, None, Reason.ABSENT, "WFL-12")
    if cell.state in TERMINAL:
        return Why(key, cell.state, Reason.ENDED, "WFL-21", str(cell.state))
    if cell.state == InstanceState.WAITING:
        return _waiting(asking, key, cell)
    if cell.state == InstanceState.RECOVERABLE_ERROR:
        ways = asking.ways(
            (RetryInstance(key[1], SOMEONE), Who.OPERATOR), (CancelInstance(key[1], SOMEONE), Who.OPERATOR)
        )
        return Why(key, cell.state, Reason.ERROR, "WFL-21", ways=ways)
    ways = asking.ways((SliceCompleted(key[1], cell.version), Who.SHELL))
    on = (keys.EFFECT, EffectKind.RUN_SLICE, key[1], cell.version)
    found = () if asking.cell(on) is None else (on,)
    return Why(key, cell.state, Reason.SLICE, "WFL-6 WFL-13", "", found, ways=ways)


def _waiting(asking: Asking, key: Key, cell: Any) -> Why:
    """What it waits for has a cell of its own, or comes as a signal with the token of this wait."""
    others = {
        WaitKind.HUMAN: (keys.HUMAN, key[1]),
        WaitKind.CHILD: keys.instance(cell.child),
        WaitKind.TASK: keys.task(cell.task),
    }
    signal = Signal(key[1], A_NEW_SIGNAL, cell.token, cell.name)
    ways = asking.ways((signal, Who.OUTSIDE))
    if cell.waits in others:
        on = (others[cell.waits],)
        return Why(key, cell.state, Reason.WAITS_FOR, "WFL-6", str(cell.waits), on, ways=ways)
    return Why(key, cell.state, Reason.SIGNAL, "WFL-6 WFL-12", str(cell.waits), ways=ways)


def of_human(asking: Asking, key: Key) -> Why:
    cell = asking.cell(key)
    if cell is None:
        return Why(key, None, Reason.ABSENT, "WFL-14")
    who = UserId(0) if cell.assignee is None else cell.assignee
    ways = asking.ways((AssignHuman(key[1], who), Who.PERSON), (CompleteHuman(key[1], who), Who.PERSON))
    on = () if ways else (keys.instance(key[1]),)  # left open by a wait that is over, until the slice has run
    return Why(key, cell.state, Reason.HUMAN, "WFL-14", "", on, ways=ways)
