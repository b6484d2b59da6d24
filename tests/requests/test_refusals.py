"""Codes and texts: each fault has one of each, and every refusal of step is one of LIF-18."""

import ast
from pathlib import Path
from typing import Any

import pytest

import dhruva
from dhruva.cells import FollowUp, Kind
from dhruva.decide.authority import REJECTIONS, Verdict
from dhruva.decide.errors import ErrorCode
from dhruva.ids import ExecutorId, OwnerId, Ref, RequestId, ScopeId, TaskId
from dhruva.inputs import (
    Abandon,
    Ask,
    Cancel,
    CreateScope,
    CreateTask,
    Delete,
    Depend,
    Dispose,
    Due,
    Handle,
    Recall,
    Reset,
    Succeed,
    Suspend,
    Unlink,
    Wake,
)
from dhruva.requests import Fault, Invalid, Refusal, code_of, text
from dhruva.requests.refusals import BODY_RUNS, BY_EVENT, BY_REASON, SAYS
from dhruva.step import kernel
from dhruva.table import Refused
from dhruva.walk import Settings
from tests.requests.worlds import EXECUTORS, PROCESS, SCOPE, World, define, uid

LOAD = EXECUTORS["load"]
NOBODY = TaskId(OwnerId(9_999))


@pytest.mark.cites("LIF-18")
def test_every_fault_has_a_code_and_a_sentence() -> None:
    assert set(SAYS) == set(Fault)
    assert len({says.sentence for says in SAYS.values()}) == len(Fault)


CODES = {
    Fault.NO_TASK: -32012,
    Fault.UNKNOWN_TASK: -32001,
    Fault.BAD_FIELD: -32005,
    Fault.KNOWN_ID: -32005,
    Fault.REPEATED_ID: -32005,
    Fault.NO_EXECUTOR: -32003,
    Fault.ORIGIN_MISFIT: -32005,
    Fault.UNKNOWN_ORIGINAL: -32005,
    Fault.ORIGINAL_NOT_COMPLETED: -32007,
    Fault.UNKNOWN_PARENT: -32010,
    Fault.PARENT_CYCLE: -32010,
    Fault.SEVERAL_ROOTS: -32012,
    Fault.SELF_DEPENDENCY: -32011,
    Fault.REPEATED_DEPENDENCY: -32011,
    Fault.UNKNOWN_DEPENDENCY: -32011,
    Fault.DEPENDENCY_CYCLE: -32002,
}


@pytest.mark.cites("LIF-18", "LIF-18a", "LIF-18b", "LIF-18d")
def test_the_codes_of_faults() -> None:
    assert {fault: Invalid(fault, None, "", ()).code.value for fault in Fault} == CODES


@pytest.mark.cites("LIF-18d")
def test_faults_of_several_kinds_make_an_invalid_tree() -> None:
    cycle = Invalid(Fault.DEPENDENCY_CYCLE, uid(1), "dependencies", (uid(1), uid(2)))
    unknown = Invalid(Fault.UNKNOWN_PARENT, uid(1), "parent", (uid(3),))
    assert Refusal((cycle,)).code == Refusal((cycle, cycle)).code == ErrorCode.CIRCULAR
    assert Refusal((cycle, unknown)).code == ErrorCode.INVALID_TREE


@pytest.mark.cites("LIF-17g")
def test_the_text_names_the_whole_cycle() -> None:
    cycle = Invalid(Fault.DEPENDENCY_CYCLE, uid(1), "dependencies", (uid(1), uid(2)))
    names = {uid(1): "load"}
    assert text(cycle, names) == (
        f"task load ({uid(1)}), dependencies: these tasks wait for each other: "
        f"load ({uid(1)}) -> {uid(2)} -> load ({uid(1)})"
    )
    bad = Invalid(Fault.BAD_FIELD, None, "tasks[3].priority", (7,))
    assert text(bad) == "tasks[3].priority: does not fit its field: 7"
    assert text(Invalid(Fault.NO_TASK, None, "tasks", ())) == "tasks: no task is given"


def small() -> World:
    """One task that needs another; the other runs."""
    world = World()
    world.create([define(1), define(2, needs=(1,), parent=1)])
    assert world.apply((Wake(SCOPE, PROCESS),)) is None
    return world


def ended() -> World:
    """Both completed, nothing left to do."""
    world = small()
    for _ in range(2):
        (ref,) = world.bodies()
        assert world.apply((Succeed(ref),)) is None
        for given in (*world.follow_ups() * 3,):
            world.apply((given,))
    assert not world.bodies()
    return world


FIRST, SECOND = TaskId(OwnerId(100)), TaskId(OwnerId(101))
NEW = TaskId(OwnerId(500))
TELL = (Kind.FOLLOW, FollowUp.TELL, FIRST)
BY_RUNNING: list[tuple[Any, int]] = [
    # with task 100 in progress, and 101 pending on it
    (CreateTask(FIRST, SCOPE, LOAD), -32005),
    (CreateTask(NEW, ScopeId(77), LOAD), -32001),
    (CreateTask(NEW, SCOPE, LOAD, parent=NOBODY), -32010),
    (CreateTask(NEW, SCOPE, LOAD, parent=NEW), -32010),
    (Depend(SECOND, NOBODY), -32011),
    (Depend(SECOND, SECOND), -32011),
    (Depend(SECOND, FIRST), -32011),
    (Depend(NOBODY, FIRST), -32011),
    (Cancel(NOBODY), -32001),
    (Recall(NOBODY, None), -32001),
    (Reset(NOBODY, None), -32001),
    (Reset(FIRST, None), -32008),
    (Reset(SECOND, None), -32006),
    (Due(SECOND, 1, 1), -32006),
    (Due(NOBODY, 1, 1), -32001),
    (Delete(NOBODY), -32001),
    (Delete(FIRST), -32009),
    (Delete(SECOND), -32009),  # before its link was taken away
    (Unlink(SECOND, FIRST, 7), -32009),
    (Handle(TELL), -32001),
    (CreateScope(SCOPE), -32006),
    (Ask(RequestId(OwnerId(9)), ScopeId(77), PROCESS), -32001),
    ("no input at all", -32006),
]


@pytest.mark.cites("LIF-18", "LIF-18a", "LIF-18b", "LIF-18c", "LIF-18d", "LIF-17g")
@pytest.mark.parametrize(("given", "code"), BY_RUNNING, ids=str)
def test_the_code_of_what_step_refuses_while_a_task_runs(given: Any, code: int) -> None:
    world = small()
    before = dict(world.cells)
    refused = world.apply((given,))
    assert refused is not None
    assert code_of(refused) == code, refused
    assert world.cells == before


@pytest.mark.cites("LIF-8g", "LIF-9b", "LIF-18b")
def test_the_codes_once_all_has_ended() -> None:
    world = ended()
    for given, code in [(Cancel(FIRST), -32006), (Delete(FIRST), -32009), (body_of(FIRST), -32001)]:
        refused = world.apply((given,))
        assert refused is not None
        assert code_of(refused) == code, refused
    assert world.apply((Recall(FIRST, None), Reset(FIRST, None))) is None
    for again in (Recall(FIRST, None), Reset(FIRST, None)):
        refused = world.apply((again,))
        assert refused is not None
        assert code_of(refused) == ErrorCode.ALREADY_EXECUTING
    world.step = kernel(settings=Settings(reexecute_completed=False))
    refused = world.apply((Reset(SECOND, None),))
    assert refused is not None
    assert code_of(refused) == ErrorCode.INVALID_TRANSITION


def body_of(task: TaskId) -> Succeed:
    return Succeed(Ref(task, 1, 1))


@pytest.mark.cites("LIF-18a", "ACT-3")
def test_what_the_authority_refuses_is_unauthorized() -> None:
    world = small()
    (ref,) = world.bodies()
    assert world.apply((Suspend(SCOPE),)) is None
    for given in (Ask(RequestId(OwnerId(9)), SCOPE, PROCESS), Abandon(ref, None, True)):
        refused = world.apply((given,))
        assert refused is not None
        assert code_of(refused) == ErrorCode.UNAUTHORIZED
    assert world.apply((Dispose(SCOPE),)) is None
    refused = world.apply((CreateTask(NEW, SCOPE, LOAD),))
    assert refused is not None
    assert code_of(refused) == ErrorCode.UNAUTHORIZED
    for verdict in REJECTIONS:
        code = code_of(Refused("scope", None, "ask", "ACT-3", verdict))
        assert code == (ErrorCode.NOT_FOUND if verdict == Verdict.SCOPE_NOT_FOUND else ErrorCode.UNAUTHORIZED)


@pytest.mark.cites("LIF-18b")
@pytest.mark.parametrize(
    ("guard", "code"), [("executor", -32003), ("unmet_zero", -32007), ("authorized", -32004), ("due", -32006)]
)
def test_the_guards_of_a_start_have_their_codes(guard: str, code: int) -> None:
    assert code_of(Refused("task", "pending", "start", "LIF-3", guard)) == code


@pytest.mark.cites("LIF-8e", "LIF-18b")
def test_a_body_that_still_runs_keeps_a_cancelled_task_from_being_re_executed() -> None:
    world = small()
    world.step = kernel(settings=Settings(reexecute_cancelled=True))
    assert world.apply((Cancel(FIRST),)) is None
    refused = world.apply((Reset(FIRST, None),))
    assert refused is not None
    assert code_of(refused) == ErrorCode.ALREADY_EXECUTING


@pytest.mark.cites("LIF-8e", "LIF-18b")
def test_a_cancelled_task_whose_body_still_runs_is_already_executing() -> None:
    """Also where re-execution of cancelled tasks is switched off, as it is by default."""
    world = small()
    assert world.apply((Cancel(FIRST),)) is None
    refused = world.apply((Reset(FIRST, None),))
    assert refused is not None
    assert code_of(refused) == ErrorCode.ALREADY_EXECUTING, refused


@pytest.mark.cites("LIF-18")
def test_every_word_that_has_a_code_is_one_that_the_rules_use() -> None:
    """A word that was renamed in a rule would silently become an invalid transition."""
    folder = Path(dhruva.__file__).parent
    used: set[str] = set()
    for part in ("rules", "machines", "decide"):
        for path in (folder / part).glob("*.py"):
            used |= _words(path)
    used |= _words(folder / "walk.py")
    words = {word for pair in BY_EVENT for word in pair} | set(BY_REASON) | {BODY_RUNS}
    assert words - used == set()


def _words(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text()))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_ids_of_the_small_world() -> None:
    assert small().ids == {uid(1): FIRST, uid(2): SECOND}
    assert ExecutorId(3) == LOAD
