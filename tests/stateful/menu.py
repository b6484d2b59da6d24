"""What could be given next: for each class of inputs, those that say something about this world.

Each list holds what can move the world on, beside what is late, doubled, foreign or about nothing.
"""

from collections.abc import Callable
from typing import Any

from dhruva import inputs as i
from dhruva.cells import EffectKind, FollowUp, Kind
from dhruva.decide.admission import OutcomeSignal
from dhruva.decide.plan import Plan
from dhruva.ids import (
    ExecutorId,
    InstanceId,
    Nonce,
    OwnerId,
    ParkedId,
    Priority,
    ProcessId,
    Ref,
    RequestId,
    ScopeId,
    SignalId,
    SignalName,
    TargetId,
    TaskId,
    UserId,
    Version,
    WaitToken,
)
from dhruva.machines.attempt import AbortReason
from dhruva.machines.instance import WaitKind
from dhruva.machines.release import ReleaseEvent
from dhruva.machines.resources import HandlerEvent, StreamEvent, WorkerEvent
from tests.stateful.world import Cells

SCOPES = tuple(ScopeId(n) for n in (1, 2, 3))
TASKS = tuple(TaskId(OwnerId(n)) for n in (20, 21, 22, 23, 24))
REQUESTS = tuple(RequestId(OwnerId(n)) for n in (40, 41, 42, 43))
INSTANCES = tuple(InstanceId(n) for n in (60, 61, 62, 63))
TARGETS = tuple(TargetId(n) for n in (70, 71))
EXECUTORS = tuple(ExecutorId(n) for n in (5, 6))
PROCESS = ProcessId(9)
USERS = (UserId(1), UserId(2), None)
NAMES = (SignalName(30), SignalName(31))
NOBODY = TaskId(OwnerId(99))
PRESSURES = ((0, 0, 0), (900, 900, 900), (1000, 1000, 1000))


def of_kind(cells: Cells, *kinds: Kind) -> list[Any]:
    """The keys of these kinds, in the order in which they came to be."""
    return [key for key in cells if key[0] in kinds]


def refs(cells: Cells) -> list[Ref]:
    """Refs that live, the ones before and after them, and one of nobody."""
    live = [key[1] for key in of_kind(cells, Kind.ATTEMPT)]
    spent = [Ref(key[1], cells[key].run, cells[key].number) for key in of_kind(cells, Kind.TASK)]
    beside = [ref._replace(number=ref.number + by) for ref in live[:2] for by in (-1, 1)]
    return [*live, *live, *spent, *beside, Ref(NOBODY, 1, 1), Ref(REQUESTS[0], 1, 1)]


def scopes(_cells: Cells) -> list[Any]:
    found: list[Any] = [i.SetCap(1)]
    for scope in (*SCOPES, ScopeId(8)):
        found += [i.Mount(scope), i.Suspend(scope), i.Resume(scope), i.Resume(scope)]
    return found


def disposals(_cells: Cells) -> list[Any]:
    return [i.Dispose(scope) for scope in (*SCOPES, ScopeId(8))]


def wakes(cells: Cells) -> list[Any]:
    pending = [key[2] for key in of_kind(cells, Kind.FOLLOW) if key[1] == FollowUp.WAKE]
    found: list[Any] = [i.Wake(scope, PROCESS) for scope in (*pending, *pending, *pending, *SCOPES)]
    found += [i.Wake(scope, PROCESS, executor=False) for scope in pending or SCOPES]
    return found


def requests(cells: Cells) -> list[Any]:
    found: list[Any] = []
    for at, request in enumerate(REQUESTS):
        for scope in (*SCOPES, ScopeId(8)):
            priority = list(Priority)[(at + scope) % 4]
            found.append(i.Ask(request, scope, PROCESS, priority, late=scope == 8))
    for key in of_kind(cells, Kind.REQUEST) or [(Kind.REQUEST, REQUESTS[0])]:
        found += [i.Withdraw(key[1]), i.WaitExpired(key[1])]
    return found


def creations(_cells: Cells) -> list[Any]:
    found: list[Any] = []
    for at, task in enumerate(TASKS):
        for scope in (*SCOPES, ScopeId(8)):
            parent = TASKS[at - 1] if at % 2 else None
            found.append(
                i.CreateTask(
                    task,
                    scope,
                    EXECUTORS[at % 2],
                    list(Priority)[(at * 3 + scope) % 4],
                    parent,
                    dependencies=(at + scope) % 3,
                    max_attempts=1 + at % 3,
                    retry_on_timeout=at % 2 == 0,
                    budget=2,
                    max_depth=1,
                )
            )
    return found


def dependencies(cells: Cells) -> list[Any]:
    found: list[Any] = [i.Depend(TASKS[0], TASKS[0]), i.Depend(TASKS[1], NOBODY)]
    for at, task in enumerate(TASKS):
        for on in TASKS[:at]:
            found += [i.Depend(task, on), i.Depend(task, on, required=False)]
    for key in of_kind(cells, Kind.LINK):
        found.append(i.Unlink(cells[key].dependent, key[1], key[2]))
    return found


def tasks(cells: Cells) -> list[Any]:
    found: list[Any] = [i.Delete(task) for task in TASKS] + [i.Cancel(task) for task in (*TASKS, NOBODY)]
    for key in of_kind(cells, Kind.TASK):
        task = cells[key]
        found += [i.Due(key[1], task.run, task.tries), i.Due(key[1], task.run, max(0, task.tries - 1))]
    return found + [i.Register(executor) for executor in EXECUTORS]


def walks(cells: Cells) -> list[Any]:
    """Re-execution: a task and one dependent of it, in the order of LIF-10."""
    found: list[Any] = []
    for key in of_kind(cells, Kind.TASK):
        task, recall = key[1], (Kind.FOLLOW, FollowUp.RECALL, key[1])
        found += [i.Recall(task, None), i.Reset(task, recall), i.Reset(task, recall)]
    return found


def ends(cells: Cells) -> list[Any]:
    found: list[Any] = []
    for ref in refs(cells):
        found += [i.Succeed(ref), i.Fail(ref), i.Fail(ref, retry_safe=False), i.Stopped(ref)]
        found += [i.OwnerGone(ref), i.Abandon(ref, USERS[0], True), i.Abandon(ref, None, True)]
    return found


def aborts(cells: Cells) -> list[Any]:
    return [i.Abort(ref, reason) for ref in refs(cells) for reason in AbortReason]


def resources(cells: Cells) -> list[Any]:
    found: list[Any] = []
    for ref in refs(cells):
        found += [i.AddWorker(ref), i.AddHandler(ref), i.AddStream(ref)]
    return found


def observations(cells: Cells) -> list[Any]:
    found: list[Any] = [i.ResourceEvent(Ref(NOBODY, 1, 1), 1, WorkerEvent.EXITED)]
    for key in of_kind(cells, Kind.RESOURCE):
        for events in (WorkerEvent, HandlerEvent, StreamEvent):
            found += [i.ResourceEvent(key[1], key[2], event) for event in events]
    return found


def dispatches(cells: Cells) -> list[Any]:
    found: list[Any] = []
    for ref in refs(cells):
        found += [i.Admit(ref, cost, *pressure) for pressure in PRESSURES for cost in (0, 2000)]
    return found


def carriers(cells: Cells) -> list[Any]:
    found: list[Any] = [i.CommitCarrier(Ref(NOBODY, 1, 1), 1)]
    for key in of_kind(cells, Kind.GROUP):
        found += [i.CommitCarrier(key[1], key[2]), i.CommitCarrier(key[1], key[2] + 1)]
        found += [
            i.Outcome(key[1], key[2], signal, 1000, *p) for signal in OutcomeSignal for p in PRESSURES[:2]
        ]
    for key in of_kind(cells, Kind.COOPERATIVE):
        found += [i.WithdrawCooperative(key[1], key[2], key[3])] * 3
    return found


def effects(cells: Cells) -> list[Any]:
    keys = of_kind(cells, Kind.EFFECT)
    keys += [key for key in keys if key[1] == EffectKind.DISPATCH] * 5
    keys += [(Kind.EFFECT, EffectKind.DISPATCH, Ref(NOBODY, 1, 1), 1), (Kind.EFFECT,), (Kind.CAP,)]
    found: list[Any] = []
    for key in keys:
        found += [i.Take(key), i.Take(key), i.Ack(key), i.EffectFailed(key), i.Lost(key)]
        found += [i.Resolve(key, done, actor, True) for done in (True, False) for actor in USERS[1:]]
    return found


def locks(cells: Cells) -> list[Any]:
    found: list[Any] = []
    for target in (*TARGETS, TargetId(79)):
        lock = cells.get((Kind.LOCK, target))
        nonce = Nonce(0) if lock is None else lock.nonce
        found += [i.Claim(target)] * 3
        for given in (nonce, Nonce(nonce - 1), Nonce(nonce + 1)):
            found += [i.Conflict(target, given), i.ChildRecorded(target, given)]
            found += [i.Release(target, given), i.Unobserved(target, given)]
        found += [i.Takeover(target, True, True, alive) for alive in (0, 1)]
        found += [i.Takeover(target, False, True, 0), i.Takeover(target, True, False, 0)]
        found += [i.ForceRelease(target, actor, True) for actor in USERS[1:]]
    return found


def deliveries(cells: Cells) -> list[Any]:
    found: list[Any] = [i.Observe(Ref(NOBODY, 1, 1), 1, ReleaseEvent.SEND_FINAL)]
    for key in of_kind(cells, Kind.GROUP):
        found.append(i.Deliver(key[1], key[2], Plan.MAILBOX, TARGETS[0], None, None))
        for target in TARGETS:
            lock = cells.get((Kind.LOCK, target))
            nonce = Nonce(1) if lock is None else lock.nonce
            found += [i.Deliver(key[1], key[2], plan, target, target, nonce) for plan in Plan]
            found.append(i.Deliver(key[1], key[2], Plan.CONTROL_SOCKET, target, target, Nonce(nonce + 1)))
    for key in of_kind(cells, Kind.DELIVERY):
        found += [i.Observe(key[1], key[2], event) for event in ReleaseEvent]
    return found


def instances(cells: Cells) -> list[Any]:
    found: list[Any] = [i.StartInstance(instance) for instance in INSTANCES[:2]]
    for instance in (*INSTANCES, InstanceId(69)):
        cell = cells.get((Kind.INSTANCE, instance))
        at = Version(0) if cell is None else cell.version
        for version in (at, Version(at - 1)):
            found += [i.SliceCompleted(instance, version), i.SliceFailed(instance, version)]
            found += [i.SliceError(instance, version)]
        found += [i.Unavailable(instance)]
        for actor in USERS[1:]:
            found += [i.RetryInstance(instance, actor), i.CancelInstance(instance, actor)]
    return found


def waits(cells: Cells) -> list[Any]:
    found: list[Any] = []
    for key in of_kind(cells, Kind.INSTANCE):
        instance, version = key[1], cells[key].version
        found += [i.SliceWaits(instance, version, kind) for kind in WaitKind]
        found += [i.SliceWaits(instance, version, WaitKind.SIGNAL, name) for name in NAMES]
        found += [i.SliceWaits(instance, version, WaitKind.TASK, task=task) for task in TASKS[:3]]
        found += [i.SliceWaits(instance, version, WaitKind.CHILD, child=child) for child in INSTANCES]
        found += [i.SliceWaits(instance, Version(version - 1), WaitKind.TIMER)]
    return found


def signals(cells: Cells) -> list[Any]:
    found: list[Any] = [i.Signal(InstanceId(69), SignalId(1), WaitToken(1))]
    for key in of_kind(cells, Kind.INSTANCE):
        instance, cell = key[1], cells[key]
        for signal in (SignalId(1), SignalId(2), SignalId(100 + cell.token)):
            for name in (None, cell.name):
                found += [i.Signal(instance, signal, cell.token, name)] * 2
                found += [i.Signal(instance, signal, WaitToken(cell.token - 1), name)]
            found.append(i.Signal(instance, signal, cell.token, expected=Version(cell.version - 1)))
            found += [i.EarlySignal(instance, signal, name) for name in NAMES]
    return found


def humans(cells: Cells) -> list[Any]:
    found: list[Any] = []
    for instance in (*(key[1] for key in of_kind(cells, Kind.HUMAN)), INSTANCES[0]):
        found += [i.ReleaseHuman(instance)]
        for user in (UserId(1), UserId(2)):
            found += [i.AssignHuman(instance, user), i.ReassignHuman(instance, user)]
            found += [i.CompleteHuman(instance, user), i.CompleteHuman(instance, user)]
    return found


def follow_ups(cells: Cells) -> list[Any]:
    found: list[Any] = [i.Handle(key) for key in of_kind(cells, Kind.FOLLOW)]
    return found or [i.Handle((Kind.FOLLOW, FollowUp.TELL, NOBODY)), i.Handle((Kind.FOLLOW,)), i.Handle(())]


def parked(_cells: Cells) -> list[Any]:
    found: list[Any] = [i.Park(ParkedId(1))]
    for actor in USERS[1:]:
        found += [i.ResumeParked(ParkedId(1), actor, True), i.DiscardParked(ParkedId(1), actor, True)]
    return found


Class = Callable[[Cells], list[Any]]

ACTIVATION: tuple[Class, ...] = (
    scopes, disposals, wakes, wakes, wakes, requests, requests, ends, ends, aborts, resources, observations,
    follow_ups, follow_ups, follow_ups,
)  # fmt: skip
LIFECYCLE: tuple[Class, ...] = (
    scopes, wakes, wakes, wakes, creations, dependencies, tasks, walks, ends, ends, aborts, follow_ups,
    follow_ups,
    follow_ups, follow_ups,
)  # fmt: skip
DISPATCH: tuple[Class, ...] = (
    wakes, wakes, dispatches, dispatches, carriers, carriers, carriers, carriers, effects, effects, effects,
    locks, locks, deliveries, deliveries, ends, follow_ups, follow_ups,
)  # fmt: skip
FLOWS: tuple[Class, ...] = (
    instances, waits, waits, waits, signals, signals, humans, wakes, tasks, ends, effects, follow_ups,
    follow_ups,
    follow_ups,
)  # fmt: skip
ALL: tuple[Class, ...] = (*ACTIVATION, *LIFECYCLE, *DISPATCH, *FLOWS, parked)
THEMES: dict[str, tuple[Class, ...]] = {
    "activation": ACTIVATION,
    "lifecycle": LIFECYCLE,
    "dispatch": DISPATCH,
    "flows": FLOWS,
    "all": ALL,
}
"""What a walk is about. Classes that move a world on stand in a theme more than once."""


def pick(cells: Cells, theme: str, number: int) -> Any:
    """The input that a number stands for, in this world."""
    classes = THEMES[theme]
    found = classes[number % len(classes)](cells) or follow_ups(cells)
    return found[number // len(classes) % len(found)]
