"""The composition: one scope, two tasks of which one needs the other, cancel, suspend, dispose, crash.

Follow-ups interleave with everything; ends of bodies come late, twice, or under a dead ref.
"""

from dhruva.cells import FollowUp
from dhruva.explore import Model
from dhruva.ids import ExecutorId, ProcessId, Ref, ScopeId, TaskId
from dhruva.inputs import (
    Abort,
    Cancel,
    CreateScope,
    CreateTask,
    Depend,
    Dispose,
    Due,
    Fail,
    Handle,
    OwnerGone,
    Resume,
    Stopped,
    Succeed,
    Suspend,
    Wake,
)
from dhruva.machines.attempt import AbortReason
from dhruva.step import Step
from dhruva.step import step as shipped
from models import claims
from models.world import act, follow_up, place, world

SCOPE = ScopeId(1)
PROCESS = ProcessId(9)
EXECUTOR = ExecutorId(5)
FIRST, SECOND = TaskId(ScopeId(20)), TaskId(ScopeId(21))  # type: ignore[arg-type]


def model(attempts: int = 2, limit: int = 1, spawns: int = 3, step: Step = shipped) -> Model:
    m = Model("kernel", attempts=attempts, limit=limit, spawns=spawns)
    cast = claims.Cast(scopes=(SCOPE,), tasks=(FIRST, SECOND), numbers=spawns)
    place(
        m,
        world(
            step,
            (
                CreateScope(SCOPE, max_concurrent=limit, max_spawns=spawns),
                CreateTask(FIRST, SCOPE, EXECUTOR, max_attempts=attempts),
                CreateTask(SECOND, SCOPE, EXECUTOR, dependencies=1),
                Depend(SECOND, FIRST),
            ),
        ),
    )
    act(m, step, "suspend", Suspend(SCOPE))
    act(m, step, "resume", Resume(SCOPE))
    act(m, step, "dispose", Dispose(SCOPE))
    act(m, step, "wake", Wake(SCOPE, PROCESS))
    act(m, step, "handle abort each", Handle(follow_up(FollowUp.ABORT_EACH, SCOPE)))
    act(m, step, "handle reject queued", Handle(follow_up(FollowUp.REJECT_QUEUED, SCOPE)))
    for task in cast.tasks:
        act(m, step, f"cancel({task})", Cancel(TaskId(task)))  # type: ignore[arg-type]
        act(m, step, f"handle tell({task})", Handle(follow_up(FollowUp.TELL, task)))
        for tries in range(attempts):
            act(m, step, f"due({task}, {tries})", Due(TaskId(task), 1, tries))  # type: ignore[arg-type]
    for ref in cast.refs:
        _ends(m, step, ref)
    claims.of_scopes(m, cast)
    claims.of_lanes(m, cast)
    claims.of_tasks(m, cast)
    return m


def _ends(m: Model, step: Step, ref: Ref) -> None:
    name = f"{ref.owner}.{ref.number}"
    act(m, step, f"succeed({name})", Succeed(ref))
    act(m, step, f"fail({name})", Fail(ref))
    act(m, step, f"stopped({name})", Stopped(ref))
    act(m, step, f"owner gone({name})", OwnerGone(ref))
    act(m, step, f"timeout({name})", Abort(ref, AbortReason.TIMEOUT))
    act(m, step, f"shutdown({name})", Abort(ref, AbortReason.SHUTDOWN))
