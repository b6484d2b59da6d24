"""Claims about records of tasks and about workflow instances (LIF-16, WFL)."""

from typing import Final

from dhruva.assume import GHOST
from dhruva.cells import FollowUp, Kind
from dhruva.effects import ClearTimers, Retain
from dhruva.inputs import (
    CancelInstance,
    RetryInstance,
    Signal,
    SliceCompleted,
    SliceError,
    SliceFailed,
    SliceWaits,
    Unavailable,
)
from dhruva.machines.instance import InstanceState
from proofs import facts_work as facts
from proofs import ghosts
from proofs.claim import Claim, View
from proofs.invariants import is_in, kept, num
from proofs.values import and_, equal, implies, not_, or_, raw, there
from proofs.world import Known

S: Final = InstanceState
OVER: Final = (S.COMPLETED, S.FAILED, S.CANCELLED)
SLICES: Final = (SliceWaits, SliceCompleted, SliceFailed, SliceError)


def waits(view: View) -> None:
    for _, valid, before, after in view.touched((Kind.INSTANCE,)):
        view.must(implies(and_(valid, before.there), after.there), "an instance was forgotten")
        both = and_(valid, before.there, after.there)
        token = num(raw(after.cell, "token")) - num(raw(before.cell, "token"))
        version = num(raw(after.cell, "version")) - num(raw(before.cell, "version"))
        view.must(implies(both, or_(token == 0, token == 1)), "a token that is not the next one")
        view.must(implies(both, or_(version == 0, version == 1)), "a version that is not the next one")
        moved = not_(equal(raw(before.cell, "state"), raw(after.cell, "state")))
        view.must(implies(and_(both, moved), version == 1), "a commit that did not raise the version")
        opens = and_(there(raw(after.cell, "waits")), not_(there(raw(before.cell, "waits"))))
        view.must(implies(and_(both, opens), token == 1), "a wait without a token of its own")
        ended = and_(both, is_in(before.cell, "state", *OVER))
        view.must(
            implies(ended, equal(raw(before.cell, "state"), raw(after.cell, "state"))), "an end that is none"
        )


def resumed(view: View) -> None:
    """Against the ghost of every token that has resumed an instance."""
    for key, valid, before, after in view.touched((Kind.INSTANCE,)):
        if view.engine.decide(ghosts.spent(Known((), key, valid, *before), after)):
            again = view.before((GHOST, "spent", key[1], raw(after.cell, "token")))
            view.must(again is None, "a token resumed twice")


def one_writer(view: View) -> None:
    if not isinstance(view.given, SLICES):
        return
    cell = view.before((Kind.INSTANCE, view.given.instance))
    if cell is None or not view.engine.decide(equal(cell.version, view.given.version)):
        view.must(view.change is None, "a slice of another version was committed")
    elif view.change is not None:
        left = view.after((Kind.INSTANCE, view.given.instance))
        view.must(
            left is not None and num(left.version) == num(cell.version) + 1, "the version was not raised"
        )


LEAVES: Final = {
    SliceWaits: (S.WAITING, S.RUNNING),  # running again: the signal was there before the wait
    SliceCompleted: (S.COMPLETED,),
    SliceFailed: (S.FAILED,),
    SliceError: (S.RECOVERABLE_ERROR,),
    Unavailable: (S.RECOVERABLE_ERROR,),
    RetryInstance: (S.RUNNING,),
    CancelInstance: (S.CANCELLED,),
}


def moves(view: View) -> None:
    """Each input leaves its instance where WFL-21 says, and moves no other instance that is not its child."""
    states = LEAVES.get(type(view.given))
    if states is not None and view.change is not None:
        left = view.after((Kind.INSTANCE, view.given.instance))
        view.must(left is not None and is_in(left, "state", *states), "an instance is left in another state")


def ended(view: View) -> None:
    """The end of an instance is told to who waits for it; a completed one keeps no timers."""
    for key, valid, before, after in view.touched((Kind.INSTANCE,)):
        ends = and_(
            *(valid, before.there, after.there),
            not_(is_in(before.cell, "state", *OVER)),
            is_in(after.cell, "state", *OVER),
        )
        if ends is not False and view.engine.decide(ends):
            told = view.stands((Kind.FOLLOW, FollowUp.TELL_PARENT, key[1]))
            view.must(
                implies(there(raw(before.cell, "parent")), told.there), "an end of which nobody is told"
            )
            if view.engine.decide(is_in(after.cell, "state", S.COMPLETED)):
                view.must(any(True for _ in view.effects(ClearTimers)), "completed with its timers")
                view.must(any(True for _ in view.effects(Retain)), "completed, and kept for ever")


def stale(view: View) -> None:
    if not isinstance(view.given, Signal):
        return
    given, cell = view.given, view.before((Kind.INSTANCE, view.given.instance))
    if cell is None:
        view.must(view.change is None, "a signal for no instance changed something")
        return
    expected = raw(given, "expected")
    other = and_(
        there(expected), not_(equal(expected, cell.version)), not_(is_in(cell, "state", S.RECOVERABLE_ERROR))
    )
    ignored = or_(
        is_in(cell, "state", *OVER),
        equal(raw(cell, "last_signal"), given.signal),
        not_(there(raw(cell, "waits"))),
        not_(equal(cell.token, given.token)),
        other,
    )
    if view.change is not None:
        view.must(not_(ignored), "a stale signal changed something")


CLAIMS: Final[tuple[Claim, ...]] = (
    Claim(
        "fields fit the status",
        "the fields of a task's record that are set are those that its status asks for",
        cites="LIF-16a LIF-16b LIF-16c LIF-16d LIF-16e",
        checks=kept(facts.RECORDS),
    ),
    Claim(
        "tokens and versions",
        "each wait has the next token, each commit the next version, and neither ever goes back",
        cites="WFL-12a WFL-13a WFL-21c",
        checks=(waits,),
    ),
    Claim(
        "a token resumes once",
        "a token that has resumed its instance never resumes it again",
        cites="WFL-12a WFL-12f",
        checks=(resumed, *kept(facts.TOKENS)),
    ),
    Claim(
        "an instance moves as its slice says",
        "a slice, a retry and a cancel leave the instance in the state that they name; its end is told to "
        "its parent, "
        "and a completed one keeps no timers",
        cites="WFL-21a WFL-21d",
        checks=(moves, ended),
    ),
    Claim(
        "one writer per version",
        "of all slices of a version one at most is committed, and it raises the version",
        cites="WFL-13a WFL-13b",
        checks=(one_writer, *kept(facts.SLICES)),
    ),
    Claim(
        "stale changes nothing",
        "a signal of another wait, of an ended instance, heard before or for another version is refused",
        cites="WFL-12b WFL-12c WFL-12e",
        checks=(stale,),
    ),
)
