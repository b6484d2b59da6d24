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

from dhruva.cells import FollowUp, Kind
from dhruva.explore import Model, Read
from dhruva.ids import (
    ExecutorId,
    InstanceId,
    ProcessId,
    SignalId,
    SignalName,
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
    Delete,
    EarlySignal,
    ReassignHuman,
    Recall,
    ReleaseHuman,
    Reset,
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
from dhruva.limits import KEPT_SIGNALS_MAX
from dhruva.machines.instance import WaitKind
from dhruva.step import Step
from dhruva.step import step as shipped
from models.claims import of_follow_ups, some
from models.claims.flows import (
    CHILD,
    HUMAN,
    INSTANCES,
    MAIN,
    NAME,
    ONE,
    REF,
    SCOPE,
    TASK,
    TERMINAL,
    TWO,
    WATCH,
    of_slices,
    of_versions,
)
from models.claims.waits import of_people, of_waits
from models.world import Scene, follow_up, task_id

NOWHERE, NOBODY = InstanceId(99), task_id(98)
OTHER = SignalName(4)


def model(
    versions: int = 4,
    signals: int = 1,
    humans: int = 1,
    children: int = 1,
    tasks: int = 0,
    kept: int = KEPT_SIGNALS_MAX,
    live: int = 0,
    step: Step = shipped,
) -> Model:
    """`versions`: waits are entered below this one. The other bounds switch kinds of waits on and off.

    `tasks` 2: the task that is watched may be re-executed meanwhile.
    `kept`: how many signals the settings of `step` let it keep; where few, one of another name comes.
    `live` 1: claims about what happens in the end are made too.
    """
    m = Model(
        "instance and signals",
        versions=versions,
        signals=signals,
        humans=humans,
        children=children,
        tasks=tasks,
        kept=kept,
        live=live,
    )
    scene = Scene(m, step, _setup(tasks))
    _slices(scene, versions, _waits(signals, humans, children, tasks))
    _overrides(scene)
    _misfits(scene)
    if signals:
        _signals(scene, (versions + 2) // 2)
    if kept < KEPT_SIGNALS_MAX:
        scene.act("early signal of another name", EarlySignal(MAIN, SignalId(3), OTHER))
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
        scene.act("delete watched task", Delete(TASK), when=lambda read: read(WATCH) is not None)
    if tasks and children:
        scene.act("child watches", SliceWaits(CHILD, Version(0), WaitKind.TASK, task=TASK))
    if tasks > 1:
        scene.batch("re-execute task", Reset(TASK, None), _again, when=_is_first_run)
        scene.handle(FollowUp.RECALL, TASK)
        scene.handle(FollowUp.RESET, TASK)
    of_slices(scene)
    of_versions(scene)
    of_people(scene)
    of_waits(m, OTHER)
    _witness(m)
    if live:
        _claim_progress(scene)
    m.allow_deadlock("versions run out, and an ended workflow hears nothing")
    return m


def _setup(tasks: int) -> list[Any]:
    made: list[Any] = [StartInstance(MAIN)]
    if tasks:
        made += [CreateScope(SCOPE), CreateTask(TASK, SCOPE, ExecutorId(5)), Wake(SCOPE, ProcessId(9))]
    return made


def _is_first_run(read: Read) -> bool:
    return bool(read((Kind.TASK, TASK)).run == 1)


def _again(_read: Read) -> list[Any]:
    return [Recall(TASK, None), Reset(TASK, follow_up(FollowUp.RECALL, TASK))]


def _waits(signals: int, humans: int, children: int, tasks: int) -> list[SliceWaits]:
    zero = Version(0)
    waits = [SliceWaits(MAIN, zero, WaitKind.SIGNAL, name=NAME)] if signals else []
    waits += [SliceWaits(MAIN, zero, WaitKind.HUMAN)] if humans else []
    waits += [SliceWaits(MAIN, zero, WaitKind.CHILD, child=CHILD)] if children else []
    waits += [SliceWaits(MAIN, zero, WaitKind.TASK, task=TASK)] if tasks else []
    return waits


def _slices(scene: Scene, versions: int, waits: list[SliceWaits]) -> None:
    for number in range(versions + 3):
        version = Version(number)
        if number < versions:
            for wait in waits:
                scene.act(f"wait({number}, {wait.kind})", wait._replace(version=version))
        scene.act(f"complete({number})", SliceCompleted(MAIN, version))
        scene.act(f"slice fails({number})", SliceFailed(MAIN, version))
        if number < versions:
            scene.act(f"slice errs({number})", SliceError(MAIN, version))


def _misfits(scene: Scene) -> None:
    """Waits for something that their kind has not, or without what it has."""
    for name, kind, rest in (
        ("a nameless signal", WaitKind.SIGNAL, {}),
        ("a named timer", WaitKind.TIMER, {"name": NAME}),
        ("a timer with a child", WaitKind.TIMER, {"child": CHILD}),
        ("a timer with a task", WaitKind.TIMER, {"task": TASK}),
    ):
        scene.act(f"wait for {name}", SliceWaits(MAIN, Version(0), kind, **rest))
    scene.act("wait for no task", SliceWaits(MAIN, Version(0), WaitKind.TASK, task=NOBODY))
    scene.act("a slice of nothing waits", SliceWaits(NOWHERE, Version(0), WaitKind.SIGNAL))
    scene.act("early signal to nothing", EarlySignal(NOWHERE, SignalId(1), NAME))
    scene.act("cancel nothing", CancelInstance(NOWHERE, None))


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
    scene.act("dead letter", Signal(NOWHERE, SignalId(1), WaitToken(1)))


def _people(scene: Scene) -> None:
    scene.act("assign", AssignHuman(MAIN, ONE))
    scene.act("reassign", ReassignHuman(MAIN, TWO))
    scene.act("release", ReleaseHuman(MAIN))
    for user in (ONE, TWO):
        scene.act(f"complete human({user})", CompleteHuman(MAIN, user))


def _child(scene: Scene) -> None:
    scene.act("child completes", SliceCompleted(CHILD, Version(0)))
    scene.act("child fails", SliceFailed(CHILD, Version(0)))
    scene.act("child errs", SliceError(CHILD, Version(0)))
    scene.act("child waits", SliceWaits(CHILD, Version(0), WaitKind.SIGNAL, name=NAME))
    scene.act("cancel child", CancelInstance(CHILD, ONE))
    scene.handle(FollowUp.CANCEL_CHILD, CHILD)
    scene.handle(FollowUp.TELL_PARENT, CHILD)


def _claim_progress(scene: Scene) -> None:
    """Signals come, people and children finish, slices are run."""
    m, bounds = scene.m, scene.m.bounds
    answers = ["signal(*)", "timeout(*)"] if bounds["signals"] else []
    answers += ["assign", "complete human(*)"] if bounds["humans"] else []
    answers += ["child completes"] if bounds["children"] else []
    answers += ["task succeeds"] if bounds["tasks"] else []
    answers += ["handle *"] if scene.follow_ups else []
    of_follow_ups(scene)
    m.leads_to(
        "a wait ends",
        lambda read: read(INSTANCES[0]).state == "waiting",
        lambda read: read(INSTANCES[0]).state != "waiting",
        "an instance whose signals come does not wait for ever",
        fair=tuple(answers),
        cites="WFL-6a WFL-12f WFL-16a",
    )
    m.leads_to(
        "a workflow whose signals come ends",
        lambda read: read(INSTANCES[0]).state not in TERMINAL,
        lambda read: read(INSTANCES[0]).state in (*TERMINAL, "recoverable_error"),
        "an instance ends, or is held in an error for someone to look at",
        fair=(*answers, "complete(*)"),
        cites="WFL-6a WFL-17b WFL-21c WFL-21d",
    )


def _witness(m: Model) -> None:
    bounds, main = m.bounds, INSTANCES[:1]
    m.sometimes("it completes", some(main, lambda read, key, cell: cell.state == "completed"))
    if bounds["versions"] != 1:
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
