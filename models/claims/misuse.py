"""What may be accepted from a careless or hostile caller, each said of the cells before the step."""

from collections.abc import Callable, Iterable
from typing import Any

from dhruva.cells import Change, FollowUp, Kind
from dhruva.explore import Read
from dhruva.ids import Ref
from dhruva.inputs import (
    Abort,
    Ask,
    ChildRecorded,
    CommitCarrier,
    Conflict,
    Delete,
    Deliver,
    Depend,
    Due,
    EarlySignal,
    Outcome,
    Recall,
    Register,
    Release,
    Reset,
    Unlink,
    Unobserved,
    Wake,
)
from models.claims.cast import begun, each, edges, written
from models.world import Scene

FROM_OUTSIDE = ("user", "timeout", "shutdown")
Fine = Callable[[Read, Any], bool]


def _accepted(scene: Scene, name: str, kinds: tuple[type, ...], fine: Fine, says: str, cites: str) -> None:
    """Claim: inputs of these kinds are accepted only where `fine(before, input)`."""

    def test(before: Read, _after: Read, given: Any, _change: Change) -> bool:
        return not isinstance(given, kinds) or fine(before, given)

    scene.always_step(name, test, says, cites=cites)


def _there(read: Read, kind: FollowUp, *ids: Any) -> bool:
    return read((Kind.FOLLOW, kind, *ids)) is not None


def of_ids(scene: Scene) -> None:
    """Ids and things that are known already."""
    scene.always_step(
        "no id makes two things",
        lambda before, after, given, change: all(
            before(edge.key) is None for edge in change.edges if edge.source is None
        ),
        "to create what has this id is refused, and the first lives on",
        cites="ACT-8a ACT-16e ACT-17b LIF-17b",
    )


def of_requests(scene: Scene) -> None:
    _accepted(
        scene,
        "who asks does not wait or run already",
        (Ask,),
        lambda read, given: (
            read((Kind.REQUEST, given.request)) is None
            and read((Kind.ATTEMPT, Ref(given.request, 1, 1))) is None
        ),
        "one id is one request: while it waits or runs it is not accepted again",
        "ACT-1a ACT-8a",
    )
    _accepted(
        scene,
        "lanes are looked at when they are woken",
        (Wake,),
        lambda read, given: _there(read, FollowUp.WAKE, given.scope),
        "a lane is handled while there is a follow-up that says so, and at no other time",
        "SHL-3a SHL-3c",
    )


def of_aborts(scene: Scene) -> None:
    def fine(read: Read, given: Abort) -> bool:
        attempt = read((Kind.ATTEMPT, given.ref))
        by_user_of_task = given.reason == "user" and attempt is not None and attempt.kind == "task"
        return given.reason in FROM_OUTSIDE and not by_user_of_task

    _accepted(
        scene,
        "the outside gives no reason of ours",
        (Abort,),
        fine,
        "from outside come user, timeout and shutdown; who wants a task to end cancels the task",
        "ACT-18c ACT-18d",
    )


def of_tasks(scene: Scene) -> None:
    _accepted(
        scene,
        "tasks come back where some wait",
        (Register,),
        lambda read, given: read((Kind.EXECUTOR, given.executor)) is not None,
        "an executor that nobody waits for brings nobody back",
        "LIF-3g",
    )


def of_links(scene: Scene) -> None:
    _accepted(
        scene,
        "links come before the first start",
        (Depend,),
        lambda read, given: (c := read((Kind.TASK, given.task))).status == "pending" and c.number == 0,
        "what a task depends on is declared before it runs",
        "LIF-3a LIF-17d",
    )


def of_timers(scene: Scene) -> None:
    _accepted(
        scene,
        "a timer rings for its own retry",
        (Due,),
        lambda read, given: (
            (c := read((Kind.TASK, given.task))).status == "pending"
            and not c.due
            and (c.run, c.tries) == (given.run, given.tries)
        ),
        "the timer of an earlier try, of an earlier run, or of nothing, is stale",
        "LIF-3b LIF-14e",
    )


def of_walks(scene: Scene) -> None:
    """Re-execution and deletion, one input at a time."""
    _accepted(
        scene,
        "a walk is accepted once",
        (Recall, Reset),
        lambda read, given: (
            read((Kind.TASK, given.task)) is not None
            and not _there(read, FollowUp.RECALL if isinstance(given, Recall) else FollowUp.RESET, given.task)
        ),
        "what is being reset already is not asked for a second time, and what is not there not at all",
        "LIF-10a LIF-10b",
    )
    scene.refuses(
        "that a body runs is said first",
        (Reset,),
        lambda read, given, refused: (
            (c := read((Kind.TASK, given.task))) is None or not c.alive or refused.rule == "LIF-8"
        ),
        "whoever re-executes a task that has a body is told of the body, whatever else speaks against it",
        cites="LIF-8e",
    )
    _accepted(
        scene,
        "links are cut for who may be deleted",
        (Unlink,),
        lambda read, given: _stands_alone(read, given.task),
        "a link is cut when its dependent may be deleted, as the next step does",
        "LIF-20a",
    )
    _accepted(
        scene,
        "nothing is deleted that something goes on about",
        (Delete,),
        lambda read, given: (
            _stands_alone(read, given.task)
            and read((Kind.WATCH, given.task)) is None
            and not _there(read, FollowUp.RESET, given.task)
        ),
        "what others depend on, a workflow watches, or is being reset, stays",
        "LIF-20a LIF-20b",
    )


def _stands_alone(read: Read, task: int) -> bool:
    cell = read((Kind.TASK, task))
    free = not cell.alive and cell.children == 0 and cell.dependents == 0
    return free and cell.status != "in_progress"


def of_flows(scene: Scene, instances: Iterable[int], kept_max: int) -> None:
    m, keys = scene.m, [(Kind.INSTANCE, instance) for instance in instances]
    m.always(
        "a wait is for what its kind says",
        each(
            keys,
            lambda _read, _key, cell: (
                cell.waits is None
                or (cell.child is not None, cell.task is not None, cell.name is not None)
                == tuple(cell.waits == kind for kind in ("child", "task", "signal"))
            ),
        ),
        "a child, a task or a name is waited for by the wait of that kind, and by no other",
        cites="WFL-6b",
    )
    m.always(
        "signals are kept by name, and not without end",
        each(keys, lambda read, key, cell: cell.kept <= kept_max and read((Kind.KEPT, key[1], None)) is None),
        "a signal that is too early is kept under its name; how many are kept is bounded",
        cites="WFL-22b",
    )
    m.always_step(
        "who watches a task is not pushed aside",
        lambda before, after, action, change: all(
            (was := before(key)) is None or cell is None or was.instance == cell.instance
            for key, cell in written(change, Kind.WATCH)
        ),
        "one workflow at a time waits for a task",
        cites="WFL-7d",
    )
    _accepted(
        scene,
        "what was heard last is heard no more",
        (EarlySignal,),
        lambda read, given: read((Kind.INSTANCE, given.instance)).last_signal != given.signal,
        "the signal that was heard last is ignored by name as it is by token",
        "WFL-12c",
    )


def of_effects(scene: Scene) -> None:
    m = scene.m
    m.always_step(
        "an effect's events move effects",
        lambda before, after, action, change: all(
            edge.key[0] == Kind.EFFECT for edge in edges(change, "effect")
        ),
        "what is reported of an effect moves no cell of another kind",
        cites="SHL-4a SHL-4b",
    )


def of_locks(scene: Scene) -> None:
    def lock(read: Read, given: Any) -> Any:
        return read((Kind.LOCK, given.target))

    _accepted(
        scene,
        "only what was committed is delivered",
        (Deliver,),
        lambda read, given: read((Kind.GROUP, given.ref, given.spawn)).state == "committed",
        "a policy is derived for a dispatch under way, and for no other",
        "REL-1a DSP-3a",
    )
    _accepted(
        scene,
        "a claim is handed over once",
        (Deliver,),
        lambda read, given: (
            given.locked is None
            or ((c := lock(read, given)).state == "held" and c.nonce == given.nonce and not c.handed)
        ),
        "two deliveries under one claim could spawn twice",
        "REL-5 REL-6a",
    )
    _accepted(
        scene,
        "who has lost a claim is not heard",
        (Conflict, ChildRecorded, Release, Unobserved),
        lambda read, given: lock(read, given).nonce == given.nonce,
        "what is said under an earlier claim changes nothing of the claim that stands",
        "REL-5 REL-7h",
    )


def of_dispatches(scene: Scene) -> None:
    _accepted(
        scene,
        "the newest dispatch alone is heard",
        (CommitCarrier, Outcome),
        lambda read, given: read((Kind.ATTEMPT, given.ref)).spawn == given.spawn,
        "a dispatch that another has followed commits nothing, and has no outcome any more",
        "DSP-3a ACT-8b",
    )


def of_starts(scene: Scene) -> None:
    """What holds of a start whatever lane the task was found in."""
    m = scene.m

    def may(before: Read, ref: Ref, cell: Any) -> bool:
        task = before((Kind.TASK, ref.owner))
        return cell.kind != "task" or (task.due and task.unmet == 0 and cell.process is not None)

    m.always_step(
        "a lane alone starts nothing",
        lambda before, after, action, change: all(
            may(before, ref, cell) for ref, cell in begun(before, change)
        ),
        "a task that was put into a lane too early starts no earlier for that, and it starts in some process",
        cites="LIF-3a LIF-3b",
    )
    m.always_step(
        "a follow-up alone resets nothing",
        lambda before, after, action, change: all(
            cell is None or (was := before(key)) is None or was.run == cell.run or not was.alive
            for key, cell in written(change, Kind.TASK)
        ),
        "a task begins no new run while a body of it lives",
        cites="LIF-8e",
    )
    m.always_step(
        "whoever lives is named when its scope is disposed of",
        lambda before, after, action, change: all(
            cell is None or cell.state != "DISPOSING" or cell.newest is None or _named(change, key[1])
            for key, cell in written(change, Kind.SCOPE)
            if before(key) is not None and before(key).state != "DISPOSING"
        ),
        "the step that disposes of a scope writes down that its attempts are to be aborted",
        cites="ACT-11b SHL-3b",
    )


def _named(change: Any, scope: int) -> bool:
    return (Kind.FOLLOW, FollowUp.ABORT_EACH, scope) in change.writes
