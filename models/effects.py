"""Effects on their way: taken, done, failed, lost, resolved; a crash between transaction and performing;
parking.

Two effects: the dispatch of an attempt, which must not be performed twice, and the slice of an instance,
which is idempotent by its key. Whoever took one may be gone before, during or after performing it; what it
reported may arrive after it was given up for lost. The attempt may end before its dispatch was taken.
Something is parked, resumed or discarded.

Left out: how a carrier comes to commit (models/carrier_group.py) and what a slice does
(models/instance_signals.py). Rules look at one effect at a time, so one of each kind suffices. Ghosts count
how often an effect was taken and remember that it has ended; they only grow, and no rule reads them.
"""

from collections.abc import Mapping
from typing import Any

from dhruva.cells import Change, EffectKind, FollowUp, Key, Kind
from dhruva.explore import Model, Read, for_each
from dhruva.ids import ExecutorId, InstanceId, OwnerId, ParkedId, ProcessId, Ref, ScopeId, UserId, Version
from dhruva.inputs import (
    Abort,
    Ack,
    Admit,
    CommitCarrier,
    CreateScope,
    CreateTask,
    DiscardParked,
    EffectFailed,
    Fail,
    Lost,
    OwnerGone,
    Park,
    Resolve,
    ResumeParked,
    StartInstance,
    Stopped,
    Succeed,
    Take,
    Wake,
)
from dhruva.machines.attempt import AbortReason
from dhruva.step import Step
from dhruva.step import step as shipped
from models.claims import some
from models.world import Scene, task_id

SCOPE, TASK, INSTANCE, PARKED = ScopeId(1), task_id(20), InstanceId(50), ParkedId(70)
REF = Ref(OwnerId(20), 1, 1)
CALL: Key = (Kind.EFFECT, EffectKind.DISPATCH, REF, 1)
SLICE: Key = (Kind.EFFECT, EffectKind.RUN_SLICE, INSTANCE, Version(0))
EFFECTS = (CALL, SLICE)
PARKING = (Kind.PARKED, PARKED)


def model(takes: int = 3, step: Step = shipped) -> Model:
    """`takes`: how often the idempotent effect is taken at most."""
    m = Model("effects", takes=takes)
    setup = (
        CreateScope(SCOPE, max_spawns=1),
        CreateTask(TASK, SCOPE, ExecutorId(5), budget=1),
        Wake(SCOPE, ProcessId(9)),
        Admit(REF, 0, 0, 0, 0),
        StartInstance(INSTANCE),
    )
    scene = Scene(m, step, setup, ghosts=_watched)
    for key in EFFECTS:
        _effect(scene, key, takes)
    scene.act("commit carrier", CommitCarrier(REF, 1))
    scene.act("succeed", Succeed(REF))
    scene.act("fail", Fail(REF))
    scene.act("timeout", Abort(REF, AbortReason.TIMEOUT))
    scene.act("stopped", Stopped(REF))
    scene.act("owner gone", OwnerGone(REF))
    scene.handle(FollowUp.END_RESOURCES, REF)
    _parking(scene)
    _claim(scene)
    m.allow_deadlock("everything has ended")
    return m


def _watched(read: Read, change: Change) -> Mapping[Key, Any]:
    """Ghosts: how often each effect was taken, and whether it has ended."""
    seen: dict[Key, Any] = {}
    for key in EFFECTS:
        if key not in change.writes:
            continue
        was, now = read(key), change.writes[key]
        if now is None:
            seen["over", key] = True
        elif was is not None and was.state == "pending" and now[0] == "taken":
            seen["takes", key] = (read(("takes", key)) or 0) + 1
    return seen


def _effect(scene: Scene, key: Key, takes: int) -> None:
    name = str(key[1])
    scene.act(f"take {name}", Take(key), when=lambda read: (read(("takes", key)) or 0) < takes)
    scene.act(f"ack {name}", Ack(key))
    scene.act(f"fail {name}", EffectFailed(key))
    scene.act(f"lost {name}", Lost(key))
    for done in (True, False):
        scene.act(f"resolve {name} ({done})", Resolve(key, done, UserId(1), True))
    scene.act(f"resolve {name} (nobody)", Resolve(key, True, None, True))
    scene.act(f"resolve {name} (no reason)", Resolve(key, True, UserId(1), False))


def _parking(scene: Scene) -> None:
    scene.once("park", Park(PARKED))
    for actor, reasoned in ((UserId(1), True), (None, True), (UserId(1), False)):
        scene.act(f"resume parked({actor}, {reasoned})", ResumeParked(PARKED, actor, reasoned))
        scene.act(f"discard parked({actor}, {reasoned})", DiscardParked(PARKED, actor, reasoned))


def _claim(scene: Scene) -> None:
    m = scene.m
    m.always(
        "performed at most once unless idempotent",
        for_each(EFFECTS, lambda read, key: _is_idempotent(key) or (read(("takes", key)) or 0) <= 1),
        "an effect that is not idempotent by key is taken at most once, crash or no crash",
        cites="DSP-3d DSP-3e SHL-4f",
    )
    m.always(
        "what is over is over",
        for_each(EFFECTS, lambda read, key: read(("over", key)) is None or read(key) is None),
        "an effect that ended never comes back under its key",
        cites="DSP-3e SHL-4b",
    )
    m.always(
        "no call waits for a dead ref",
        lambda read: not _pending(read) or read((Kind.ATTEMPT, REF)) is not None or _is_ending(read),
        "a call whose attempt ended before it was taken is about to be withdrawn",
        cites="SHL-4d ACT-8b",
    )
    m.always_step(
        "doubt ends by evidence",
        lambda before, after, action, change: all(
            _has_evidence(scene.inputs[action], key) for key in EFFECTS if _settles(before(key), after(key))
        ),
        "an effect of unknown outcome ends when it is reported, or when an operator says why",
        cites="SHL-4c SHL-6a SHL-6b",
    )
    m.always_step(
        "lost is not forgotten",
        lambda before, after, action, change: (
            not action.startswith("lost")
            or after(scene.inputs[action].key).state
            == ("pending" if _is_idempotent(scene.inputs[action].key) else "indeterminate")
        ),
        "a lost effect is performed again under its key if that is safe, and in doubt otherwise",
        cites="SHL-4b SHL-4e SHL-4f",
    )
    m.always_step(
        "parked things are moved by someone",
        lambda before, after, action, change: (
            before(PARKING) is None or after(PARKING) is not None or _is_override(scene.inputs[action])
        ),
        "what was put aside is resumed or discarded by an actor with a reason",
        cites="SHL-5a SHL-6b",
    )
    m.sometimes("a call in doubt", some((CALL,), lambda read, key, cell: cell.state == "indeterminate"))
    m.sometimes("performed again", lambda read: read(("takes", SLICE)) == 2)
    m.sometimes(
        "a call dies before it is taken", lambda r: r(("over", CALL)) is True and r(("takes", CALL)) is None
    )
    m.sometimes("something is parked", lambda read: read(PARKING) is not None)


def _is_idempotent(key: Key) -> bool:
    return key == SLICE


def _pending(read: Read) -> bool:
    call = read(CALL)
    return call is not None and call.state == "pending"


def _is_ending(read: Read) -> bool:
    ending = read((Kind.FOLLOW, FollowUp.END_RESOURCES, REF))
    return ending is not None and ending.cursor <= 0


def _settles(before: Any, after: Any) -> bool:
    return before is not None and before.state == "indeterminate" and after is None


def _is_override(given: Any) -> bool:
    return getattr(given, "actor", None) is not None and bool(given.reasoned)


def _has_evidence(given: Any, key: Key) -> bool:
    reported = isinstance(given, Ack | EffectFailed)
    return getattr(given, "key", None) == key and (reported or _is_override(given))
