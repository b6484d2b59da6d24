"""Tasks: a required and an optional dependency, priorities, cancel races, retry, re-execution, delete.

The first task is needed by the second (urgent) and waited for by the third (low, optional). Bodies succeed,
fail, time out, are shut down, abandoned, or lose their owner; cancel comes at any time; ends come late and
twice. A failed try is repeated after its timer. A re-execution of the first task resets its ended dependents
too, as one transaction of Recall and Reset inputs whose walk interleaves with everything. Executors may be
missing.

Left out: suspend, dispose and one-off requests (models/scope_gate.py, models/kernel.py). One slot: a task
looks at the counter, not at its neighbours. Attempts run out with the scope's spawns, runs with the number of
re-executions. Two dependents show all that telling and recalling do, since both walk links one by one; a
chain of three adds nothing to a rule that sees one link at a time. Re-execution goes by the settings that we
ship; models/reexecution.py has the opposite ones.
"""

from typing import Any
from uuid import UUID

from dhruva.cells import FollowUp, Kind
from dhruva.explore import Model, Read
from dhruva.ids import ExecutorId, Priority, ProcessId, Ref, ScopeId, TaskId, TaskStatus, UserId
from dhruva.inputs import (
    Abandon,
    Abort,
    Cancel,
    CreateScope,
    CreateTask,
    Delete,
    Depend,
    Due,
    Fail,
    OwnerGone,
    Register,
    Stopped,
    Succeed,
    Unlink,
    Wake,
)
from dhruva.machines.attempt import AbortReason
from dhruva.requests import Known, Refusal, around, reexecute
from dhruva.step import Step
from dhruva.step import step as shipped
from models import claims
from models.world import Scene, task_id

SCOPE, PROCESS, EXECUTOR = ScopeId(1), ProcessId(9), ExecutorId(5)
REGISTERED = ("registered", EXECUTOR)
FIRST, SECOND, THIRD, NOBODY = (task_id(n) for n in (20, 21, 22, 98))


def model(
    tasks: int = 3,
    attempts: int = 2,
    spawns: int = 2,
    runs: int = 2,
    timeout_retries: int = 0,
    executors: int = 0,
    mounted: int = 1,
    late: int = 0,
    completed: int = 1,
    cancelled: int = 0,
    live: int = 0,
    step: Step = shipped,
) -> Model:
    """`executors` 0: every process has the executor. `tasks` 2: without the optional dependent.

    `late` 1: the last task is created while others run, as a child of the first, and linked to it.
    `mounted` 0: the tasks are created in a scope that is not mounted yet, or never, and may be disposed.
    `live` 1: claims about what happens in the end are made too.
    `completed` and `cancelled` say from which statuses the settings of `step` let a task be re-executed.
    """
    m = Model(
        "task lifecycle",
        tasks=tasks,
        attempts=attempts,
        spawns=spawns,
        runs=runs,
        timeout_retries=timeout_retries,
        executors=executors,
        mounted=mounted,
        late=late,
        completed=completed,
        cancelled=cancelled,
        live=live,
    )
    cast = claims.Cast((SCOPE,), (FIRST, SECOND, THIRD)[:tasks], numbers=spawns, runs=runs)
    setup = _setup(tasks - late, attempts, spawns, timeout_retries > 0, mounted > 0)
    scene = Scene(m, step, setup, claims.records)
    if late:
        _create(scene, task_id(cast.tasks[-1]))
    scene.act("wake", Wake(SCOPE, PROCESS))
    if not mounted:
        claims.opens(scene, SCOPE, mounted=False, suspends=False)
        scene.handle(FollowUp.ABORT_EACH, SCOPE)
        scene.handle(FollowUp.REJECT_QUEUED, SCOPE)
    if executors:
        scene.act("wake without executor", Wake(SCOPE, PROCESS, executor=False), when=_is_missing)
        scene.act("register", Register(EXECUTOR), ghosts=lambda read, change: {REGISTERED: True})
        scene.handle(FollowUp.RETURN, EXECUTOR)
    for task in cast.tasks:
        _task(scene, task_id(task), attempts, runs)
    for ref in cast.refs:
        _ends(scene, ref)
    if runs > 1:
        _reexecute(scene, FIRST, runs)
        _reexecute(scene, SECOND, runs)
    scene.batch(
        "delete(21)", claims.Remove(SECOND), _deletion, when=lambda r: r((Kind.TASK, SECOND)) is not None
    )
    scene.act("delete(20)", Delete(FIRST))
    scene.act("delete(21) as it is", Delete(SECOND))
    scene.act("unlink a stranger", Unlink(THIRD, FIRST, 1))
    scene.act("unlink nothing", Unlink(SECOND, FIRST, 9))
    claims.of_scopes(m, cast)
    claims.of_lanes(m, cast)
    claims.of_tasks(m, cast)
    claims.of_dependencies(m, cast)
    claims.of_cancel(scene)
    claims.of_records(scene, cast)
    claims.of_ends(scene, cast)
    claims.of_outcomes(scene)
    claims.of_reexecution(scene, cast)
    claims.of_creation(scene, cast)
    claims.of_delete(scene)
    claims.of_starts(scene)
    if not mounted:
        claims.of_dispose(m, cast)
        claims.of_gate(scene, cast)
    _witness(m)
    if live:
        timers = (("due(*)",) if attempts > 1 else ()) + (("register",) if executors else ())
        claims.of_follow_ups(scene, "handle *")
        claims.of_cancelled(scene, cast, "stopped(*)")
        claims.of_accepted(scene, cast, "handle *", "wake", "succeed(*)", *timers)
    m.allow_deadlock("spawns run out, and what is blocked stays pending (LIF-5)")
    return m


def _create(scene: Scene, task: TaskId) -> None:
    """An id that was deleted is not handed out again."""
    made = ("made", task)
    new = CreateTask(task, SCOPE, EXECUTOR, Priority.URGENT, parent=FIRST, dependencies=1)
    scene.act(
        f"create({task})",
        new,
        when=lambda read: read((Kind.TASK, task)) is not None or read(made) is None,
        ghosts=lambda read, change: {made: True},
    )
    scene.act(f"link({task})", Depend(task, FIRST, required=task == SECOND))
    for name, wrong in {
        "never tried": new._replace(max_attempts=0),
        "less than nothing": new._replace(dependencies=-1),
        "nowhere": new._replace(scope=ScopeId(99)),
        "below itself": new._replace(parent=task),
        "below nobody": new._replace(parent=NOBODY),
    }.items():
        scene.act(f"create({task}) {name}", wrong)
    for this, on in ((task, task), (task, NOBODY), (NOBODY, FIRST)):
        scene.act(f"link({this}) to {on}", Depend(this, on))


def _is_missing(read: Read) -> bool:
    """Processes of one scope register the same executors (LIF-3): once one has it, all have."""
    return read(REGISTERED) is None


def _setup(tasks: int, attempts: int, spawns: int, timeout_retries: bool, mounted: bool) -> list[Any]:
    created = [
        CreateTask(FIRST, SCOPE, EXECUTOR, max_attempts=attempts, retry_on_timeout=timeout_retries),
        CreateTask(SECOND, SCOPE, EXECUTOR, Priority.URGENT, dependencies=1),
        CreateTask(THIRD, SCOPE, EXECUTOR, Priority.LOW, dependencies=1),
    ]
    links = [Depend(SECOND, FIRST), Depend(THIRD, FIRST, required=False)]
    return [CreateScope(SCOPE, mounted, 1, spawns), *created[:tasks], *links[: tasks - 1]]


def _task(scene: Scene, task: TaskId, attempts: int, runs: int) -> None:
    scene.act(f"cancel({task})", Cancel(task))
    scene.handle(FollowUp.TELL, task)
    scene.handle(FollowUp.READY, task)
    if runs > 1:
        scene.handle(FollowUp.RECALL, task)
        scene.handle(FollowUp.RESET, task)
    if task == FIRST:
        for run in range(1, runs + 1):
            for tries in range(1, attempts):
                scene.act(f"due({task}, {run}, {tries})", Due(task, run, tries))


def _ends(scene: Scene, ref: Ref) -> None:
    name = f"{ref.owner}.{ref.run}.{ref.number}"
    scene.act(f"succeed({name})", Succeed(ref))
    scene.act(f"fail({name})", Fail(ref))
    scene.act(f"stopped({name})", Stopped(ref))
    if ref.owner == FIRST:
        scene.act(f"fail unsafely({name})", Fail(ref, retry_safe=False))
        scene.act(f"owner gone({name})", OwnerGone(ref))
        scene.act(f"timeout({name})", Abort(ref, AbortReason.TIMEOUT))
        scene.act(f"shutdown({name})", Abort(ref, AbortReason.SHUTDOWN))
        scene.act(f"abort as a caller({name})", Abort(ref, AbortReason.USER))
        scene.act(f"abandon({name})", Abandon(ref, UserId(1), True))
        scene.act(f"abandon({name}, nobody)", Abandon(ref, None, True))


def _reexecute(scene: Scene, task: TaskId, runs: int) -> None:
    """One call, with the inputs that `requests` makes of it; runs run out."""
    completed, cancelled = scene.m.bounds["completed"] != 0, scene.m.bounds["cancelled"] != 0

    def plan(read: Read) -> tuple[Any, ...]:
        known = Known(task, TaskStatus.PENDING)
        answer = reexecute(UUID(int=task), lambda id_: known, around(read, completed, cancelled))
        return () if isinstance(answer, Refusal) else answer.inputs

    def room(read: Read) -> bool:
        cells = [read((Kind.TASK, given.task)) for given in plan(read)]
        return all(cell is not None and cell.run < runs for cell in cells)

    scene.batch(f"re-execute({task})", claims.Reexecute(task), plan, when=room)


def _deletion(read: Read) -> list[Any]:
    unlink = [Unlink(SECOND, FIRST, 1)] if read((Kind.LINK, FIRST, 1)) is not None else []
    return [*unlink, Delete(SECOND)]


def _witness(m: Model) -> None:
    if m.bounds["runs"] != 1:
        m.sometimes("a second run", lambda read: (c := read((Kind.TASK, FIRST))) is not None and c.run > 1)
    if m.bounds["attempts"] != 1 and m.bounds["spawns"] != 1:
        m.sometimes("a second try", lambda read: (c := read((Kind.TASK, FIRST))) is not None and c.tries > 1)
