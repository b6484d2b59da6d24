"""Ghosts: what no cell holds and a claim speaks of; and what the outside may do (assume.py).

A ghost is written beside the step, by what the step did, or by a move of the outside: a child is spawned, a
child or an owner is gone. No rule reads one. What was once so stays so: a claim cannot be met by forgetting.
"""

from collections.abc import Callable
from typing import Any, Final

import z3  # type: ignore[import-untyped]

from dhruva.assume import GHOST, broken
from dhruva.cells import Change, Key, Kind, OwnerKind
from dhruva.decide.fields import Act
from dhruva.decide.plan import Plan
from dhruva.inputs import Ask, Claim, CreateTask, Deliver, ForceRelease, Observe, Take, Takeover
from dhruva.limits import PROGRESS_MAX_MILLI
from dhruva.machines.release import ReleaseEvent
from dhruva.table import Refused
from proofs.engine import Pruned
from proofs.ghost_cells import (
    Answers,
    ChildGone,
    Comings,
    Handed,
    Performed,
    Place,
    Record,
    Spawns,
    Spent,
    Up,
    Used,
)
from proofs.merge import Guarded, chosen, part
from proofs.values import Number, SymBool, and_, engine, equal, formula, not_, or_, raw, there
from proofs.world import Known, Stands, Store, World, stands

# Moves of the outside


def moved(store: Store, given: Any) -> Refused | None:
    """What a move of the outside does to the ghosts; refused where it cannot happen."""
    key, up, answers = _of_claim(given, "handed"), _of_claim(given, "up"), (GHOST, "answers", given.target)
    claim = store[key]
    if isinstance(given, Spawns):
        if claim is None or not (claim.spawns and claim.owner) or claim.started:
            return _cannot(given)
        store[key] = claim._replace(started=True, runs=True)
        store[up] = Up()
    elif isinstance(given, ChildGone):
        if claim is None or not claim.runs:
            return _cannot(given)
        store[key] = claim._replace(runs=False)
        answering = store[answers]
        if answering is not None and answering.nonce == given.nonce:
            store[answers] = None
        store[up] = Up() if claim.owner else None
    else:
        if claim is not None:
            store[key] = claim._replace(owner=False)
        store[up] = Up() if claim is not None and claim.runs else None
    return None


def _cannot(given: Any) -> Refused:
    return Refused("outside", None, type(given).__name__, "REL-6", "cannot")


def _of_claim(given: Any, word: str) -> Key:
    return (GHOST, word, given.target, given.nonce)


# What the outside may do


class _Seen:
    """What there was to see of a delivery: "what a transport saw has happened" (assume.py)."""

    def __init__(self, world: World, ref: Any, spawn: Any) -> None:
        delivery = world.read((Kind.DELIVERY, ref, spawn))
        nonce = None if delivery is None else delivery.nonce
        self.claim = None if nonce is None else world.read((GHOST, "handed", delivery.target, nonce))

    def __contains__(self, event: Any) -> bool:
        claim = self.claim
        if claim is None or not claim.spawns:
            return True
        if event == ReleaseEvent.CHILD_EXITED:
            return bool(claim.started) and not claim.runs
        if event == ReleaseEvent.SPAWN_START_FAILED:
            return not claim.started
        if event == ReleaseEvent.SOCKET_ALIVE:
            return bool(claim.started)
        return True


def supposed(world: World, given: Any) -> None:
    """A path on which the outside cannot give this input is left (assume.may)."""

    def read(key: Key) -> Any:
        return _Seen(world, key[2], key[3]) if key[:2] == (GHOST, "seen") else world.read(key)

    if broken(read, given) is not None:
        raise Pruned


# What a step does to the ghosts


def follow(given: Any, said: Change) -> None:
    """The ghosts after a step."""
    store: Any = said.writes
    part(store, lambda: _follow(store, given, said))


def _follow(store: Store, given: Any, said: Change) -> None:
    at = type(given)
    if at in BY_INPUT:
        BY_INPUT[at](store, given)
    for at_, after in list(store.put_.items()):
        one = store.world.known[at_]
        if one.key[0] == Kind.ATTEMPT:
            _committed(store, one.key[1], and_(one.valid, not_(one.there), after.there))
        elif one.key[0] == Kind.INSTANCE:
            _resumed(store, one, after)
    _placed(store)
    payloads: Any = said.payloads
    for item in payloads:
        when, change = (item.when, item.item) if isinstance(item, Guarded) else (True, item)
        _written(store, when, change)


def _new_id(store: Store, given: Any) -> None:
    kind = OwnerKind.REQUEST if isinstance(given, Ask) else OwnerKind.TASK
    store[GHOST, "used", given[0]] = Used(kind, 0, 0)
    if isinstance(given, CreateTask):
        store[GHOST, "record", given.task] = Record(False, False, False, False, 0)


def _claimed(store: Store, given: Claim | Takeover) -> None:
    lock = store[Kind.LOCK, given.target]
    store[GHOST, "up", given.target, lock.nonce] = Up()


def _delivered(store: Store, given: Deliver) -> None:
    if given.locked is not None:
        spawns = given.plan == Plan.BACKGROUND_SPAWN
        new = Handed(given.ref, given.spawn, spawns, True, False, False, False, False)
        store[GHOST, "handed", given.locked, given.nonce] = new
        store[GHOST, "up", given.locked, given.nonce] = Up()  # who hands it over is up


def _observed(store: Store, given: Observe) -> None:
    delivery = store.world.read((Kind.DELIVERY, given.ref, given.spawn))
    nonce = None if delivery is None else delivery.nonce
    key = None if nonce is None else (GHOST, "handed", delivery.target, nonce)
    claim = None if key is None else store[key]
    if key is None or claim is None or not claim.spawns:
        return
    store.world.resolve((Kind.LOCK, key[2]))  # what is known of the claim is known of its lock
    if given.event == ReleaseEvent.SPAWN_START_FAILED:
        store[key] = claim._replace(started=True, observed=True)
    elif given.event == ReleaseEvent.CHILD_EXITED:
        store[key] = claim._replace(observed=True)
    elif given.event == ReleaseEvent.SOCKET_ALIVE:
        store[key] = claim._replace(observed=True)
        if claim.runs and not claim.forced:
            store[GHOST, "answers", key[2]] = Answers(key[3])


def _forced(store: Store, given: ForceRelease) -> None:
    """Only what an operator does under a name and for a reason is an override. That a target answers is from
    now on not held against anybody: more worlds, never fewer.
    """
    lock = store.world.read((Kind.LOCK, given.target))
    key = (GHOST, "handed", given.target, lock.nonce)
    claim, answering = store[key], store[GHOST, "answers", given.target]
    if claim is None or given.actor is None or not given.reasoned:
        return
    store[key] = claim._replace(forced=True)
    if answering is not None and answering.nonce == lock.nonce:
        store[GHOST, "answers", given.target] = None


def _taken(store: Store, given: Take) -> None:
    cell = store[given.key]
    if cell is not None:
        store[(GHOST, "performed", *given.key[1:])] = Performed()


BY_INPUT: Final[dict[type, Callable[[Any, Any], None]]] = {
    Ask: _new_id,
    CreateTask: _new_id,
    Claim: _claimed,
    Takeover: _claimed,
    Deliver: _delivered,
    Observe: _observed,
    ForceRelease: _forced,
    Take: _taken,
}


def _committed(store: Store, ref: Any, new: Any) -> None:
    """A number was given out."""
    at = store.world.resolve((GHOST, "used", ref.owner))
    assert at is not None
    was, cell = store.stands(at)
    if new is not False:
        run = chosen([(new, ref.run), (not_(new), cell.run)])
        last = chosen([(new, ref.number), (not_(new), cell.last)])
        store.put_[at] = Stands(or_(was, new), Used(cell.kind, run, last))


def spent(one: Known, after: Stands) -> Any:
    """The formula that a token of an instance was spent: the wait that was open, or opened in this step, is
    no longer.
    """
    old, new = one.cell, after.cell
    waited, waits = (there(raw(cell, "waits")) for cell in (old, new))
    opened = not_(equal(raw(old, "token"), raw(new, "token")))
    return and_(one.valid, one.there, after.there, or_(waited, opened), not_(waits))


def _resumed(store: Store, one: Known, after: Stands) -> None:
    if engine().decide(spent(one, after)):
        store[GHOST, "spent", one.key[1], raw(after.cell, "token")] = Spent()


def _placed(store: Store) -> None:
    """Who comes into a line is counted; who stays keeps its number. Nothing is decided.

    A neighbour that is another than before was written too, or the claim does not hold.
    """
    known = store.world.known
    written = [(known[at], s) for at, s in list(store.put_.items()) if known[at].key[0] == Kind.WAITER]
    if not written:
        return
    clock = store.world.resolve((GHOST, "comings"))
    assert clock is not None
    was, counted = store.stands(clock)
    last: Any = z3.If(formula(was), counted.last.term, 0)
    places = []
    for one, after in written:
        place = store.world.another((GHOST, "place", one.key[1]), one.valid)
        comes = and_(one.valid, after.there, not_(and_(one.there, same_line(one.cell, after.cell))))
        last = last + z3.If(formula(comes), 1, 0)
        places.append((place, one, after, z3.If(formula(comes), last, place.cell.at.term)))
    for place, one, after, at in places:
        sides = (_neighbour_at(after, side, place, places) for side in ("before", "behind"))
        line = (raw(after.cell, f) for f in ("scope", "priority", "executor", "before", "behind"))
        new: Any = tuple.__new__(Place, (*line, *(Number(n, "at") for n in (at, *sides))))
        cases = ((one.valid, Stands(after.there, new)), (not_(one.valid), Stands(place.there, place.cell)))
        store.put_[place.at] = cases[0][1] if one.valid is True else stands(cases)
    new_clock: Any = tuple.__new__(Comings, (Number(last, "last"),))
    store.put_[clock] = Stands(True, new_clock)


def _neighbour_at(after: Stands, side: str, place: Known, places: Any) -> Any:
    """The number of the neighbour on this side, if it was written; if not, that number is as it was."""
    at = raw(place.cell, f"at_{side}").term
    for _, one, stands_, number in places:
        is_it = and_(one.valid, stands_.there, equal(raw(after.cell, side), one.key[1]))
        at = at if is_it is False else z3.If(formula(is_it), number, at)
    return at


def same_line(one: Any, other: Any) -> Any:
    """The formula that two waiters stand in one lane, or wait for one executor."""
    apart = (equal(raw(one, f), raw(other, f)) for f in ("scope", "priority"))
    executors = raw(one, "executor"), raw(other, "executor")
    return and_(equal(*executors), or_(there(executors[0]), and_(*apart)))


ACTS: Final = {Act.CLEAR: False, Act.NOW: True, Act.GIVEN: True}


def _written(store: Store, when: Any, change: Any) -> None:
    """The fields of a record after one transition."""
    at = store.world.resolve((GHOST, "record", change.task))
    assert at is not None
    was, old = store.stands(at)
    acts = change.actions
    fields = [
        SymBool(_flag(value)) if act == Act.KEEP else ACTS[act]
        for act, value in zip((acts.started, acts.completed, acts.result, acts.error), old, strict=False)
    ]
    progress = {Act.WHOLE: PROGRESS_MAX_MILLI, Act.ZERO: 0}.get(acts.progress, old.progress)
    new: Any = tuple.__new__(Record, (*fields, progress))
    store.put_[at] = Stands(was, chosen([(when, new), (not_(when), old)]) if when is not True else new)


def _flag(value: Any) -> Any:
    return formula(value)
