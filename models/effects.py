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
from functools import partial
from typing import Any

from dhruva.cells import Change, EffectKind, FollowUp, Key, Kind
from dhruva.decide.plan import Plan
from dhruva.effects import Perform
from dhruva.explore import Model, Read, for_each
from dhruva.ids import (
    ExecutorId,
    InstanceId,
    OwnerId,
    ParkedId,
    ProcessId,
    Ref,
    ScopeId,
    TargetId,
    UserId,
    Version,
)
from dhruva.inputs import (
    Abort,
    Ack,
    Admit,
    CommitCarrier,
    CreateScope,
    CreateTask,
    Deliver,
    DiscardParked,
    EffectFailed,
    Fail,
    Handle,
    Lost,
    Observe,
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
from dhruva.machines.release import ReleaseEvent
from dhruva.step import Step
from dhruva.step import step as shipped
from models.claims import edges, effects, of_follow_ups, some
from models.claims.cast import no_longer
from models.world import Scene, task_id

SCOPE, TASK, INSTANCE, PARKED = ScopeId(1), task_id(20), InstanceId(50), ParkedId(70)
REF, TARGET = Ref(OwnerId(20), 1, 1), TargetId(7)
CALL: Key = (Kind.EFFECT, EffectKind.DISPATCH, REF, 1)
SLICE: Key = (Kind.EFFECT, EffectKind.RUN_SLICE, INSTANCE, Version(0))
EFFECTS = (CALL, SLICE)
DELIVERY = (Kind.DELIVERY, REF, 1)
PARKING = (Kind.PARKED, PARKED)


def model(takes: int = 3, live: int = 0, step: Step = shipped) -> Model:
    """`takes`: how often the idempotent effect is taken at most.

    `live` 1: claims about what happens in the end are made too.
    """
    m = Model("effects", takes=takes, live=live)
    setup = (
        CreateScope(SCOPE, max_spawns=1),
        CreateTask(TASK, SCOPE, ExecutorId(5), budget=1),
        Wake(SCOPE, ProcessId(9)),
        Admit(REF, 0, 0, 0, 0),
        StartInstance(INSTANCE),
    )
    scene = Scene(m, step, setup, _watched)
    for key in EFFECTS:
        _effect(scene, key, takes)
    scene.act("commit carrier", CommitCarrier(REF, 1))
    scene.act("succeed", Succeed(REF))
    scene.act("fail", Fail(REF))
    scene.act("timeout", Abort(REF, AbortReason.TIMEOUT))
    scene.act("stopped", Stopped(REF))
    scene.act("owner gone", OwnerGone(REF))
    scene.handle(FollowUp.END_RESOURCES, REF)
    scene.act("deliver", Deliver(REF, 1, Plan.MAILBOX, TARGET, None, None))
    scene.act("enqueued", Observe(REF, 1, ReleaseEvent.MAILBOX_ENQUEUED))
    _parking(scene)
    _strange(scene)
    _claim(scene)
    if live:
        _claim_progress(scene)
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
        scene.act(f"resolve {name} ({done}, nobody)", Resolve(key, done, None, True))
        scene.act(f"resolve {name} ({done}, no reason)", Resolve(key, done, UserId(1), False))


def _parking(scene: Scene) -> None:
    scene.once("park", Park(PARKED))
    scene.act("park again", Park(PARKED), when=lambda read: read(PARKING) is not None)
    for actor, reasoned in ((UserId(1), True), (None, True), (UserId(1), False)):
        scene.act(f"resume parked({actor}, {reasoned})", ResumeParked(PARKED, actor, reasoned))
        scene.act(f"discard parked({actor}, {reasoned})", DiscardParked(PARKED, actor, reasoned))


def _strange(scene: Scene) -> None:
    """Keys that name no effect, and no follow-up."""
    for key in ((), (Kind.SCOPE, SCOPE), CALL[:2]):
        scene.act(f"take {len(key)} {key[:1]}", Take(key))
        scene.act(f"lost {len(key)} {key[:1]}", Lost(key))
        scene.act(f"handle {len(key)} {key[:1]}", Handle(key))
    scene.act("handle nothing", Handle((Kind.FOLLOW, "nothing", TASK)))


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
    m.always(
        "a message goes with its attempt",
        lambda read: (
            read(DELIVERY) is None or _runs(read) or _is_ending(read) or _state(read, CALL) == "taken"
        ),
        "a delivery that holds no lock is forgotten when its attempt and its call have ended",
        cites="DSP-12a REL-2a",
    )
    scene.always_step(
        "doubt ends by evidence",
        lambda before, after, given, change: all(
            _has_evidence(given, key) for key in EFFECTS if _settles(before(key), after(key))
        ),
        "an effect of unknown outcome ends when it is reported, or when an operator says why",
        cites="SHL-4c SHL-6a SHL-6b",
    )
    scene.always_step(
        "lost is not forgotten",
        lambda before, after, given, change: (
            not isinstance(given, Lost)
            or _state(after, given.key) == ("pending" if _is_idempotent(given.key) else "indeterminate")
        ),
        "a lost effect is performed again under its key if that is safe, and in doubt otherwise",
        cites="SHL-4b SHL-4e SHL-4f",
    )
    scene.always_step(
        "parked things are moved by someone",
        lambda before, after, given, change: (
            before(PARKING) is None or after(PARKING) is not None or _is_override(given)
        ),
        "what was put aside is resumed or discarded by an actor with a reason",
        cites="SHL-5a SHL-6b",
    )
    scene.always_step(
        "a key names what it is of",
        lambda before, after, given, change: (
            not isinstance(given, Take | Ack | EffectFailed | Lost | Resolve | Handle)
            or (given.key[:1] == (_kind(given),) and before(given.key) is not None)
        ),
        "what is taken, reported or resolved is an effect that exists, what is handled a follow-up",
        cites="SHL-3b SHL-4a SHL-5b",
    )
    scene.always_step(
        "what is put aside is put aside once",
        lambda before, after, given, change: not isinstance(given, Park) or before(PARKING) is None,
        "under one name there is one parked thing",
        cites="SHL-5a",
    )
    _claim_reports(scene)
    m.sometimes("a call in doubt", some((CALL,), lambda read, key, cell: cell.state == "indeterminate"))
    m.sometimes("performed again", lambda read: read(("takes", SLICE)) == 2)
    m.sometimes(
        "a call dies before it is taken", lambda r: r(("over", CALL)) is True and r(("takes", CALL)) is None
    )
    m.sometimes("something is parked", lambda read: read(PARKING) is not None)


def _claim_progress(scene: Scene) -> None:
    of_follow_ups(scene)
    for key in EFFECTS:
        scene.m.leads_to(
            f"what is taken is settled ({key[1]})",
            partial(_is_taken, key),
            no_longer(partial(_is_taken, key)),
            "an effect that someone took is reported, or given up for lost: it is not forgotten",
            fair=(f"ack {key[1]}", f"lost {key[1]}"),
            cites="SHL-4b SHL-4c",
        )


def _is_taken(key: Key, read: Read) -> bool:
    return _state(read, key) == "taken"


def _claim_reports(scene: Scene) -> None:
    """What was reported of an effect ends it, and is what its record says."""
    m = scene.m
    scene.always_step(
        "an effect ends as it was reported",
        lambda before, after, given, change: all(
            edge.target == _reported(given, edge.key)
            for edge in edges(change, "effect")
            if edge.target in OVER
        ),
        "done and failed are what was reported, or what an operator said; withdrawn was never taken",
        cites="SHL-4b SHL-4c SHL-4d",
    )
    scene.always_step(
        "what is reported is over",
        lambda before, after, given, change: (
            not isinstance(given, Ack | EffectFailed | Resolve) or after(given.key) is None
        ),
        "an effect whose end was reported, or that an operator resolved, is never performed again",
        cites="SHL-4b SHL-4c",
    )
    scene.always_step(
        "taken by someone before it is performed",
        lambda before, after, given, change: (
            not isinstance(given, Take) or _state(after, given.key) in ("taken", None)
        ),
        "an effect is taken before it is performed, or withdrawn",
        cites="SHL-4b SHL-4d",
    )
    m.always_step(
        "who performs is asked",
        lambda before, after, action, change: (
            [Perform(key) for key in EFFECTS if _state(after, key) == "pending" != _state(before, key)]
            == effects(change, Perform)
        ),
        "an effect that waits to be performed, for the first time or again, is announced in that step",
        cites="SHL-4a SHL-4e",
    )
    scene.takes(
        "what is seen of an effect is heard",
        (Ack, EffectFailed, Lost),
        lambda read, given: _state(read, given.key) in _open(given),
        "whoever took an effect is heard, also after it was given up for lost, until the effect has ended",
        cites="ACT-8c SHL-4b SHL-4c",
    )
    scene.takes(
        "an operator can resolve a doubt",
        (Resolve,),
        lambda read, given: _state(read, given.key) == "indeterminate" and _is_override(given),
        "an effect of unknown outcome can be resolved either way, by someone who says why",
        cites="SHL-4c SHL-6a",
    )
    scene.takes(
        "a pending effect can be taken",
        (Take,),
        lambda read, given: _state(read, given.key) == "pending",
        "an effect that waits can be taken; if its ref has died, that withdraws it",
        cites="SHL-4b SHL-4d",
    )
    scene.takes(
        "what is parked can be taken up",
        (ResumeParked, DiscardParked),
        lambda read, given: read(PARKING) is not None and _is_override(given),
        "what was put aside can be resumed and can be discarded, by someone who says why",
        cites="SHL-5a SHL-6a",
    )
    scene.always_step(
        "parked things end as someone said",
        lambda before, after, given, change: all(
            edge.target == ("resumed" if isinstance(given, ResumeParked) else "discarded")
            for edge in edges(change, "parked")
        ),
        "the record says whether it was resumed or discarded",
        cites="SHL-5a SHL-6b",
    )


OVER = ("done", "failed", "withdrawn")


def _reported(given: Any, key: Key) -> str:
    if getattr(given, "key", None) != key or isinstance(given, Take):
        return "withdrawn"
    done = isinstance(given, Ack) or (isinstance(given, Resolve) and given.done)
    return "done" if done else "failed"


def _state(read: Read, key: Key) -> str | None:
    cell = read(key)
    return None if cell is None else cell.state


def _open(given: Any) -> tuple[str, ...]:
    return ("taken",) if isinstance(given, Lost) else ("taken", "indeterminate")


def _is_idempotent(key: Key) -> bool:
    return key == SLICE


def _pending(read: Read) -> bool:
    call = read(CALL)
    return call is not None and call.state == "pending"


def _runs(read: Read) -> bool:
    return read((Kind.ATTEMPT, REF)) is not None


def _is_ending(read: Read) -> bool:
    ending = read((Kind.FOLLOW, FollowUp.END_RESOURCES, REF))
    return ending is not None and ending.cursor <= 0


def _settles(before: Any, after: Any) -> bool:
    return before is not None and before.state == "indeterminate" and after is None


def _is_override(given: Any) -> bool:
    return getattr(given, "actor", None) is not None and bool(given.reasoned)


def _kind(given: Any) -> Kind:
    return Kind.FOLLOW if isinstance(given, Handle) else Kind.EFFECT


def _has_evidence(given: Any, key: Key) -> bool:
    reported = isinstance(given, Ack | EffectFailed)
    return getattr(given, "key", None) == key and (reported or _is_override(given))
