"""How attempts end, and what their end makes of tasks and of one-off requests (ACT-10, ACT-16, ACT-18)."""

from collections.abc import Iterator
from typing import Any

from dhruva.cells import FollowUp, Kind
from dhruva.effects import AbortSignal, Timer
from dhruva.explore import Read
from dhruva.ids import Ref
from dhruva.inputs import Abandon, Abort, Fail, OwnerGone, Stopped, Succeed
from models.claims.cast import Cast, each, edges, effects, some, written
from models.world import Scene

CRASHES = ("worker", "handler")  # reasons to abort after which a retry may follow
FROM_OUTSIDE = ("user", "timeout", "shutdown")
OBSERVED = (Succeed, Fail, OwnerGone)


def ended(before: Read, change: Any) -> Iterator[tuple[Ref, Any]]:
    """The attempts that end with a step, as they were."""
    for key, cell in written(change, Kind.ATTEMPT):
        if cell is None and before(key) is not None:
            yield key[1], before(key)


def of_ends(scene: Scene, cast: Cast) -> None:
    """An attempt ends by what was observed of it, and the first reason to stop it decides."""
    m, attempts = scene.m, tuple((Kind.ATTEMPT, ref) for ref in cast.refs)

    def lives(read: Read, given: Any) -> bool:
        return read((Kind.ATTEMPT, given.ref)) is not None

    def aborting(read: Read, given: Any) -> bool:
        return lives(read, given) and read((Kind.ATTEMPT, given.ref)).state == "aborting"

    scene.always_step(
        "the record says how a body ended",
        lambda before, after, given, change: all(
            _recorded(change, ref) == _end(attempt, given) for ref, attempt in ended(before, change)
        ),
        "succeeded and failed are said of bodies nobody had asked to stop, abandoned by an operator alone",
        cites="ACT-11f ACT-16a ACT-16f ACT-18j SHL-6c",
    )
    m.always(
        "who must stop knows why",
        each(attempts, lambda read, key, cell: (cell.state == "aborting") == (cell.reason is not None)),
        "an attempt is aborting exactly if it has a reason to be",
        cites="ACT-16f",
    )
    m.always_step(
        "the first reason stays",
        lambda before, after, action, change: all(
            cell is None or before(key) is None or before(key).reason in (None, cell.reason)
            for key, cell in written(change, Kind.ATTEMPT)
        ),
        "whoever was asked to stop stays asked, for the reason that came first",
        cites="ACT-16a ACT-18j",
    )
    m.always_step(
        "who is asked to stop hears it",
        lambda before, after, action, change: (
            effects(change, AbortSignal)
            == [
                AbortSignal(key[1], cell.reason)
                for key, cell in written(change, Kind.ATTEMPT)
                if cell is not None and cell.reason is not None and before(key).reason is None
            ]
        ),
        "the abort signal is given, with the reason, in the step that makes an attempt aborting, and once",
        cites="ACT-7d ACT-11b LIF-8b LIF-19b",
    )
    scene.takes(
        "what is seen of a body is heard",
        OBSERVED,
        lives,
        "the end of a body, or of its process, is accepted for as long as the attempt has not ended",
        cites="ACT-8b ACT-16b",
    )
    scene.takes(
        "a body that was asked to stop may stop",
        (Stopped,),
        aborting,
        "the end of a body that was asked to stop is accepted",
        cites="ACT-16b",
    )
    scene.always_step(
        "only the outside asks from outside",
        lambda before, after, given, change: (
            not isinstance(given, Abort) or (given.reason in FROM_OUTSIDE and not _of_task(before, given))
        ),
        "worker, handler, dispose and lost owner are no requests; who wants a task to end cancels it",
        cites="ACT-9e ACT-18c",
    )
    scene.takes(
        "a living attempt can be asked to stop",
        (Abort,),
        lambda read, given: lives(read, given) and given.reason in FROM_OUTSIDE and not _of_task(read, given),
        "a timeout, a shutdown or the caller of a one-off request can ask an attempt to stop, also again",
        cites="ACT-16a ACT-18j",
    )
    scene.takes(
        "an operator can abandon an attempt",
        (Abandon,),
        lambda read, given: lives(read, given) and given.actor is not None and given.reasoned,
        "an attempt of which nothing is heard can be abandoned, by someone who says why",
        cites="SHL-6a",
    )
    scene.always_step(
        "nobody abandons without a name and a reason",
        lambda before, after, given, change: (
            not isinstance(given, Abandon) or (given.actor is not None and given.reasoned)
        ),
        "an attempt is abandoned by someone who says why",
        cites="SHL-6b",
    )
    if attempts:
        m.sometimes("a body is asked to stop", some(attempts, lambda read, key, a: a.state == "aborting"))


def _of_task(read: Read, given: Any) -> bool:
    """Who wants a task to end cancels the task."""
    return bool(given.reason == "user" and read((Kind.ATTEMPT, given.ref)).kind == "task")


def _recorded(change: Any, ref: Ref) -> str:
    return [edge.target for edge in edges(change, "attempt") if edge.key[1] == ref][-1]


def _end(attempt: Any, given: Any) -> str:
    if isinstance(given, Abandon):
        return "abandoned"
    if attempt.reason is not None or isinstance(given, OwnerGone):
        return "aborted"
    return "succeeded" if isinstance(given, Succeed) else "failed"


# What an end makes of a task


def of_outcomes(scene: Scene) -> None:
    m = scene.m

    def concluded(before: Read, change: Any) -> Iterator[tuple[Any, Any, Any]]:
        """Ends of attempts whose task was in progress: its key, its cell before, the attempt."""
        for ref, attempt in ended(before, change):
            task = before((Kind.TASK, ref.owner))
            if task is not None and task.status == "in_progress":
                yield (Kind.TASK, ref.owner), task, attempt

    scene.always_step(
        "an end is the outcome of its task",
        lambda before, after, given, change: all(
            after(key).status == _outcome(before, key, task, attempt, given)
            for key, task, attempt in concluded(before, change)
        ),
        "success completes, a failure is tried again while it may be, everything else fails the task",
        cites="ACT-10a ACT-10d ACT-10e ACT-11f ACT-18a ACT-18b ACT-18d ACT-18e ACT-18f ACT-18g ACT-18h "
        "LIF-8c LIF-14a LIF-14b LIF-14g LIF-15d",
    )
    scene.always_step(
        "a try counts from its start, but for a shutdown",
        lambda before, after, given, change: all(
            after(key).tries == task.tries - (_shut_down(attempt, given))
            for key, task, attempt in concluded(before, change)
        ),
        "the end of an attempt changes no count of tries, but a shutdown takes its try back",
        cites="ACT-18e ACT-18f LIF-15f",
    )
    m.always_step(
        "a retry waits for its timer",
        lambda before, after, action, change: all(
            after(key).status != "pending" or _comes_back(after, change, key)
            for key, _, _ in concluded(before, change)
        ),
        "what is tried again is due once its timer, or after a shutdown its follow-up, has come",
        cites="LIF-3b LIF-14e SHL-3b",
    )
    m.always_step(
        "both edges of a retry are recorded",
        lambda before, after, action, change: all(
            [edge.target for edge in edges(change, "task") if edge.key == key]
            == (["failed", "pending"] if after(key).status == "pending" else [after(key).status])
            for key, _, _ in concluded(before, change)
        ),
        "failed and pending are written in one step, and the journal has both",
        cites="ACT-18e LIF-14e LIF-14f",
    )
    scene.always_step(
        "the error names what happened",
        lambda before, after, given, change: all(
            _failure(attempt, given) in (None, *(said.failure for said in change.payloads))
            for key, _, attempt in concluded(before, change)
            if "failed" in [edge.target for edge in edges(change, "task")]
        ),
        "interrupted, abandoned, timeout, worker and handler stand in the record of the failure",
        cites="ACT-18d ACT-18e ACT-18f ACT-18g LIF-15d",
    )


def _shut_down(attempt: Any, given: Any) -> bool:
    return bool(attempt.reason == "shutdown" and not isinstance(given, Abandon))


def _outcome(before: Read, key: Any, task: Any, attempt: Any, given: Any) -> str:
    spec = before((Kind.SPEC, key[1]))
    if attempt.reason is None and isinstance(given, Succeed):
        return "completed"
    if _shut_down(attempt, given) and getattr(given, "retry_safe", True):
        return "pending"
    return "pending" if _may_retry(attempt, given, spec.retry_on_timeout) and _left(task, spec) else "failed"


def _left(task: Any, spec: Any) -> bool:
    return bool(task.tries < spec.max_attempts)


def _may_retry(attempt: Any, given: Any, on_timeout: bool) -> bool:
    """Errors of bodies, workers and handlers, lost processes, and timeouts where that is configured."""
    if isinstance(given, Abandon) or not getattr(given, "retry_safe", True):
        return False
    if attempt.reason is None:
        return isinstance(given, Fail | OwnerGone)
    return attempt.reason in CRASHES or (attempt.reason == "timeout" and on_timeout)


def _comes_back(after: Read, change: Any, key: Any) -> bool:
    task = after(key)
    timer = Timer(key[1], task.run, task.tries) in effects(change, Timer)
    follow = after((Kind.FOLLOW, FollowUp.READY, key[1]))
    return not task.due and (timer or (follow is not None and follow.cursor == task.number))


def _failure(attempt: Any, given: Any) -> str | None:
    """The word that the error begins with; None where it is another."""
    if isinstance(given, Abandon):
        return "abandoned"
    if attempt.reason == "shutdown" or (attempt.reason is None and isinstance(given, OwnerGone)):
        return "interrupted"
    return None if attempt.reason is None else str(attempt.reason)


# What an end makes of a one-off request


def of_retries(scene: Scene) -> None:
    scene.always_step(
        "what may be tried again asks again",
        lambda before, after, given, change: all(
            (after((Kind.FOLLOW, FollowUp.ASK_AGAIN, ref.owner)) is not None)
            == _asks_again(before, ref, attempt, given)
            for ref, attempt in ended(before, change)
            if attempt.kind == "request"
        ),
        "a one-off request whose body, worker or handler failed asks again while it has a retry left",
        cites="ACT-2f ACT-10a ACT-10b ACT-10d ACT-10e",
    )


def _asks_again(before: Read, ref: Ref, attempt: Any, given: Any) -> bool:
    policy = before((Kind.POLICY, attempt.scope))
    gone = isinstance(given, OwnerGone)  # with its caller
    again = _may_retry(attempt, given, policy.retry_on_timeout) and not gone
    return bool(again and ref.number <= policy.retry)
