"""What each guard of each table asks: one mapping, total over the tables (tested)."""

from typing import Any, Final

from dhruva.decide.authority import Verdict
from dhruva.decide.signal import Freshness
from dhruva.ids import TaskStatus
from dhruva.machines.attempt import AttemptGuard
from dhruva.machines.carrier import CarrierGuard
from dhruva.machines.effect import EffectGuard
from dhruva.machines.human_task import HumanTaskGuard
from dhruva.machines.instance import InstanceGuard
from dhruva.machines.lock import LockGuard
from dhruva.machines.parked import ParkedGuard
from dhruva.machines.reexecution import ReexecutionGuard
from dhruva.machines.scope import ScopeGuard
from dhruva.machines.task import TaskGuard
from dhruva.rules import authority, keys
from dhruva.walk import Given, Guard, Walk


def override(_walk: Walk, _key: Any, _cell: Any, given: Given) -> bool:
    """SHL-6: someone acts, and says why."""
    return given.actor is not None and given.reasoned


def empty(_walk: Walk, _key: Any, scope: Any, _given: Given) -> bool:
    return bool(scope.live == 0)


def dependencies(_walk: Walk, _key: Any, task: Any, _given: Given) -> bool:
    return bool(task.unmet == 0)


def due(_walk: Walk, _key: Any, task: Any, _given: Given) -> bool:
    return bool(task.due)


def executor(_walk: Walk, _key: Any, _task: Any, given: Given) -> bool:
    return given.executor


def authorized(walk: Walk, key: Any, task: Any, _given: Given) -> bool:
    spec = walk[keys.SPEC, key[1]]
    if spec is None:
        return False
    answer = authority.verdict(walk, spec.scope, task.tries, spec.max_attempts, False, None)
    return answer == Verdict.AUTHORIZED


def some_tries_left(walk: Walk, key: Any, task: Any, _given: Given) -> bool:
    spec = walk[keys.SPEC, key[1]]
    return spec is not None and walk.book.decide.tries_left(task.tries, spec.max_attempts)


def retriable(_walk: Walk, _key: Any, _task: Any, given: Given) -> bool:
    return given.retriable


def enabled(walk: Walk, _key: Any, task: Any, _given: Given) -> bool:
    """LIF-9: completed by default, cancelled only if enabled."""
    settings = walk.book.settings
    if task.status == TaskStatus.CANCELLED:
        return bool(settings.reexecute_cancelled)
    return bool(settings.reexecute_completed)


def no_attempt(_walk: Walk, _key: Any, task: Any, _given: Given) -> bool:
    return not task.alive


def cooperatives(_walk: Walk, _key: Any, group: Any, _given: Given) -> bool:
    return bool(group.idle == 0)


def nonce(_walk: Walk, _key: Any, lock: Any, given: Given) -> bool:
    return bool(lock.nonce == given.nonce)


def stale(walk: Walk, _key: Any, _lock: Any, given: Given) -> bool:
    return bool(walk.book.decide.stale(given.readable, given.granted, given.recorded_alive))


def fresh(walk: Walk, _key: Any, cell: Any, given: Given) -> bool:
    return freshness(walk, cell, given) == Freshness.FRESH


def freshness(walk: Walk, cell: Any, given: Given) -> Freshness:
    """The stale rule over an instance's cell, or over none (WFL-12)."""
    decide = walk.book.decide.freshness
    if cell is None:
        return decide(None, given.signal, None, given.token, None, given.expected, 0)
    waiting = None if cell.waits is None else cell.token
    return decide(
        cell.state, given.signal, cell.last_signal, given.token, waiting, given.expected, cell.version
    )


def by_assignee(_walk: Walk, _key: Any, human: Any, given: Given) -> bool:
    return given.user is not None and bool(human.assignee == given.user)


GUARDS: Final[dict[tuple[str, str], Guard]] = {
    ("scope", ScopeGuard.EMPTY): empty,
    ("attempt", AttemptGuard.OVERRIDE): override,
    ("task", TaskGuard.DEPENDENCIES): dependencies,
    ("task", TaskGuard.DUE): due,
    ("task", TaskGuard.EXECUTOR): executor,
    ("task", TaskGuard.AUTHORIZED): authorized,
    ("task", TaskGuard.TRIES_LEFT): some_tries_left,
    ("task", TaskGuard.RETRIABLE): retriable,
    ("reexecution", ReexecutionGuard.ENABLED): enabled,
    ("reexecution", ReexecutionGuard.NO_ATTEMPT): no_attempt,
    ("carrier-primary", CarrierGuard.COOPERATIVES): cooperatives,
    ("lock", LockGuard.NONCE): nonce,
    ("lock", LockGuard.STALE): stale,
    ("lock", LockGuard.OVERRIDE): override,
    ("effect", EffectGuard.OVERRIDE): override,
    ("instance", InstanceGuard.FRESH): fresh,
    ("human-task", HumanTaskGuard.BY_ASSIGNEE): by_assignee,
    ("parked", ParkedGuard.OVERRIDE): override,
}
