"""What nobody should ask, asked all the same: ids given twice, bounds of nothing, keys of another kind, and
timers and claims that are long over.

In the other models a careful shell asks, late and out of order. Here a careless one does, in small worlds of
six kinds (`about`): requests, tasks, walks, flows, effects, and cells gone astray, which no input leads to.
Nothing is assumed of who asks. What is accepted all the same must be harmless: the claims say what that is.

Left out: what follows when all goes as it should, which is what the other models are about.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from dhruva.cells import EffectKind, Follow, FollowUp, Group, Key, Kind
from dhruva.decide.admission import OutcomeSignal
from dhruva.decide.plan import Plan
from dhruva.explore import Model, Read
from dhruva.ids import (
    ExecutorId,
    InstanceId,
    Nonce,
    OwnerId,
    ParkedId,
    ProcessId,
    Ref,
    ScopeId,
    SignalId,
    SignalName,
    TargetId,
    TaskId,
    TaskStatus,
    UserId,
    Version,
    WaitToken,
)
from dhruva.inputs import (
    Abort,
    Ack,
    Admit,
    Ask,
    Cancel,
    ChildRecorded,
    Claim,
    CommitCarrier,
    Conflict,
    CreateScope,
    CreateTask,
    Delete,
    Deliver,
    Depend,
    Dispose,
    Due,
    EarlySignal,
    Fail,
    Outcome,
    Park,
    Recall,
    Register,
    Release,
    Reset,
    ResumeParked,
    SetCap,
    Signal,
    SliceError,
    SliceWaits,
    StartInstance,
    Stopped,
    Succeed,
    Take,
    Takeover,
    Unavailable,
    Unlink,
    Unobserved,
    Wake,
    Withdraw,
)
from dhruva.machines.attempt import AbortReason
from dhruva.machines.carrier import CarrierState
from dhruva.machines.instance import WaitKind
from dhruva.machines.scope import ScopeState
from dhruva.step import Step, kernel
from dhruva.walk import Settings
from models.claims import creation
from models.claims import misuse as claims
from models.claims.cast import Cast, some
from models.world import Scene, request_id, task_id, unassumed

SETTINGS = Settings(reexecute_cancelled=True, kept_max=1)
shipped = kernel(settings=SETTINGS)

SCOPE, PROCESS, EXECUTOR, TARGET = ScopeId(1), ProcessId(9), ExecutorId(5), TargetId(7)
A, B = Ref(OwnerId(20), 1, 1), Ref(OwnerId(21), 1, 1)
AGAIN = Ref(OwnerId(20), 2, 2)
FIRST, SECOND, THIRD = task_id(20), task_id(21), task_id(22)
ONE, OTHER = InstanceId(50), InstanceId(51)
ELSEWHERE = ScopeId(2)
SCOPE_KEY: Key = (Kind.SCOPE, SCOPE)


def model(about: str = "requests", step: Step = shipped) -> Model:
    """`about`: which of the worlds."""
    m = Model("misuse", about=about)
    m.allow_deadlock("what is refused changes nothing")
    with unassumed("an id is handed out once"):
        WORLDS[about](m, step)
    return m


def _acts(scene: Scene, *given: Any) -> None:
    for one in given:
        scene.act(_name(one), one)


def _name(given: Any) -> str:
    return f"{type(given).__name__}({', '.join(map(str, given))})"


def _requests(m: Model, step: Step) -> None:
    scene = Scene(m, step, ())
    m.var((Kind.CAP,), None)
    _acts(scene, *(SetCap(limit) for limit in (0, 1, 2)), Wake(SCOPE, PROCESS), Dispose(SCOPE))
    for most in (0, 1):
        _acts(scene, CreateScope(SCOPE, True, most, 3, 0, False, True, 2, True))
    for one in (request_id(10), request_id(11)):
        ref = Ref(OwnerId(one), 1, 1)
        _acts(scene, Ask(one, SCOPE, PROCESS), Withdraw(one), Succeed(ref), Stopped(ref))
        _acts(scene, *(Abort(ref, reason) for reason in AbortReason))
        scene.handle(FollowUp.END_RESOURCES, ref)
    scene.handle(FollowUp.WAKE_STARVED)
    creation.of_registry(scene)
    claims.of_ids(scene)
    claims.of_requests(scene)
    claims.of_aborts(scene)
    m.sometimes("one waits while one runs", some((SCOPE_KEY,), lambda r, k, c: c.queued == c.active == 1))


def _tasks(m: Model, step: Step) -> None:
    scene = Scene(m, step, [CreateScope(SCOPE, max_concurrent=1, max_spawns=2)])
    _acts(
        scene,
        CreateTask(FIRST, SCOPE, EXECUTOR, max_attempts=2),
        CreateTask(FIRST, SCOPE, EXECUTOR, max_attempts=0),
        CreateTask(FIRST, SCOPE, EXECUTOR, parent=FIRST),
        CreateTask(SECOND, SCOPE, EXECUTOR, parent=FIRST, dependencies=1),
        CreateTask(SECOND, SCOPE, EXECUTOR, dependencies=-1),
        *(Due(FIRST, 1, tries) for tries in (0, 1)),
        Register(EXECUTOR),
        Cancel(SECOND),
        Dispose(SCOPE),
        Fail(A),
        Stopped(A),
        *(Abort(A, reason) for reason in (AbortReason.USER, AbortReason.SHUTDOWN, AbortReason.WORKER)),
    )
    for task, on in ((FIRST, SECOND), (SECOND, FIRST), (SECOND, SECOND)):
        scene.act(f"depend({task} on {on})", Depend(task, on), when=partial(_linked, on))
    for executor in (True, False):
        scene.act(f"wake({executor})", Wake(SCOPE, PROCESS, executor))
    scene.handle(FollowUp.RETURN, EXECUTOR)
    claims.of_ids(scene)
    claims.of_aborts(scene)
    creation.of_creation(scene, Cast(tasks=(FIRST, SECOND)))
    claims.of_tasks(scene)
    claims.of_links(scene)
    claims.of_timers(scene)
    m.sometimes("a link", lambda read: read((Kind.LINK, FIRST, 1)) is not None)


def _walks(m: Model, step: Step) -> None:
    first = CreateTask(FIRST, SCOPE, EXECUTOR, max_attempts=2)
    other = CreateScope(ELSEWHERE, mount=False)
    tasks = (
        first,
        CreateTask(SECOND, SCOPE, EXECUTOR, dependencies=1),
        CreateTask(THIRD, ELSEWHERE, EXECUTOR),
    )
    setup = (CreateScope(SCOPE, max_concurrent=1, max_spawns=2), other, *tasks, Depend(SECOND, FIRST))
    scene = Scene(m, step, setup)
    _acts(
        scene,
        *(Unlink(task, FIRST, 1) for task in (FIRST, SECOND, THIRD)),
        *(Delete(task) for task in (FIRST, SECOND)),
        *(Due(FIRST, run, 1) for run in (1, 2)),
        Wake(SCOPE, PROCESS),
        Cancel(FIRST),
        Recall(FIRST, None),
        Fail(A),
        Fail(AGAIN),
        Succeed(A),
        Stopped(A),
    )
    scene.act("reset", Reset(FIRST, None), when=lambda read: _run(read) < 2)
    for kind in (FollowUp.RECALL, FollowUp.RESET, FollowUp.TELL):
        scene.handle(kind, FIRST)
    claims.of_ids(scene)
    creation.of_creation(scene, Cast(tasks=(FIRST, SECOND, THIRD)))
    claims.of_walks(scene)
    claims.of_timers(scene)
    m.sometimes("a second run", lambda read: _run(read) == 2)


def _run(read: Read) -> int:
    task = read((Kind.TASK, FIRST))
    return 0 if task is None else int(task.run)


def _linked(task: TaskId, read: Read) -> bool:
    """Links are numbered for ever; here up to two."""
    cell = read((Kind.TASK, task))
    return cell is None or bool(cell.links < 2)


def _flows(m: Model, step: Step) -> None:
    setup = (CreateScope(SCOPE), CreateTask(FIRST, SCOPE, EXECUTOR), StartInstance(ONE), StartInstance(OTHER))
    scene = Scene(m, step, setup)
    n, o = SignalName(1), SignalName(2)
    for version in (Version(0), Version(1), Version(2)):
        _acts(
            scene,
            SliceWaits(ONE, version, WaitKind.SIGNAL, name=n),
            SliceWaits(ONE, version, WaitKind.TASK, task=FIRST),
            SliceError(ONE, version),
        )
    _acts(
        scene,
        StartInstance(ONE),
        SliceWaits(OTHER, Version(0), WaitKind.TASK, task=FIRST),
        SliceWaits(ONE, Version(0), WaitKind.SIGNAL),
        SliceWaits(ONE, Version(0), WaitKind.TASK),
        SliceWaits(ONE, Version(0), WaitKind.CHILD),
        SliceWaits(ONE, Version(0), WaitKind.TIMER, name=n),
        SliceWaits(ONE, Version(0), WaitKind.HUMAN, task=FIRST),
        SliceWaits(ONE, Version(0), WaitKind.TIMER, child=OTHER),
        *(EarlySignal(ONE, SignalId(signal), name) for signal in (1, 2) for name in (n, o)),
        EarlySignal(ONE, SignalId(3), None),  # type: ignore[arg-type]
        *(Signal(ONE, SignalId(signal), WaitToken(token)) for signal in (1, 2) for token in (0, 1, 2)),
        Unavailable(ONE),
        Delete(FIRST),
    )
    claims.of_ids(scene)
    claims.of_walks(scene)
    claims.of_flows(scene, (ONE, OTHER), SETTINGS.kept_max)
    m.sometimes("one is kept", some([(Kind.INSTANCE, ONE)], lambda r, k, c: c.kept == 1))
    m.sometimes("a task is watched", lambda read: read((Kind.WATCH, FIRST)) is not None)


def _effects(m: Model, step: Step) -> None:
    tasks = [CreateTask(task, SCOPE, EXECUTOR, budget=1) for task in (FIRST, SECOND, THIRD)]
    starts = [Wake(SCOPE, PROCESS), Wake(SCOPE, PROCESS)]
    admits = [Admit(ref, 0, 0, 0, 0) for ref in (A, B)]
    scene = Scene(m, step, [CreateScope(SCOPE, max_concurrent=2), *tasks, *starts, *admits])
    call = (Kind.EFFECT, EffectKind.DISPATCH, A, 1)
    for key in ((), (Kind.EFFECT,), (Kind.TASK, THIRD), call):
        _acts(scene, Take(key), Ack(key))
    for ref in (A, B):
        _acts(scene, CommitCarrier(ref, 1))
        for nonce in (Nonce(1), Nonce(2)):
            _acts(scene, Deliver(ref, 1, Plan.BACKGROUND_SPAWN, TARGET, TARGET, nonce))
    scene.act("claim", Claim(TARGET), when=lambda read: _nonce(read) < 2)
    scene.act("take over", Takeover(TARGET, True, True, 0), when=lambda read: _nonce(read) < 2)
    for nonce in (Nonce(1), Nonce(2)):
        _acts(scene, *(kind(TARGET, nonce) for kind in (Conflict, ChildRecorded, Release, Unobserved)))
    _acts(scene, Park(ParkedId(70)), ResumeParked(ParkedId(70), UserId(1), True))
    claims.of_ids(scene)
    claims.of_effects(scene)
    claims.of_locks(scene)
    m.sometimes("a claim is handed over", some([(Kind.LOCK, TARGET)], lambda r, k, c: c.handed))


def _nonce(read: Read) -> int:
    lock = read((Kind.LOCK, TARGET))
    return 0 if lock is None else int(lock.nonce)


def _astray(m: Model, step: Step) -> None:
    """Cells as a fault of a store, or of another rule, would leave them: each guard stands on its own."""
    scene = Scene(m, step, (CreateScope(SCOPE, max_concurrent=2), *_three_tasks()))
    for state in (ScopeState.INIT, ScopeState.ATTACHED):
        _stray(m, f"the scope is {state}", SCOPE_KEY, state=state)
    _stray(m, "the first is not due", (Kind.TASK, FIRST), due=False)
    _stray(m, "the first is unmet", (Kind.TASK, FIRST), unmet=1)
    reset = {(Kind.FOLLOW, FollowUp.RESET, SECOND): Follow(0, None, None)}
    for status in (TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED):
        _stray(
            m, f"the second is {status}, with a body", (Kind.TASK, SECOND), reset, status=status, alive=True
        )
    _stray(m, "the third has run", (Kind.TASK, THIRD), number=1)
    for left in (CarrierState.IDLE, CarrierState.VOID):
        old = {(Kind.GROUP, A, 1): Group(left, 0)}
        _stray(m, f"an old dispatch is {left}", (Kind.ATTEMPT, A), old, spawn=2)
    _acts(scene, Wake(SCOPE, PROCESS), Wake(SCOPE, None), Dispose(SCOPE))  # type: ignore[arg-type]
    _acts(scene, Depend(THIRD, FIRST), CommitCarrier(A, 1), Outcome(A, 1, OutcomeSignal.DROP, 0, 0, 0, 0))
    scene.handle(FollowUp.RESET, SECOND)
    claims.of_starts(scene)
    claims.of_links(scene)
    claims.of_dispatches(scene)
    m.sometimes("a body runs", some([(Kind.ATTEMPT, A)], lambda read, key, cell: True))


def _three_tasks() -> Iterable[CreateTask]:
    return (CreateTask(task, SCOPE, EXECUTOR, dependencies=task == THIRD) for task in (FIRST, SECOND, THIRD))


def _stray(m: Model, name: str, key: Key, more: Mapping[Key, Any] | None = None, **fields: Any) -> None:
    """A cell that changes by itself; one goes astray in a run."""
    came = ("astray",)

    def run(read: Read) -> Mapping[Any, Any] | None:
        cell: Any = read(key)
        if cell is None or read(came) is not None:
            return None
        return {key: cell._replace(**fields), came: name, **(more or {})}

    m.action(name, run)


WORLDS: Mapping[str, Callable[[Model, Step], None]] = {
    "requests": _requests,
    "tasks": _tasks,
    "walks": _walks,
    "flows": _flows,
    "effects": _effects,
    "astray": _astray,
}
