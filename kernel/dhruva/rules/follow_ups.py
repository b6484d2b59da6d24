"""Follow-ups: what concerns many cells, done one cell at a time, durable and interleaved (SHL-3).

Each handler does the next cell and advances or removes the follow-up. What it asks of that cell
stands in the wiring, and is optional there: a follow-up goes on all the same.
"""

from typing import Any, Final

from dhruva.cells import Again, Ending, Follow, FollowUp, Key, Link, Parked
from dhruva.decide.authority import Verdict
from dhruva.effects import EndResource, Rejected
from dhruva.ids import Ref, TaskId, TaskStatus
from dhruva.inputs import DiscardParked, Handle, Park, ResumeParked
from dhruva.machines.carrier import CarrierState
from dhruva.machines.parked import ParkedEvent, ParkedState
from dhruva.machines.release import ReleaseState
from dhruva.machines.resources import StreamState
from dhruva.rules import authority, keys, lanes, scopes
from dhruva.table import Refused
from dhruva.walk import ABSENT, NOTHING, Given, Handler, Rule, Walk
from dhruva.wiring import FOLLOW_UP

NOT_YET: Final = "not_yet"


def handle(walk: Walk, given: Handle) -> Refused | None:
    key = given.key
    handler = walk.book.handlers.get(key[1]) if len(key) > 1 and key[0] == keys.FOLLOW else None
    cell = walk[key]
    if handler is None or cell is None:
        return Refused(FOLLOW_UP, None, "handle", "SHL-3", ABSENT)
    walk.handled = key
    return handler(walk, key, cell)


def _ask(walk: Walk, key: Key, cell: Any) -> Refused | None:
    return walk.carry(FOLLOW_UP, key[1], key, cell, NOTHING)


def wake_starved(walk: Walk, key: Key, _follow: Follow) -> Refused | None:
    if not lanes.feed(walk):
        walk[key] = None
    return None


def abort_each(walk: Walk, key: Key, here: Follow) -> Refused | None:
    """From the newest attempt to the oldest; if the one it stood at has ended, from the newest again."""
    attempt = None if here.ref is None else walk[keys.ATTEMPT, here.ref]
    if attempt is None:
        scope = walk[keys.SCOPE, key[2]]
        onward = None if scope is None else scope.newest
    else:
        refused = _ask(walk, key, here)
        if refused is not None:
            return refused
        onward = attempt.older
    walk[key] = None if onward is None else Follow(0, onward, None)
    return None


def reject_queued(walk: Walk, key: Key, here: Follow) -> Refused | None:
    """Requests are rejected; tasks stay pending and wait nowhere, since nothing starts here any more."""
    first = lanes.head(walk, key[2])
    if first is not None:
        refused = _ask(walk, key, here)
        if refused is not None:
            return refused
        lanes.leave(walk, first.owner)
    if lanes.head(walk, key[2]) is None:
        walk[key] = None
    return None


def ask_again(walk: Walk, key: Key, wanted: Again) -> Refused | None:
    """A retry goes through authorization like any request, and can be rejected (ACT-10)."""
    walk[key] = None
    if walk[keys.REQUEST, key[2]] is not None:
        return None  # the same id asks anew, against the assumption that ids are handed out once
    answer = authority.verdict(walk, wanted.scope, wanted.number - 1, None, False, wanted.priority)
    if answer == Verdict.AUTHORIZED or answer == Verdict.QUEUED:
        return scopes.start_or_queue(walk, key[2], wanted, answer)
    walk.effect(Rejected(key[2], answer))
    return None


OVER: Final = frozenset({CarrierState.VOID, CarrierState.WITHDRAWN})
OVER_STREAM: Final = frozenset({StreamState.CLOSED, StreamState.ABORTED})


def _forget(walk: Walk, ref: Ref, spawn: int) -> None:
    """What is over of the newest dispatch has no use once its attempt no longer runs (DSP-12)."""
    if authority.runs(walk, ref):
        return
    group, delivery = (keys.GROUP, ref, spawn), (keys.DELIVERY, ref, spawn)
    cell, held = walk[group], walk[delivery]
    if cell is not None and cell.state in OVER:
        walk[group] = None
    if held is not None and (held.nonce is None or held.state == ReleaseState.RELEASED):
        walk[delivery] = None


def end_resources(walk: Walk, key: Key, here: Ending) -> Refused | None:
    """What ends at once, because it had not begun, is named to its process, if that still is (ACT-11)."""
    held = (keys.RESOURCE, key[2], here.cursor)
    there = walk[held] is not None
    refused = _ask(walk, key, here)
    if refused is not None:
        return refused
    if here.cursor == 0:
        _forget(walk, key[2], here.spawn)
    left = walk[held]
    if there and left is None and not here.gone:
        walk.effect(EndResource(key[2], here.cursor))
    if left is not None and left.state in OVER_STREAM:
        walk[held] = None
    onward = here._replace(cursor=here.cursor + 1)
    walk[key] = None if onward.cursor > here.last else onward
    return None


def tell(walk: Walk, key: Key, here: Follow) -> Refused | None:
    """First the instance that waits for it, then each dependent in order of creation (LIF-6, LIF-19)."""
    task = walk[keys.TASK, key[2]]
    if task is None:
        walk[key] = None
        return None
    if here.cursor == 0:
        refused = _ask(walk, key, here)
        if refused is not None:
            return refused
        if walk[keys.WATCH, key[2]] is not None:
            walk[keys.WATCH, key[2]] = None
    else:
        _meet(walk, key[2], here.cursor, task)
    _advance(walk, key, here, task.links)
    return None


def _advance(walk: Walk, key: Key, here: Follow, last: int) -> None:
    cursor = here.cursor + 1
    walk[key] = None if cursor > last else here._replace(cursor=cursor)


def _meet(walk: Walk, on: TaskId, number: int, task: Any) -> None:
    """The dependent counts this dependency as satisfied, once, if it is (LIF-4)."""
    key = (keys.LINK, on, number)
    link = walk[key]
    if link is None or link.met or not walk.book.decide.satisfied(task.status, link.required, task.alive):
        return
    _count(walk, key, link, True)
    lanes.ready(walk, link.dependent)


def _count(walk: Walk, key: Key, link: Link, met: bool) -> None:
    dependent = walk[keys.TASK, link.dependent]
    if dependent is not None:
        walk[key] = link._replace(met=met)
        unmet = dependent.unmet - 1 if met else dependent.unmet + 1
        walk[keys.TASK, link.dependent] = dependent._replace(unmet=unmet)


def recall(walk: Walk, key: Key, here: Follow) -> Refused | None:
    """Each dependent counts this dependency as unmet again, and leaves its lane (LIF-10)."""
    task = walk[keys.TASK, key[2]]
    if _must_wait(walk, here) or walk[keys.follow(FollowUp.TELL, key[2])] is not None:
        return Refused(FOLLOW_UP, None, FollowUp.RECALL, "LIF-10", NOT_YET)
    if task is None:
        walk[key] = None
        return None
    link_key = (keys.LINK, key[2], here.cursor)
    link = walk[link_key]
    if link is not None and link.met:
        _count(walk, link_key, link, False)
        lanes.leave(walk, link.dependent)
    _advance(walk, key, here, task.links)
    return None


def _must_wait(walk: Walk, here: Follow) -> bool:
    """The walk of a re-execution goes in its order (LIF-10)."""
    return here.after is not None and walk[here.after] is not None


def reset(walk: Walk, key: Key, here: Follow) -> Refused | None:
    """If the task can no longer be reset, its dependents are told anew of what it is."""
    if _must_wait(walk, here):
        return Refused(FOLLOW_UP, None, FollowUp.RESET, "LIF-10", NOT_YET)
    before = walk[keys.TASK, key[2]]
    walk[key] = None
    refused = _ask(walk, key, here)
    after = walk[keys.TASK, key[2]]
    if before is not None and after is not None and before.run == after.run:
        walk[keys.follow(FollowUp.TELL, key[2])] = lanes.BEGIN
    return refused


def return_to_lane(walk: Walk, key: Key, _follow: Follow) -> Refused | None:
    waiting = walk[keys.EXECUTOR, key[2]]
    if waiting is not None and waiting.first is not None:
        lanes.leave(walk, waiting.first)
        lanes.ready(walk, waiting.first)
    if walk[keys.EXECUTOR, key[2]] is None:
        walk[key] = None
    return None


def ready(walk: Walk, key: Key, here: Follow) -> Refused | None:
    """A task whose attempt, the one of this number, was shut down may start again at once (ACT-18)."""
    walk[key] = None
    task = walk[keys.TASK, key[2]]
    if task is not None and task.status == TaskStatus.PENDING and task.number == here.cursor:
        walk[keys.TASK, key[2]] = task._replace(due=True)
        lanes.ready(walk, key[2])
    return None


def once(walk: Walk, key: Key, here: Follow) -> Refused | None:
    """A follow-up about one cell."""
    if _must_wait(walk, here):
        return Refused(FOLLOW_UP, None, "handle", "SHL-3", NOT_YET)
    walk[key] = None
    return _ask(walk, key, here)


HANDLERS: Final[dict[FollowUp, Handler]] = {
    FollowUp.WAKE_STARVED: wake_starved,
    FollowUp.ABORT_EACH: abort_each,
    FollowUp.REJECT_QUEUED: reject_queued,
    FollowUp.ASK_AGAIN: ask_again,
    FollowUp.END_RESOURCES: end_resources,
    FollowUp.TELL: tell,
    FollowUp.RECALL: recall,
    FollowUp.RESET: reset,
    FollowUp.RETURN: return_to_lane,
    FollowUp.READY: ready,
    FollowUp.CANCEL_CHILD: once,
    FollowUp.CANCEL_TASK: once,
    FollowUp.TELL_PARENT: once,
}
"""All but WAKE, which the input Wake handles: it needs the facts of the process that starts something."""


def park(walk: Walk, given: Park) -> Refused | None:
    key = (keys.PARKED, given.parked)
    if walk[key] is not None:
        return Refused("parked", ParkedState.PARKED, "park", "SHL-5", "known_id")
    walk.create("parked", key, Parked(ParkedState.PARKED))
    return None


def resume_parked(walk: Walk, given: ResumeParked) -> Refused | None:
    passed = Given(actor=given.actor, reasoned=given.reasoned)
    return walk.fire("parked", (keys.PARKED, given.parked), ParkedEvent.RESUME, passed)


def discard_parked(walk: Walk, given: DiscardParked) -> Refused | None:
    passed = Given(actor=given.actor, reasoned=given.reasoned)
    return walk.fire("parked", (keys.PARKED, given.parked), ParkedEvent.DISCARD, passed)


RULES: Final[dict[type, Rule]] = {
    Handle: handle,
    Park: park,
    ResumeParked: resume_parked,
    DiscardParked: discard_parked,
}
