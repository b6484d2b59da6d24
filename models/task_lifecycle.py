"""Tasks: a required and an optional dependency, priorities, cancel races, retry, re-execution, delete.

The first task is needed by the second (urgent) and waited for by the third (low, optional). Bodies succeed,
fail, time out, are shut down, abandoned, or lose their owner; cancel comes at any time; ends come late and
twice. A failed try is repeated after its timer. A re-execution of the first task resets its ended dependents
too, as one transaction of Recall and Reset inputs whose walk interleaves with everything. Executors may be
missing.

Left out: suspend, dispose and one-off requests (models/scope_gate.py, models/kernel.py). One slot: a task
looks at the counter, not at its neighbours. Attempts run out with the scope's spawns, runs with the number of
re-executions. Two dependents show all that telling and recalling do, since both walk links one by one; a
chain of three adds nothing to a rule that sees one link at a time. Cancelled tasks may be re-executed here (a
setting): more can happen.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from dhruva.cells import FollowUp, Kind
from dhruva.explore import Model, Read, for_each
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
from dhruva.step import Step, kernel
from dhruva.walk import Settings
from models import claims
from models.claims import ALIVE, ENDED, each
from models.world import Scene, follow_up, task_id

SCOPE, PROCESS, EXECUTOR = ScopeId(1), ProcessId(9), ExecutorId(5)
FIRST, SECOND, THIRD = task_id(20), task_id(21), task_id(22)
reopening = kernel(settings=Settings(reexecute_cancelled=True))


def model(
    tasks: int = 3,
    attempts: int = 2,
    spawns: int = 2,
    runs: int = 2,
    timeout_retries: int = 0,
    executors: int = 0,
    step: Step = reopening,
) -> Model:
    """`executors` 0: every process has the executor. `tasks` 2: without the optional dependent."""
    m = Model(
        "task lifecycle",
        tasks=tasks,
        attempts=attempts,
        spawns=spawns,
        runs=runs,
        timeout_retries=timeout_retries,
        executors=executors,
    )
    cast = claims.Cast((SCOPE,), (FIRST, SECOND, THIRD)[:tasks], numbers=spawns, runs=runs)
    scene = Scene(m, step, _setup(tasks, attempts, spawns, timeout_retries > 0))
    scene.act("wake", Wake(SCOPE, PROCESS))
    if executors:
        scene.act("wake without executor", Wake(SCOPE, PROCESS, executor=False))
        scene.act("register", Register(EXECUTOR))
        scene.handle(FollowUp.RETURN, EXECUTOR)
    for task in cast.tasks:
        _task(scene, task_id(task), attempts, runs)
    for ref in cast.refs:
        _ends(scene, ref)
    if runs > 1:
        _reexecute(scene, FIRST, runs)
        _reexecute(scene, SECOND, runs)
    scene.batch(
        "delete(21)", lambda read: _deletion(), when=lambda read: read((Kind.TASK, SECOND)) is not None
    )
    claims.of_scopes(m, cast)
    claims.of_lanes(m, cast)
    claims.of_tasks(m, cast)
    of_dependencies(m, cast)
    _claim_ends(scene, cast)
    m.allow_deadlock("spawns run out, and what is blocked stays pending (LIF-5)")
    return m


def _setup(tasks: int, attempts: int, spawns: int, timeout_retries: bool) -> list[Any]:
    created = [
        CreateTask(FIRST, SCOPE, EXECUTOR, max_attempts=attempts, retry_on_timeout=timeout_retries),
        CreateTask(SECOND, SCOPE, EXECUTOR, Priority.URGENT, dependencies=1),
        CreateTask(THIRD, SCOPE, EXECUTOR, Priority.LOW, dependencies=1),
    ]
    links = [Depend(SECOND, FIRST), Depend(THIRD, FIRST, required=False)]
    return [CreateScope(SCOPE, max_concurrent=1, max_spawns=spawns), *created[:tasks], *links[: tasks - 1]]


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
        scene.act(f"abandon({name})", Abandon(ref, UserId(1), True))


def _reexecute(scene: Scene, task: TaskId, runs: int) -> None:
    """One call, with the inputs that `requests` makes of it; runs run out."""

    def plan(read: Read) -> tuple[Any, ...]:
        known = Known(task, TaskStatus.PENDING)
        answer = reexecute(UUID(int=task), lambda id_: known, around(read, cancelled=True))
        return () if isinstance(answer, Refusal) else answer.inputs

    def room(read: Read) -> bool:
        cells = [read((Kind.TASK, given.task)) for given in plan(read)]
        return all(cell is not None and cell.run < runs for cell in cells)

    scene.batch(f"re-execute({task})", plan, when=room)


def _deletion() -> list[Any]:
    return [Unlink(SECOND, FIRST, 1), Delete(SECOND)]


# Dependencies (LIF-3 to LIF-6, LIF-10, LIF-19)


def of_dependencies(m: Model, cast: claims.Cast) -> None:
    tasks = tuple((Kind.TASK, t) for t in cast.tasks)
    m.always(
        "unmet counts what is missing",
        each(tasks, lambda read, key, task: task.unmet == _missing(read, cast, key[1])),
        "unmet is the number of dependencies not satisfied or not yet told of",
        cites="LIF-4a LIF-4b LIF-4c",
    )
    m.always(
        "met means satisfied",
        for_each(
            cast.tasks, lambda read, t: all(_is_met(read, on, link) for on, link in _links(read, cast, t))
        ),
        "a dependent counts a dependency only while it is completed (optional: ended) and no body of it runs",
        cites="LIF-4a LIF-4b LIF-4d LIF-8d LIF-10c LIF-19c",
    )
    m.always(
        "no telling is lost",
        for_each(cast.tasks, lambda read, t: all(_told(read, *one) for one in _numbered(read, cast, t))),
        "a satisfied dependency that a dependent does not count yet is about to be told, or being reset",
        cites="LIF-6c LIF-19c SHL-3d",
    )
    m.always(
        "who can start waits",
        each(
            tasks,
            lambda r, key, task: not _could_start(r, key[1], task) or r((Kind.WAITER, key[1])) is not None,
        ),
        "an accepted task that nothing keeps from starting stands in a lane, or waits for its executor",
        cites="LIF-3g LIF-6a ACT-12c",
    )
    m.always(
        "who waits could start",
        each(tasks, lambda r, key, task: r((Kind.WAITER, key[1])) is None or _could_start(r, key[1], task)),
        "only pending tasks with nothing unmet and no timer running wait for a slot",
        cites="LIF-3a LIF-3b LIF-6d",
    )
    m.always_step(
        "started on satisfied dependencies",
        lambda before, after, action, change: all(
            _is_met(before, on, link, reset=True)
            for ref, _ in claims.begun(before, change)
            for on, link in _links(before, cast, ref.owner)
        ),
        "when a task starts, each dependency is satisfied, none has a body, and its tree is not half reset",
        cites="LIF-3a LIF-4d LIF-10e",
    )
    m.sometimes(
        "a dependent starts", lambda r: any(r((Kind.ATTEMPT, ref)) for ref in cast.refs_of(cast.tasks[1]))
    )


def _links(read: Read, cast: claims.Cast, task: int) -> Iterator[tuple[int, Any]]:
    """The links by which a task depends on others."""
    for on, _, link in _numbered(read, cast, task):
        yield on, link


def _numbered(read: Read, cast: claims.Cast, task: int) -> Iterator[tuple[int, int, Any]]:
    for on in cast.tasks:
        cell = read((Kind.TASK, on))
        for n in range(cell.links if cell is not None else 0):
            link = read((Kind.LINK, on, n + 1))
            if link is not None and link.dependent == task:
                yield on, n + 1, link


def _missing(read: Read, cast: claims.Cast, task: int) -> int:
    links = [link for _, link in _links(read, cast, task)]
    return sum(1 for link in links if not link.met) + int(read((Kind.SPEC, task)).dependencies) - len(links)


def _satisfies(task: Any, required: bool) -> bool:
    return not task.alive and task.status in (("completed",) if required else ENDED)


def _is_met(read: Read, on: int, link: Any, reset: bool = False) -> bool:
    """A met link is of a satisfied dependency; `reset`: and of none that all know to be reset."""
    task = read((Kind.TASK, on))
    if not link.met:
        return not reset
    recalled = read(follow_up(FollowUp.RECALL, on)) is None
    half_reset = reset and recalled and read(follow_up(FollowUp.RESET, on)) is not None
    return task is not None and _satisfies(task, link.required) and not half_reset


def _told(read: Read, on: int, number: int, link: Any) -> bool:
    task = read((Kind.TASK, on))
    if link.met or task is None or not _satisfies(task, link.required):
        return True
    tell = read(follow_up(FollowUp.TELL, on))
    resetting = read(follow_up(FollowUp.RESET, on)) is not None
    return resetting or (tell is not None and tell.cursor <= number)


def _could_start(read: Read, t: int, task: Any) -> bool:
    scope = read((Kind.SCOPE, read((Kind.SPEC, t)).scope))
    draining = read(follow_up(FollowUp.REJECT_QUEUED, read((Kind.SPEC, t)).scope)) is not None
    open_ = scope.state in ALIVE or (draining and read((Kind.WAITER, t)) is not None)
    return task.status == "pending" and task.unmet == 0 and task.due and open_


def _ready_soon(read: Read, cast: claims.Cast) -> bool:
    return any(read(follow_up(FollowUp.READY, task)) is not None for task in cast.tasks)


# What an end does to the task (ACT-18)


def _claim_ends(scene: Scene, cast: claims.Cast) -> None:
    m = scene.m

    def ended(before: Read, after: Read, change: Any) -> Iterator[tuple[Any, Any, Any]]:
        """Attempts that end with a step while their task is in progress: attempt, task before, task after."""
        for key, cell in claims.written(change, Kind.ATTEMPT):
            owner = (Kind.TASK, key[1].owner)
            if cell is None and before(owner).status == "in_progress":
                yield before(key), before(owner), after(owner)

    m.always_step(
        "completed by success alone",
        lambda before, after, action, change: all(
            task.status != "completed" or (attempt.state == "running" and action.startswith("succeed"))
            for attempt, _, task in ended(before, after, change)
        ),
        "a task completes when its body succeeds and was not asked to stop; a later result is thrown away",
        cites="ACT-11f ACT-18a ACT-18j LIF-8c",
    )
    m.always_step(
        "a shutdown counts no try",
        lambda before, after, action, change: all(
            task.status == "pending" and task.tries == was.tries - 1 and _ready_soon(after, cast)
            for attempt, was, task in ended(before, after, change)
            if attempt.reason == "shutdown" and not action.startswith(("abandon", "fail unsafely"))
        ),
        "what a shutdown cut short is pending again in the same step, its try taken back, and soon ready",
        cites="ACT-18e",
    )
    m.always_step(
        "no retry after abandon or an unsafe failure",
        lambda before, after, action, change: all(
            task.status == "failed"
            for attempt, _, task in ended(before, after, change)
            if action.startswith("abandon") or (action.startswith("fail unsafely") and attempt.reason is None)
        ),
        "what was abandoned, or must not be repeated, is failed and stays so",
        cites="ACT-18g LIF-14g",
    )
    m.always_step(
        "a timeout is retried only if configured",
        lambda before, after, action, change: all(
            task.status == "failed" or scene.m.bounds["timeout_retries"] != 0
            for attempt, _, task in ended(before, after, change)
            if attempt.reason == "timeout"
        ),
        "after a timeout the task is failed, unless its policy repeats timeouts",
        cites="ACT-10e ACT-18d",
    )
    m.always_step(
        "a retry waits for its timer",
        lambda before, after, action, change: all(
            task.status != "pending" or not task.due for _, _, task in ended(before, after, change)
        ),
        "a task that is tried again is due only after its timer, or after a shutdown by its follow-up",
        cites="LIF-3b LIF-14e",
    )
    if m.bounds["runs"] != 1:
        m.sometimes("a second run", lambda read: (c := read((Kind.TASK, FIRST))) is not None and c.run > 1)
    if m.bounds["attempts"] != 1 and m.bounds["spawns"] != 1:
        m.sometimes("a second try", lambda read: (c := read((Kind.TASK, FIRST))) is not None and c.tries > 1)
