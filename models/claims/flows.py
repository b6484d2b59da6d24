"""Workflow instances: versions, tokens, what a slice says, who is heard (WFL-12, WFL-13, WFL-21, WFL-22)."""

from typing import Any

from dhruva.cells import EffectKind, FollowUp, Key, Kind
from dhruva.effects import ArmTimers, ClearTimers, Perform, Retain
from dhruva.explore import Read
from dhruva.ids import InstanceId, OwnerId, Ref, ScopeId, SignalName, UserId
from dhruva.inputs import (
    CancelInstance,
    EarlySignal,
    Handle,
    RetryInstance,
    Signal,
    SliceCompleted,
    SliceError,
    SliceFailed,
    SliceWaits,
    Unavailable,
)
from models.claims.cast import each, effects
from models.world import Scene, task_id

# Who plays

MAIN, CHILD = InstanceId(50), InstanceId(51)
NAME = SignalName(3)
ONE, TWO = UserId(1), UserId(2)
SCOPE, TASK = ScopeId(1), task_id(20)
REF = Ref(OwnerId(20), 1, 1)
INSTANCES: tuple[Key, ...] = ((Kind.INSTANCE, MAIN), (Kind.INSTANCE, CHILD))
HUMAN, WATCH = (Kind.HUMAN, MAIN), (Kind.WATCH, TASK)
TERMINAL = ("completed", "failed", "cancelled")

SLICES = (SliceWaits, SliceCompleted, SliceFailed, SliceError)
BECOMES = {
    SliceCompleted: "completed",
    SliceFailed: "failed",
    SliceError: "recoverable_error",
    Unavailable: "recoverable_error",
    CancelInstance: "cancelled",
    RetryInstance: "running",
}


def of_slices(scene: Scene) -> None:
    m = scene.m
    scene.always_step(
        "an instance is what was said of it",
        lambda before, after, given, change: (
            (said := BECOMES.get(type(given))) is None or _state(after, given.instance) == said
        ),
        "a slice that completes, fails or errs, a cancel, a retry: the instance says so from then on",
        cites="WFL-3d WFL-17b WFL-21a WFL-21d SHL-6a",
    )
    scene.always_step(
        "a wait is entered, or met at once",
        lambda before, after, given, change: (
            not isinstance(given, SliceWaits)
            or _state(after, given.instance) == ("running" if _met(before, given) else "waiting")
        ),
        "a slice that waits leaves the instance waiting, unless the signal was kept for it",
        cites="WFL-6a WFL-21b WFL-22c",
    )
    m.always_step(
        "timers come and go with the wait",
        lambda before, after, action, change: all(
            (ArmTimers(key[1], after(key).token) in effects(change, ArmTimers))
            == _opens(before(key), after(key))
            for key in INSTANCES
            if before(key) is not None
        ),
        "a wait that opens arms its timers under its token, and nothing else arms any",
        cites="WFL-12f WFL-16a WFL-16b WFL-16c",
    )
    m.always_step(
        "completion clears up",
        lambda before, after, action, change: all(
            [ClearTimers(key[1]), Retain(key[1])] == effects(change, ClearTimers) + effects(change, Retain)
            for key in INSTANCES
            if before(key) is not None and before(key).state != after(key).state == "completed"
        ),
        "an instance that completes has its timers cleared, and its retention begins",
        cites="WFL-17c WFL-17d",
    )
    m.always(
        "who runs has a slice to run",
        each(
            INSTANCES,
            lambda read, key, cell: (
                cell.state != "running"
                or read((Kind.EFFECT, EffectKind.RUN_SLICE, key[1], cell.version)) is not None
            ),
        ),
        "an instance that is running has a slice of its version on its way, under that version's key",
        cites="WFL-13a WFL-21a SHL-4a",
    )
    m.always_step(
        "a slice is announced",
        lambda before, after, action, change: (
            [Perform(key) for key in _slices(before, after)] == effects(change, Perform)
        ),
        "a slice that is to be run is handed out in the step that asks for it",
        cites="SHL-4a WFL-6a",
    )
    scene.always_step(
        "an early signal moves nothing",
        lambda before, after, given, change: (
            not isinstance(given, EarlySignal)
            or _state(after, given.instance) == _state(before, given.instance)
        ),
        "to keep a signal leaves the instance as it is",
        cites="WFL-22b",
    )
    scene.always_step(
        "whoever resumes has the token, and spends it",
        lambda before, after, given, change: (
            _state(before, MAIN) != "waiting"
            or _state(after, MAIN) != "running"
            or (after(INSTANCES[0]).waits is None and _has_token(before, given))
        ),
        "a wait is ended by what carries its own token: a signal, its human task, its child, its task; once",
        cites="WFL-7d WFL-10a WFL-12a WFL-12f WFL-14b",
    )
    scene.refuses(
        "a stale signal is ignored for the first rule that makes it stale",
        (Signal,),
        lambda read, given, refused: _stale(read, given) in (None, refused.because),
        "unknown, terminal, signal id, token, version, in this order",
        cites="WFL-12b WFL-12c WFL-12d WFL-12e",
    )
    scene.takes(
        "the slice of this version commits",
        SLICES,
        lambda r, given: (
            _state(r, given.instance) == "running"
            and _is_current(r, given)
            and _is_new(r, given)
            and _fits(r, given)
        ),
        "a running instance takes what the slice of its version says",
        cites="WFL-6a WFL-13a WFL-21a",
    )
    scene.always_step(
        "a wait is for what its kind says",
        lambda before, after, given, change: _fits(before, given),
        "a child, a task that is there and nobody else waits for, a name: where the kind has it, only there",
        cites="WFL-6a WFL-7d WFL-10a",
    )
    scene.takes(
        "a fresh signal is heard",
        (Signal,),
        lambda read, given: _is_fresh(read, given, int(m.bounds["kept"])),
        "a signal that no rule makes stale resumes its wait, or is kept while the instance is in an error",
        cites="WFL-3d WFL-12c WFL-12d WFL-12f",
    )
    scene.takes(
        "an early signal is kept",
        (EarlySignal,),
        lambda r, given: (
            _state(r, given.instance) in OPEN
            and _is_unheard(r, given)
            and r((Kind.INSTANCE, given.instance)).kept < m.bounds["kept"]
        ),
        "a signal that comes before its wait is kept, the first of its name, while there is room",
        cites="WFL-22b",
    )
    scene.always_step(
        "what is kept is kept under its name",
        lambda before, after, given, change: (
            not isinstance(given, EarlySignal)
            or after((Kind.KEPT, given.instance, given.name)) == (given.signal,)
        ),
        "an early signal that was taken is there for the wait of its name",
        cites="WFL-22b",
    )
    scene.takes(
        "an instance can be cancelled until it ends",
        (CancelInstance,),
        lambda read, given: _state(read, given.instance) in OPEN and given.actor is not None,
        "whoever has a name can cancel an instance that has not ended",
        cites="SHL-6a WFL-21d",
    )
    scene.takes(
        "an error can be retried",
        (RetryInstance,),
        lambda r, given: _state(r, given.instance) == "recoverable_error" and given.actor is not None,
        "whoever has a name can retry an instance that is held in an error",
        cites="SHL-6a WFL-21d",
    )
    scene.takes(
        "a definition can go missing while it is waited",
        (Unavailable,),
        lambda read, given: _state(read, given.instance) == "waiting",
        "an instance whose definition is unavailable is held in a recoverable error",
        cites="WFL-3d",
    )


OPEN = ("running", "waiting", "recoverable_error")


def _state(read: Read, instance: InstanceId) -> str | None:
    cell = read((Kind.INSTANCE, instance))
    return None if cell is None else cell.state


def _met(read: Read, given: SliceWaits) -> bool:
    """Whether a signal was kept for this wait, by its name or its kind, or its child has ended meanwhile."""
    name = given.kind if given.name is None else given.name
    child = None if given.child is None else read((Kind.INSTANCE, given.child))
    again = read((Kind.INSTANCE, given.instance)).child == given.child
    kept, last = read((Kind.KEPT, given.instance, name)), read((Kind.INSTANCE, given.instance)).last_signal
    if kept is not None:
        return kept.signal is None or kept.signal != last
    return child is not None and again and child.state in TERMINAL


def _is_unheard(read: Read, given: EarlySignal) -> bool:
    """Neither heard last, nor is one of its name kept already."""
    heard = read((Kind.INSTANCE, given.instance)).last_signal == given.signal
    return not heard and read((Kind.KEPT, given.instance, given.name)) is None


def _is_new(read: Read, given: Any) -> bool:
    """A child is begun once; one that is waited for again goes on."""
    child = getattr(given, "child", None)
    known = child is not None and read((Kind.INSTANCE, child)) is not None
    return not known or bool(read((Kind.INSTANCE, given.instance)).child == child)


def _fits(read: Read, given: Any) -> bool:
    if not isinstance(given, SliceWaits):
        return True
    has = {"child": given.child, "task": given.task, "signal": given.name}
    named = all((thing is not None) == (given.kind == kind) for kind, thing in has.items())
    return named and (given.task is None or _can_watch(read, given))


def _can_watch(read: Read, given: SliceWaits) -> bool:
    watch = read((Kind.WATCH, given.task))
    is_free = watch is None or bool(watch.instance == given.instance)
    return is_free and read((Kind.TASK, given.task)) is not None


def _opens(before: Any, after: Any) -> bool:
    return bool(after.token != before.token)


def _slices(before: Read, after: Read) -> list[Key]:
    keys = (
        (Kind.EFFECT, EffectKind.RUN_SLICE, key[1], cell.version)
        for key in INSTANCES
        if (cell := after(key)) is not None
    )
    return [key for key in keys if before(key) is None and after(key) is not None]


def _has_token(read: Read, given: Any) -> bool:
    token = read(INSTANCES[0]).token
    if isinstance(given, Signal):
        return bool(given.token == token)
    told = {FollowUp.TELL_PARENT: ((Kind.INSTANCE, CHILD), "parent_token"), FollowUp.TELL: (WATCH, "token")}
    key, field = told.get(given.key[1], (HUMAN, "token")) if isinstance(given, Handle) else (HUMAN, "token")
    return bool(getattr(read(key), field, None) == token)


def _stale(read: Read, given: Signal) -> str | None:
    cell = read((Kind.INSTANCE, given.instance))
    if cell is None:
        return "dead_letter"
    if cell.state in TERMINAL:
        return "terminal"
    if given.signal == cell.last_signal:
        return "duplicate"
    if cell.waits is None or given.token != cell.token:
        return "other_token"
    held = cell.state == "recoverable_error"  # which has raised the version
    return None if held or given.expected in (None, cell.version) else "other_version"


def _is_fresh(read: Read, given: Signal, most: int) -> bool:
    cell = read((Kind.INSTANCE, given.instance))
    if cell is None or cell.waits is None or given.token != cell.token or given.signal == cell.last_signal:
        return False
    if cell.state == "recoverable_error":
        name = cell.waits if cell.name is None else cell.name
        return cell.kept < most and read((Kind.KEPT, given.instance, name)) is None
    return cell.state == "waiting" and given.expected in (None, cell.version)


def of_versions(scene: Scene) -> None:
    m = scene.m
    m.always_step(
        "one version per commit",
        lambda before, after, action, change: all(_one_more(before(key), after(key)) for key in INSTANCES),
        "a commit raises the version by one; keeping a signal and handing over a child are no commits",
        cites="WFL-12e WFL-13a WFL-14e",
    )
    scene.always_step(
        "a version has one writer",
        lambda before, after, given, change: _is_current(before, given),
        "a slice commits only against the version that it was computed from",
        cites="WFL-13a WFL-13b",
    )
    m.always_step(
        "a token is given once",
        lambda before, after, action, change: all(_fresh_token(before(key), after(key)) for key in INSTANCES),
        "a wait that opens has a token that no wait had before",
        cites="WFL-12a WFL-16b",
    )
    scene.always_step(
        "a token resumes once",
        lambda before, after, given, change: _resumes(before, after, given),
        "a signal from outside resumes only the wait whose token it has, expecting this version or none",
        cites="WFL-12c WFL-12f",
    )
    m.always_step(
        "an end is an end",
        lambda before, after, action, change: all(
            _same(before(key), after(key))
            for key in INSTANCES
            if before(key) is not None and before(key).state in TERMINAL
        ),
        "completed, failed and cancelled instances never change",
        cites="WFL-12c WFL-21c",
    )
    scene.always_step(
        "a recoverable error is left by someone",
        lambda before, after, given, change: all(
            not _left_error(before(key), after(key)) or _has_actor(given, key) for key in INSTANCES
        ),
        "out of a recoverable error lead retry and cancel, each with an actor, or the end of the parent",
        cites="WFL-21d SHL-6b",
    )


def _one_more(before: Any, after: Any) -> bool:
    if before is None or before == after:
        return True
    if before._replace(kept=after.kept, parent_token=after.parent_token) == after:
        return True
    return bool(after.version == before.version + 1)


def _is_current(before: Read, given: Any) -> bool:
    if not isinstance(given, SliceWaits | SliceCompleted | SliceFailed | SliceError):
        return True
    return bool(before((Kind.INSTANCE, given.instance)).version == given.version)


def _fresh_token(before: Any, after: Any) -> bool:
    if after is None or before is None:
        return True
    opened = after.state == "waiting" and before.state != "waiting"
    return bool(
        after.token == before.token + 1 if opened else after.token in (before.token, before.token + 1)
    )


def _resumes(before: Read, after: Read, given: Any) -> bool:
    if not isinstance(given, Signal):
        return True
    was, now = before((Kind.INSTANCE, given.instance)), after((Kind.INSTANCE, given.instance))
    if was.state != "waiting" or now.state == "waiting":
        return bool(was.state == now.state)
    fits = given.token == was.token and given.signal != was.last_signal
    return fits and given.expected in (None, was.version)


def _same(before: Any, after: Any) -> bool:
    return bool(before._replace(parent_token=after.parent_token) == after)


def _left_error(before: Any, after: Any) -> bool:
    error = "recoverable_error"
    return before is not None and before.state == error and after.state != error


def _has_actor(given: Any, key: Key) -> bool:
    return key[1] != MAIN or getattr(given, "actor", None) is not None
