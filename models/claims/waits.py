"""What a workflow waits for: human tasks, children, watched tasks, kept signals (WFL-7, WFL-10, WFL-14)."""

from typing import Any

from dhruva.cells import FollowUp, Kind
from dhruva.explore import Model, Read
from dhruva.ids import SignalName
from dhruva.inputs import AssignHuman, CompleteHuman, ReassignHuman, ReleaseHuman
from models.claims.cast import each, edges
from models.claims.flows import CHILD, HUMAN, INSTANCES, MAIN, NAME, TASK, TERMINAL, WATCH
from models.world import Scene


def of_people(scene: Scene) -> None:
    """Human tasks are worked on by people."""
    scene.always_step(
        "the assignee completes",
        lambda before, after, given, change: (
            not isinstance(given, CompleteHuman) or before(HUMAN).assignee == given.user
        ),
        "a human task is completed by the person it is assigned to",
        cites="WFL-14b WFL-14d",
    )
    scene.always_step(
        "a human task ends as it was ended",
        lambda before, after, given, change: all(
            (edge.target == "completed") == isinstance(given, CompleteHuman)
            for edge in edges(change, "human-task")
            if edge.target in TERMINAL
        ),
        "completed is said of one that a person completed, cancelled of one whose wait ended otherwise",
        cites="WFL-14c WFL-14d",
    )
    scene.always_step(
        "who works on it is who was named",
        lambda before, after, given, change: (
            not isinstance(given, AssignHuman | ReassignHuman | ReleaseHuman)
            or after(HUMAN) == _handed(before(HUMAN), getattr(given, "user", None))
        ),
        "assign and reassign name the person, release names none, and the wait stays as it is",
        cites="WFL-14d WFL-14e",
    )
    scene.always_step(
        "completion is a signal",
        lambda before, after, given, change: (
            not isinstance(given, CompleteHuman) or (after(HUMAN) is None and _hears(before, after))
        ),
        "a human task that is completed resumes its instance in that step, or is kept while that is in error",
        cites="WFL-14a WFL-14b",
    )
    scene.takes(
        "an active human task can be worked on",
        (AssignHuman, ReassignHuman, ReleaseHuman),
        lambda r, given: (
            (c := r(HUMAN)) is not None and (c.assignee is None) == isinstance(given, AssignHuman)
        ),
        "one that nobody has can be assigned, one that someone has can be reassigned and released",
        cites="WFL-14d",
    )
    scene.takes(
        "the assignee can complete it",
        (CompleteHuman,),
        lambda r, given: (c := r(HUMAN)) is not None and c.assignee == given.user and _waits_now(r),
        "whoever has a human task can complete it while the instance waits for it",
        cites="WFL-14b WFL-14d",
    )


def _handed(human: Any, user: Any) -> Any:
    return human._replace(state="pending" if user is None else "assigned", assignee=user)


def _hears(before: Read, after: Read) -> bool:
    if before((Kind.INSTANCE, MAIN)).state == "recoverable_error":
        return after((Kind.KEPT, MAIN, "human")) is not None
    return bool(after((Kind.INSTANCE, MAIN)).state == "running")


def _waits_now(read: Read) -> bool:
    return bool(read((Kind.INSTANCE, MAIN)).state == "waiting")


def of_waits(m: Model, *names: SignalName) -> None:
    """`names`: of signals that no wait of the model is for."""
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
        "a child is waited for, or told to end",
        each(INSTANCES[1:], lambda read, key, cell: cell.state in TERMINAL or _is_minded(read)),
        "a child that has not ended is the one that its parent waits for, or is about to be cancelled",
        cites="WFL-10a WFL-21c",
    )
    m.always_step(
        "a task that was left is cancelled",
        lambda before, after, action, change: (
            _task_of(before) is None or _task_of(after) == _task_of(before) or _task_ends(after)
        ),
        "when an instance waits for its task no more, the task has ended or is about to be cancelled",
        cites="WFL-7e WFL-21c",
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
            lambda r, key, cell: _task_ends(r) or _watches(r((Kind.INSTANCE, cell.instance)), cell),
        ),
        "a task is watched under the token of the wait that is open, until it ends or is to be cancelled",
        cites="WFL-7d WFL-12a",
    )
    m.always(
        "what is watched is there",
        each((WATCH,), lambda read, key, cell: read((Kind.TASK, TASK)) is not None),
        "a task that an instance waits for is not deleted",
        cites="WFL-7d LIF-20a",
    )
    m.always(
        "the end of a task reaches who waits",
        each(INSTANCES[:1], lambda read, key, cell: not _waits_in_vain(read, cell)),
        "an instance that waits for a task or a child that has ended is about to be told, or it runs again",
        cites="WFL-7d WFL-10a",
    )
    m.always(
        "kept signals are counted",
        each(
            INSTANCES[:1], lambda read, key, cell: cell.state in TERMINAL or cell.kept == _kept(read, names)
        ),
        "an instance knows how many signals are kept for it, one per name at most",
        cites="WFL-22b",
    )
    m.always(
        "no more is kept than may be",
        each(INSTANCES[:1], lambda read, key, cell: cell.kept <= m.bounds["kept"]),
        "an instance keeps as many signals as it is allowed to, and no more",
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


def _task_of(read: Read) -> Any:
    """The task that the instance waits for; an instance that has ended waits for none."""
    cell = read((Kind.INSTANCE, MAIN))
    return None if cell is None or cell.state in TERMINAL else cell.task


def _is_minded(read: Read) -> bool:
    parent = read((Kind.INSTANCE, MAIN))
    waited = parent.waits == "child" and parent.child == CHILD and parent.state not in TERMINAL
    return waited or read((Kind.FOLLOW, FollowUp.CANCEL_CHILD, CHILD)) is not None


def _nothing_open(read: Read) -> bool:
    child = read((Kind.INSTANCE, CHILD))
    orphan = child is not None and child.state not in TERMINAL
    cancelling = read((Kind.FOLLOW, FollowUp.CANCEL_CHILD, CHILD)) is not None
    watch = read(WATCH)
    watches = watch is not None and watch.instance == MAIN and not _task_ends(read)
    return read(HUMAN) is None and not watches and (not orphan or cancelling)


def _waits_for(read: Read, kind: str) -> bool:
    cell = read((Kind.INSTANCE, MAIN))
    return cell is not None and cell.waits == kind and cell.state not in TERMINAL


def _watches(instance: Any, watch: Any) -> bool:
    waits = instance.waits == "task" and instance.state not in TERMINAL
    return waits and bool(instance.token == watch.token)


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
    awaited = (read((Kind.FOLLOW, kind, TASK)) for kind in (FollowUp.TELL, FollowUp.RESET))
    return over and all(follow is None for follow in awaited)


KINDS = ("human", "child", "task", "signal")
NAMES = (NAME, *KINDS)


def _kept(read: Read, names: tuple[SignalName, ...]) -> int:
    return sum(1 for name in (*NAMES, *names) if read((Kind.KEPT, MAIN, name)) is not None)


def _left_over(read: Read, cell: Any) -> bool:
    kept = [kind for kind in KINDS if read((Kind.KEPT, MAIN, kind)) is not None]
    return any(kind != cell.waits for kind in kept)


def _kept_for(read: Read, cell: Any) -> bool:
    name = cell.waits if cell.name is None else cell.name
    return read((Kind.KEPT, MAIN, name)) is not None
