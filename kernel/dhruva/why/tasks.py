"""Why a task does not move on (LIF): the first thing that it waits for, in the order of LIF-3."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from dhruva.cells import FollowUp, Key
from dhruva.decide.readiness import Dependency, blocked
from dhruva.ids import ENDED, Ref, TaskId, TaskStatus
from dhruva.inputs import Due, Handle, Register, Reset
from dhruva.machines.task import TaskEvent, TaskGuard
from dhruva.rules import authority, keys
from dhruva.walk import Given
from dhruva.why import follow_ups, scopes
from dhruva.why.answer import Reason, Who, Why
from dhruva.why.asking import Asking, named

LOOKED_AT_MAX: Final = 1_000
"""Dependencies looked at for one answer; what lies beyond is counted, and not named."""


def of_task(asking: Asking, key: Key) -> Why:
    task, spec = asking.cell(key), asking.cell(keys.spec(key[1]))
    if task is None or spec is None:
        return Why(key, None, Reason.ABSENT, "LIF-18")
    if task.status != TaskStatus.IN_PROGRESS:
        walk = _walked(asking, key)
        if walk is not None:
            return walk._replace(key=key, state=task.status, reason=Reason.RESETTING)
    if task.alive:
        return _alive(key, task)
    if task.status in ENDED:
        ways = asking.ways((Reset(key[1], None), Who.CALLER))
        return Why(key, task.status, Reason.ENDED, "LIF-1 LIF-9", str(task.status), ways=ways)
    return _pending(asking, key, task, spec)


def _walked(asking: Asking, key: Key) -> Why | None:
    """Where the walk of a re-execution stands that is to reset this task (LIF-10)."""
    walk = keys.follow(FollowUp.RESET, key[1])
    return None if asking.cell(walk) is None else follow_ups.of_follow_up(asking, walk)


def _alive(key: Key, task: Any) -> Why:
    attempt = keys.attempt(Ref(key[1], task.run, task.number))
    if task.status == TaskStatus.IN_PROGRESS:
        return Why(key, task.status, Reason.RUNS, "LIF-1 ACT-16", "", (attempt,))
    return Why(key, task.status, Reason.STOPPING, "LIF-8", str(task.status), (attempt,))


def _pending(asking: Asking, key: Key, task: Any, spec: Any) -> Why:
    """The first guard of its start that does not hold. One without an executor has left its lane (LIF-3)."""
    waiter = asking.cell(keys.waiter(key[1]))
    given = Given(process=scopes.SOME_PROCESS, executor=waiter is None or waiter.executor is None)
    refused = asking.walk.allows("task", key, TaskEvent.START, given)
    if refused is None:
        return scopes.in_line(asking, key, task.status, spec.scope)
    if refused.because == TaskGuard.DEPENDENCIES:
        return _dependencies(asking, key, task)
    if refused.because == TaskGuard.DUE:
        return _timer(asking, key, task)
    if refused.because == TaskGuard.EXECUTOR:
        return _executor(asking, key, task, spec)
    verdict = authority.verdict(asking.walk, spec.scope, task.tries, spec.max_attempts, False, None)
    return scopes.held_back(asking, key, task.status, spec.scope, verdict)


def _executor(asking: Asking, key: Key, task: Any, spec: Any) -> Why:
    ways = asking.ways(
        (Register(spec.executor), Who.EXECUTOR),
        (Handle(keys.follow(FollowUp.RETURN, spec.executor)), Who.SHELL),
    )
    on = ((keys.EXECUTOR, spec.executor),)
    return Why(key, task.status, Reason.EXECUTOR, "LIF-3", "", on, ways=ways)


def _timer(asking: Asking, key: Key, task: Any) -> Why:
    ready = asking.ways((Handle(keys.follow(FollowUp.READY, key[1])), Who.SHELL))
    if ready:
        return Why(key, task.status, Reason.READYING, "ACT-18", ways=ready)
    ways = asking.ways((Due(key[1], task.run, task.tries), Who.TIMER))
    return Why(key, task.status, Reason.TIMER, "LIF-14", ways=ways)


def _dependencies(asking: Asking, key: Key, task: Any) -> Why:
    """A cause that will not go away by itself; else who is waited for; else who is about to tell."""
    chain = blocked(key[1], _Looking(asking).dependencies)
    if chain:
        return _blocked(asking, key, task, chain)
    unmet = [(on, link) for on, link in _links(asking, key[1]) if not link.met]
    telling = [keys.follow(FollowUp.TELL, on) for on, link in unmet if _is_told(asking, on, link)]
    waited = [on for on, link in unmet if link.required] or [on for on, _ in unmet]
    if len(telling) == len(unmet) and telling:
        ways = asking.ways(*((Handle(tell), Who.SHELL) for tell in telling))
        on, more = named(keys.task(tell[2]) for tell in telling)
        return Why(key, task.status, Reason.TELLING, "LIF-19", "", on, more, ways)
    reason = Reason.DEPENDENCIES if any(link.required for _, link in unmet) else Reason.OPTIONAL
    on, _ = named(keys.task(one) for one in waited)
    return Why(key, task.status, reason, "LIF-3 LIF-4", "", on, task.unmet - len(on))


def _is_told(asking: Asking, on: TaskId, link: Any) -> bool:
    """It satisfies, and the telling of it is under way."""
    task = asking.cell(keys.task(on))
    satisfied = task is not None and asking.walk.book.decide.satisfied(task.status, link.required, task.alive)
    return bool(satisfied) and asking.cell(keys.follow(FollowUp.TELL, on)) is not None


def _blocked(asking: Asking, key: Key, task: Any, chain: tuple[TaskId, ...]) -> Why:
    """The cause comes last. It can be re-executed, unless a body of it still runs, or settings forbid it."""
    cause = chain[-1]
    standing = asking.cell(keys.task(cause))
    ways = asking.ways((Reset(cause, None), Who.CALLER))
    on, more = (keys.task(cause),), len(chain) - 2
    return Why(key, task.status, Reason.BLOCKED, "LIF-5", str(standing.status), on, more, ways)


def _links(asking: Asking, task: TaskId) -> Iterator[tuple[TaskId, Any]]:
    """What a task depends on, with the link to it. A number that is another's is passed over."""
    for on, number in islice(asking.links(task), LOOKED_AT_MAX):
        link = asking.cell((keys.LINK, on, number))
        if link is not None and link.dependent == task:
            yield on, link


class _Looking:
    """Looks at dependencies for the blocked view, up to a bound over all of them."""

    def __init__(self, asking: Asking) -> None:
        self._asking, self._left = asking, LOOKED_AT_MAX

    def dependencies(self, task: TaskId) -> Iterator[Dependency]:
        """Those that are not met. One that is about to be reset will run again, and blocks nothing."""
        for on, link in _links(self._asking, task) if self._left > 0 else ():
            self._left -= 1
            cell = self._asking.cell(keys.task(on))
            resets = self._asking.cell(keys.follow(FollowUp.RESET, on)) is not None
            if not link.met and not resets:
                yield Dependency(on, link.required, None if cell is None else cell.status)
            if self._left == 0:
                return
