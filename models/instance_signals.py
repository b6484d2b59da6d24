"""A workflow instance between its slices: tokens, versions, signals, human tasks, a child, a watched task.

Two coordinators run slices of one instance: any slice that could be computed from a version that was ever
committed may try to commit, in any order. Signals come early, late, twice, with the token of an older wait,
or expecting an older version; the timeout of a wait is a signal like any other, and races with it. A person
is assigned, replaced, and completes; a child and a task end or are cancelled; the definition becomes
unavailable; an operator retries or cancels.

Left out: what a slice computes (the interpreter, later work) and the performing of slices
(models/effects.py). The number of versions is bounded: waits stop being entered when they run out, and
everything else goes on. Two waits show "the next one": rules compare a token with the newest. Two signal ids
suffice for "the same as the last".
"""

from typing import Any

from dhruva.cells import FollowUp, Key, Kind
from dhruva.explore import Model, Read
from dhruva.ids import (
    ExecutorId,
    InstanceId,
    OwnerId,
    ProcessId,
    Ref,
    ScopeId,
    SignalId,
    SignalName,
    UserId,
    Version,
    WaitToken,
)
from dhruva.inputs import (
    AssignHuman,
    Cancel,
    CancelInstance,
    CompleteHuman,
    CreateScope,
    CreateTask,
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
    Stopped,
    Succeed,
    Unavailable,
    Wake,
)
from dhruva.machines.instance import WaitKind
from dhruva.step import Step
from dhruva.step import step as shipped
from models.claims import each, some
from models.world import Scene, task_id

MAIN, CHILD = InstanceId(50), InstanceId(51)
NAME = SignalName(3)
ONE, TWO = UserId(1), UserId(2)
SCOPE, TASK = ScopeId(1), task_id(20)
REF = Ref(OwnerId(20), 1, 1)
INSTANCES: tuple[Key, ...] = ((Kind.INSTANCE, MAIN), (Kind.INSTANCE, CHILD))
HUMAN, WATCH = (Kind.HUMAN, MAIN), (Kind.WATCH, TASK)
TERMINAL = ("completed", "failed", "cancelled")


def model(
    versions: int = 4,
    signals: int = 1,
    humans: int = 1,
    children: int = 1,
    tasks: int = 0,
    step: Step = shipped,
) -> Model:
    """`versions`: waits are entered below this one. The other bounds switch kinds of waits on and off."""
    m = Model(
        "instance and signals",
        versions=versions,
        signals=signals,
        humans=humans,
        children=children,
        tasks=tasks,
    )
    scene = Scene(m, step, _setup(tasks))
    _slices(scene, versions, _waits(signals, humans, children, tasks))
    _overrides(scene)
    if signals:
        _signals(scene, (versions + 2) // 2)
    if humans:
        _people(scene)
    if children:
        _child(scene)
    if tasks:
        scene.act("cancel task", Cancel(TASK))
        scene.act("task succeeds", Succeed(REF))
        scene.act("task stopped", Stopped(REF))
        scene.handle(FollowUp.TELL, TASK)
        scene.handle(FollowUp.CANCEL_TASK, TASK)
    _claim_versions(scene)
    _claim_waits(m)
    _witness(m)
    m.allow_deadlock("versions run out, and an ended workflow hears nothing")
    return m


def _setup(tasks: int) -> list[Any]:
    made: list[Any] = [StartInstance(MAIN)]
    if tasks:
        made += [CreateScope(SCOPE), CreateTask(TASK, SCOPE, ExecutorId(5)), Wake(SCOPE, ProcessId(9))]
    return made


def _waits(signals: int, humans: int, children: int, tasks: int) -> list[SliceWaits]:
    zero = Version(0)
    waits = [SliceWaits(MAIN, zero, WaitKind.SIGNAL, name=NAME)] if signals else []
    waits += [SliceWaits(MAIN, zero, WaitKind.HUMAN)] if humans else []
    waits += [SliceWaits(MAIN, zero, WaitKind.CHILD, child=CHILD)] if children else []
    waits += [SliceWaits(MAIN, zero, WaitKind.TASK, task=TASK)] if tasks else []
    return waits


def _slices(scene: Scene, versions: int, waits: list[SliceWaits]) -> None:
    for number in range(versions + 2):
        version = Version(number)
        if number < versions:
            for wait in waits:
                scene.act(f"wait({number}, {wait.kind})", wait._replace(version=version))
        scene.act(f"complete({number})", SliceCompleted(MAIN, version))
        scene.act(f"slice fails({number})", SliceFailed(MAIN, version))
        if number < versions:
            scene.act(f"slice errs({number})", SliceError(MAIN, version))


def _overrides(scene: Scene) -> None:
    scene.once("unavailable", Unavailable(MAIN))
    for actor in (None, ONE):
        scene.act(f"retry({actor})", RetryInstance(MAIN, actor))
        scene.act(f"cancel({actor})", CancelInstance(MAIN, actor))


def _signals(scene: Scene, tokens: int) -> None:
    """The second signal id is the timer's; it names nothing."""
    for number in range(1, tokens + 1):
        token = WaitToken(number)
        scene.act(f"signal({number})", Signal(MAIN, SignalId(1), token, NAME))
        scene.act(f"timeout({number})", Signal(MAIN, SignalId(2), token))
    scene.act("signal(1, at 1)", Signal(MAIN, SignalId(1), WaitToken(1), NAME, Version(1)))
    scene.act("signal(1, at 0)", Signal(MAIN, SignalId(1), WaitToken(1), NAME, Version(0)))
    scene.act("early signal", EarlySignal(MAIN, SignalId(1), NAME))
    scene.act("dead letter", Signal(InstanceId(99), SignalId(1), WaitToken(1)))


def _people(scene: Scene) -> None:
    scene.act("assign", AssignHuman(MAIN, ONE))
    scene.act("reassign", ReassignHuman(MAIN, TWO))
    scene.act("release", ReleaseHuman(MAIN))
    for user in (ONE, TWO):
        scene.act(f"complete human({user})", CompleteHuman(MAIN, user))


def _child(scene: Scene) -> None:
    scene.act("child completes", SliceCompleted(CHILD, Version(0)))
    scene.act("child fails", SliceFailed(CHILD, Version(0)))
    scene.handle(FollowUp.CANCEL_CHILD, CHILD)
    scene.handle(FollowUp.TELL_PARENT, CHILD)


# Claims


def _claim_versions(scene: Scene) -> None:
    m = scene.m
    m.always_step(
        "one version per commit",
        lambda before, after, action, change: all(_one_more(before(key), after(key)) for key in INSTANCES),
        "a commit raises the version by one; keeping a signal and handing over a child are no commits",
        cites="WFL-12e WFL-13a WFL-14e",
    )
    m.always_step(
        "a version has one writer",
        lambda before, after, action, change: _is_current(before, scene.inputs[action]),
        "a slice commits only against the version that it was computed from",
        cites="WFL-13a WFL-13b",
    )
    m.always_step(
        "a token is given once",
        lambda before, after, action, change: all(_fresh_token(before(key), after(key)) for key in INSTANCES),
        "a wait that opens has a token that no wait had before",
        cites="WFL-12a WFL-16b",
    )
    m.always_step(
        "a token resumes once",
        lambda before, after, action, change: _resumes(before, after, scene.inputs[action]),
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
    m.always_step(
        "the assignee completes",
        lambda before, after, action, change: (
            not action.startswith("complete human") or before(HUMAN).assignee == scene.inputs[action].user
        ),
        "a human task is completed by the person it is assigned to",
        cites="WFL-14b WFL-14d",
    )
    m.always_step(
        "a recoverable error is left by someone",
        lambda before, after, action, change: all(
            not _left_error(before(key), after(key)) or _has_actor(scene.inputs[action], key)
            for key in INSTANCES
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


def _claim_waits(m: Model) -> None:
    m.always(
        "waiting is for something",
        each(INSTANCES, lambda read, key, cell: cell.state != "waiting" or cell.waits is not None),
        "an instance that waits has a kind of wait and a token that is not spent",
        cites="WFL-12a WFL-21b",
    )
    m.always(
        "an end leaves nothing open",
        each(INSTANCES[:1], lambda read, key, cell: cell.state not in TERMINAL or _nothing_open(read)),
        "an ended instance has no human task, its child has ended or is being cancelled, its task too",
        cites="WFL-7e WFL-17a WFL-21c",
    )
    m.always(
        "a human task is waited for",
        each((HUMAN,), lambda read, key, cell: _waits_for(read, "human") and _token(read) == cell.token),
        "an active human task belongs to the wait that is open, under its token",
        cites="WFL-14a WFL-14f",
    )
    m.always(
        "assigned to someone",
        each((HUMAN,), lambda read, key, cell: (cell.state == "assigned") == (cell.assignee is not None)),
        "a human task has an assignee exactly while it is assigned",
        cites="WFL-14c WFL-14d",
    )
    m.always(
        "a watch is waited for",
        each(
            (WATCH,),
            lambda r, key, cell: _task_ends(r) or (_waits_for(r, "task") and _token(r) == cell.token),
        ),
        "a task is watched under the token of the wait that is open, until it ends or is to be cancelled",
        cites="WFL-7d WFL-12a",
    )
    m.always(
        "the end of a task reaches who waits",
        each(INSTANCES[:1], lambda read, key, cell: not _waits_in_vain(read, cell)),
        "an instance that waits for a task or a child that has ended is about to be told",
        cites="WFL-7d WFL-10a",
    )
    m.always(
        "kept signals are counted",
        each(INSTANCES[:1], lambda read, key, cell: cell.state in TERMINAL or cell.kept == _kept(read)),
        "an instance knows how many signals are kept for it, one per name at most",
        cites="WFL-22b",
    )
    m.always(
        "what was kept for a wait goes with it",
        each(INSTANCES[:1], lambda read, key, cell: cell.state in TERMINAL or not _left_over(read, cell)),
        "a signal without a name that was kept for one wait never resumes another",
        cites="WFL-12a WFL-12f",
    )
    m.always(
        "no kept signal waits beside its wait",
        each(INSTANCES[:1], lambda read, key, cell: cell.state != "waiting" or not _kept_for(read, cell)),
        "a signal that was kept is consumed when its wait is entered",
        cites="WFL-22c",
    )


def _nothing_open(read: Read) -> bool:
    child = read((Kind.INSTANCE, CHILD))
    orphan = child is not None and child.state not in TERMINAL
    cancelling = read((Kind.FOLLOW, FollowUp.CANCEL_CHILD, CHILD)) is not None
    return read(HUMAN) is None and (read(WATCH) is None or _task_ends(read)) and (not orphan or cancelling)


def _waits_for(read: Read, kind: str) -> bool:
    cell = read((Kind.INSTANCE, MAIN))
    return cell is not None and cell.waits == kind and cell.state not in TERMINAL


def _task_ends(read: Read) -> bool:
    ending = read((Kind.FOLLOW, FollowUp.CANCEL_TASK, TASK)) is not None
    return ending or read((Kind.TASK, TASK)).status in TERMINAL


def _token(read: Read) -> Any:
    return read((Kind.INSTANCE, MAIN)).token


def _waits_in_vain(read: Read, cell: Any) -> bool:
    if cell.state != "waiting":
        return False
    if cell.waits == "child":
        told = read((Kind.FOLLOW, FollowUp.TELL_PARENT, CHILD)) is not None
        return read((Kind.INSTANCE, CHILD)).state in TERMINAL and not told
    task = read((Kind.TASK, TASK)) if cell.waits == "task" else None
    over = task is not None and task.status in TERMINAL and not task.alive
    return over and read((Kind.FOLLOW, FollowUp.TELL, TASK)) is None


KINDS = ("human", "child", "task", "signal")
NAMES = (NAME, *KINDS)


def _kept(read: Read) -> int:
    return sum(1 for name in NAMES if read((Kind.KEPT, MAIN, name)) is not None)


def _left_over(read: Read, cell: Any) -> bool:
    kept = [kind for kind in KINDS if read((Kind.KEPT, MAIN, kind)) is not None]
    return any(kind != cell.waits for kind in kept)


def _kept_for(read: Read, cell: Any) -> bool:
    name = cell.waits if cell.name is None else cell.name
    return read((Kind.KEPT, MAIN, name)) is not None


def _witness(m: Model) -> None:
    bounds, main = m.bounds, INSTANCES[:1]
    m.sometimes("it completes", some(main, lambda read, key, cell: cell.state == "completed"))
    m.sometimes("a second wait", some(main, lambda read, key, cell: cell.token == 2))
    m.sometimes(
        "a retry finds a wait open", some(main, lambda r, k, c: c.state == "running" and c.waits is not None)
    )
    if bounds["signals"]:
        m.sometimes("a signal is kept", some(main, lambda read, key, cell: cell.kept > 0))
    if bounds["humans"]:
        m.sometimes("someone is assigned", some((HUMAN,), lambda read, key, cell: cell.state == "assigned"))
    if bounds["tasks"]:
        m.sometimes("a task is watched", some((WATCH,), lambda read, key, cell: True))
    if bounds["children"]:
        m.sometimes("a child ends", some(INSTANCES[1:], lambda read, key, cell: cell.state in TERMINAL))
