"""Workflow instances between slices: inputs and deeds (WFL-12, WFL-13, WFL-14, WFL-16, WFL-21, WFL-22)."""

from typing import Any, Final

from dhruva.cells import EffectCell, EffectKind, Follow, FollowUp, Human, Instance, Kept, Key, Watch
from dhruva.decide.signal import TERMINAL, Freshness
from dhruva.effects import ArmTimers, ClearTimers, Perform, Retain
from dhruva.ids import ENDED, InstanceId, SignalId, SignalName, Version, WaitToken
from dhruva.inputs import (
    AssignHuman,
    CancelInstance,
    CompleteHuman,
    EarlySignal,
    ReassignHuman,
    ReleaseHuman,
    RetryInstance,
    Signal,
    SliceCompleted,
    SliceError,
    SliceFailed,
    SliceWaits,
    StartInstance,
    Unavailable,
)
from dhruva.machines.effect import EffectState
from dhruva.machines.human_task import HumanTaskEvent, HumanTaskState
from dhruva.machines.instance import InstanceEvent, InstanceState, WaitKind
from dhruva.rules import keys, lanes
from dhruva.rules.guards import freshness
from dhruva.table import Refused
from dhruva.walk import NOTHING, Given, Rule, Walk, Wired
from dhruva.wiring import Does


def name_of(name: SignalName | None, instance: Instance) -> SignalName | WaitKind | None:
    """Under which name a signal is kept: its own, or for one without a name the kind of the wait."""
    return instance.waits if name is None else name


# Slices: each commits against the version that it was computed from (WFL-13)


def start(walk: Walk, given: StartInstance) -> Refused | None:
    return _begin(walk, given.instance, None, None)


def _begin(
    walk: Walk, instance: InstanceId, parent: InstanceId | None, token: WaitToken | None
) -> Refused | None:
    key = keys.instance(instance)
    known = walk[key]
    if known is not None:
        return Refused("instance", known.state, "start", "WFL-21", "known_id")
    first = Instance(
        InstanceState.RUNNING, Version(0), WaitToken(0), None, None, None, 0, parent, token, None, None
    )
    walk.create("instance", key, first)
    _slice(walk, instance, first.version)
    return None


def _commit(walk: Walk, given: Any, event: InstanceEvent, passed: Given) -> Refused | None:
    """The loser of a race for a version throws its slice away (WFL-13)."""
    key = keys.instance(given.instance)
    cell = walk[key]
    if cell is not None and cell.version != given.version:
        return Refused("instance", cell.state, event, "WFL-13", Freshness.OTHER_VERSION)
    return walk.fire("instance", key, event, passed)


def slice_waits(walk: Walk, given: SliceWaits) -> Refused | None:
    """What a wait is for fits its kind: a child, a task, a name, and nothing else (WFL-6)."""
    fits = (
        (given.child is not None) == (given.kind == WaitKind.CHILD)
        and (given.task is not None) == (given.kind == WaitKind.TASK)
        and (given.name is not None) == (given.kind == WaitKind.SIGNAL)
    )
    if not fits:
        cell = walk[keys.INSTANCE, given.instance]
        return Refused("instance", cell and cell.state, InstanceEvent.WAIT, "WFL-6", "kind")
    passed = Given(waits=given.kind, name=given.name, child=given.child, task=given.task)
    return _commit(walk, given, InstanceEvent.WAIT, passed)


def slice_completed(walk: Walk, given: SliceCompleted) -> Refused | None:
    return _commit(walk, given, InstanceEvent.COMPLETE, NOTHING)


def slice_failed(walk: Walk, given: SliceFailed) -> Refused | None:
    return _commit(walk, given, InstanceEvent.FAIL, NOTHING)


def slice_error(walk: Walk, given: SliceError) -> Refused | None:
    return _commit(walk, given, InstanceEvent.ERROR, NOTHING)


# Signals


def signal(walk: Walk, given: Signal) -> Refused | None:
    """The stale rule, in its order. The error that an instance is held in has raised its version (WFL-3)."""
    key = keys.instance(given.instance)
    cell = walk[key]
    passed = Given(signal=given.signal, token=given.token, expected=given.expected, name=given.name)
    answer = freshness(walk, cell, passed)
    held = cell is not None and cell.state == InstanceState.RECOVERABLE_ERROR
    if answer != Freshness.FRESH and not (held and answer == Freshness.OTHER_VERSION):
        return Refused("instance", cell and cell.state, InstanceEvent.SIGNAL, "WFL-12", answer)
    return walk.fire("instance", key, InstanceEvent.SIGNAL, passed)


def early_signal(walk: Walk, given: EarlySignal) -> Refused | None:
    """The signal that was heard last is ignored by name as it is by token (WFL-12)."""
    key = keys.instance(given.instance)
    cell = walk[key]
    if cell is not None and _heard_last(walk, cell, given.signal):
        return Refused("instance", cell.state, InstanceEvent.EARLY_SIGNAL, "WFL-12", Freshness.DUPLICATE)
    passed = Given(signal=given.signal, name=given.name)
    return walk.fire("instance", key, InstanceEvent.EARLY_SIGNAL, passed)


def _heard_last(walk: Walk, instance: Instance, signal: SignalId | None) -> bool:
    """The stale rule, asked of a signal that has no token: is it the one that was heard last?"""
    state, version, token = instance.state, instance.version, instance.token
    answer = walk.book.decide.freshness(state, signal, instance.last_signal, token, token, None, version)
    return bool(answer == Freshness.DUPLICATE)


def unavailable(walk: Walk, given: Unavailable) -> Refused | None:
    return walk.fire("instance", keys.instance(given.instance), InstanceEvent.UNAVAILABLE, NOTHING)


def _by_actor(walk: Walk, given: RetryInstance | CancelInstance, event: InstanceEvent) -> Refused | None:
    """An instance is retried or cancelled by someone (WFL-21)."""
    key = keys.instance(given.instance)
    if given.actor is None:
        cell = walk[key]
        return Refused("instance", cell and cell.state, event, "WFL-21 SHL-6", "actor")
    return walk.fire("instance", key, event, NOTHING)


def retry(walk: Walk, given: RetryInstance) -> Refused | None:
    return _by_actor(walk, given, InstanceEvent.RETRY)


def cancel(walk: Walk, given: CancelInstance) -> Refused | None:
    return _by_actor(walk, given, InstanceEvent.CANCEL)


# Human tasks


def _human(instance: InstanceId) -> Key:
    return (keys.HUMAN, instance)


def _assign(walk: Walk, given: AssignHuman | ReassignHuman, event: HumanTaskEvent) -> Refused | None:
    key = _human(given.instance)
    refused = walk.fire("human-task", key, event, NOTHING)
    if refused is None:
        walk[key] = walk[key]._replace(assignee=given.user)
    return refused


def assign_human(walk: Walk, given: AssignHuman) -> Refused | None:
    return _assign(walk, given, HumanTaskEvent.ASSIGN)


def reassign_human(walk: Walk, given: ReassignHuman) -> Refused | None:
    return _assign(walk, given, HumanTaskEvent.REASSIGN)


def release_human(walk: Walk, given: ReleaseHuman) -> Refused | None:
    key = _human(given.instance)
    refused = walk.fire("human-task", key, HumanTaskEvent.RELEASE, NOTHING)
    if refused is None:
        walk[key] = walk[key]._replace(assignee=None)
    return refused


def complete_human(walk: Walk, given: CompleteHuman) -> Refused | None:
    return walk.fire("human-task", _human(given.instance), HumanTaskEvent.COMPLETE, Given(user=given.user))


RULES: Final[dict[type, Rule]] = {
    StartInstance: start,
    SliceWaits: slice_waits,
    SliceCompleted: slice_completed,
    SliceFailed: slice_failed,
    SliceError: slice_error,
    Signal: signal,
    EarlySignal: early_signal,
    Unavailable: unavailable,
    RetryInstance: retry,
    CancelInstance: cancel,
    AssignHuman: assign_human,
    ReassignHuman: reassign_human,
    ReleaseHuman: release_human,
    CompleteHuman: complete_human,
}

# Deeds


def raise_version(walk: Walk, key: Key, instance: Any, given: Given) -> None:
    """By one per commit: an early signal is consumed by the commit that enters its wait (WFL-13)."""
    if not given.early:
        walk[key] = instance._replace(version=Version(instance.version + 1))


def new_token(walk: Walk, key: Key, instance: Any, given: Given) -> None:
    """A kept signal is dropped if a retry left its wait and went another way, or if it was heard since."""
    left, kept = name_of(instance.name, instance), instance.kept
    name = given.waits if given.name is None else given.name
    if left is not None and left != name and walk[keys.KEPT, key[1], left] is not None:
        walk[keys.KEPT, key[1], left] = None
        kept = kept - 1
    early = walk[keys.KEPT, key[1], name]
    if early is not None and _heard_last(walk, instance, early.signal):
        walk[keys.KEPT, key[1], name] = None
        kept = kept - 1
    token = WaitToken(instance.token + 1)
    walk[key] = instance._replace(token=token, waits=given.waits, name=given.name, kept=kept)


def open_wait(walk: Walk, key: Key, instance: Any, given: Given) -> Refused | None:
    """What is waited for exists from here on: a human task, a child, the watch on a task, timers."""
    walk.effect(ArmTimers(key[1], instance.token))
    left = instance.child
    walk[key] = instance._replace(child=given.child, task=given.task)
    if given.waits == WaitKind.HUMAN:
        _open_human(walk, key[1], instance.token)
    if given.child is not None:
        return _open_child(walk, key, given.child, left)
    if given.task is not None:
        return _watch(walk, key[1], instance.token, given)
    return None


def _open_human(walk: Walk, instance: InstanceId, token: WaitToken) -> None:
    """One that a retry left open goes on under the new wait (WFL-14: at most one is active)."""
    human = walk[_human(instance)]
    if human is None:
        walk.create("human-task", _human(instance), Human(HumanTaskState.PENDING, None, token))
    else:
        walk[_human(instance)] = human._replace(token=token)


def _open_child(walk: Walk, key: Key, child: InstanceId, left: InstanceId | None) -> Refused | None:
    """A child that a retry left goes on under the new wait; one that ended meanwhile has signalled."""
    instance = walk[key]
    cell = walk[keys.INSTANCE, child] if left == child else None
    if cell is None:
        return _begin(walk, child, key[1], instance.token)
    walk[keys.INSTANCE, child] = cell._replace(parent_token=instance.token)
    kept = (keys.KEPT, key[1], WaitKind.CHILD)
    if cell.state in TERMINAL and walk[kept] is None:
        walk[kept] = Kept(None)
        walk[key] = instance._replace(kept=instance.kept + 1)
    return None


def _watch(walk: Walk, instance: InstanceId, token: WaitToken, given: Given) -> Refused | None:
    """A task that has ended already is told of again, unless its end is about to be taken back (WFL-7)."""
    assert given.task is not None
    task, key = walk[keys.TASK, given.task], (keys.WATCH, given.task)
    watch = walk[key]
    if task is None or (watch is not None and watch.instance != instance):
        return Refused("task", task and task.status, "watch", "WFL-7", "watched")
    walk[key] = Watch(instance, token)
    resetting = walk[keys.follow(FollowUp.RESET, given.task)] is not None
    if task.status in ENDED and not task.alive and not resetting:
        walk[keys.follow(FollowUp.TELL, given.task)] = lanes.BEGIN
    return None


def clear_timers(walk: Walk, key: Key, _instance: Any, _given: Given) -> None:
    walk.effect(ClearTimers(key[1]))


def retain(walk: Walk, key: Key, _instance: Any, _given: Given) -> None:
    walk.effect(Retain(key[1]))


def cancel_child(walk: Walk, _key: Key, instance: Any, given: Given) -> None:
    """Children may have children: each is a step of its own. One that is waited for again is left alone."""
    if instance.child is not None and instance.child != given.child:
        walk[keys.follow(FollowUp.CANCEL_CHILD, instance.child)] = lanes.BEGIN


def cancel_task(walk: Walk, _key: Key, instance: Any, given: Given) -> None:
    """Of the run that was waited for; a later run is somebody else's.

    Of a task that is being reset that is the run to come, so the cancel waits for it.
    """
    if instance.task is not None and instance.task != given.task:
        task, reset = walk[keys.TASK, instance.task], keys.follow(FollowUp.RESET, instance.task)
        if task is not None:
            left = Follow(task.run, None, None) if walk[reset] is None else Follow(task.run + 1, None, reset)
            walk[keys.follow(FollowUp.CANCEL_TASK, instance.task)] = left


def tell_parent(walk: Walk, key: Key, instance: Any, _given: Given) -> None:
    if instance.parent is not None:
        walk[keys.follow(FollowUp.TELL_PARENT, key[1])] = lanes.BEGIN


def consume_token(walk: Walk, key: Key, instance: Any, given: Given) -> None:
    kept = instance.kept
    if given.early:
        walk[keys.KEPT, key[1], name_of(given.name, instance)] = None
        kept = kept - 1
    last = instance.last_signal if given.signal is None else given.signal
    walk[key] = instance._replace(waits=None, name=None, last_signal=last, kept=kept)


def run_slice(walk: Walk, key: Key, instance: Any, _given: Given) -> None:
    """After a signal nothing is open any more; after a retry the wait that was left is still open."""
    if instance.waits is None:
        if instance.task is not None:
            walk[keys.WATCH, instance.task] = None
        walk[key] = instance._replace(child=None, task=None)
    _slice(walk, key[1], instance.version)


def _slice(walk: Walk, instance: InstanceId, version: Version) -> None:
    """Idempotent by instance and version: a slice that was lost is run again (WFL-13)."""
    effect = (keys.EFFECT, EffectKind.RUN_SLICE, instance, version)
    walk.create("effect", effect, EffectCell(EffectState.PENDING, True))
    walk.effect(Perform(effect))


def keep_signal(walk: Walk, key: Key, instance: Any, given: Given) -> Refused | None:
    """An early one under its name; one of the wait that was left open under that wait's, the first only.

    One per name, and not without end (WFL-12, WFL-22).
    """
    early = given.token is None
    if not early and (instance.waits is None or given.token != instance.token):
        return Refused("instance", instance.state, InstanceEvent.SIGNAL, "WFL-12", Freshness.OTHER_TOKEN)
    kept = (keys.KEPT, key[1], given.name if early else name_of(instance.name, instance))
    full = instance.kept >= walk.book.settings.kept_max
    if kept[2] is None or full or walk[kept] is not None:
        return Refused("instance", instance.state, InstanceEvent.EARLY_SIGNAL, "WFL-22", "store_full")
    walk[kept] = Kept(given.signal)
    walk[key] = instance._replace(kept=instance.kept + 1)
    return None


DEEDS: Final[dict[Does, Wired]] = {
    Does.RAISE_VERSION: raise_version,
    Does.NEW_TOKEN: new_token,
    Does.OPEN_WAIT: open_wait,
    Does.CLEAR_TIMERS: clear_timers,
    Does.RETAIN: retain,
    Does.CANCEL_CHILD: cancel_child,
    Does.CANCEL_TASK: cancel_task,
    Does.TELL_PARENT: tell_parent,
    Does.CONSUME_TOKEN: consume_token,
    Does.RUN_SLICE: run_slice,
    Does.KEEP_SIGNAL: keep_signal,
}
