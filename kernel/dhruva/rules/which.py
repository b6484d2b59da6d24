"""Which cell each wire reaches: one mapping, total over `Which` (tested). None: the wire reaches nothing."""

from collections.abc import Callable
from typing import Any, Final

from dhruva.cells import EffectKind, Key, OwnerKind, ResourceKind
from dhruva.decide.authority import Verdict
from dhruva.ids import Ref
from dhruva.machines.attempt import AbortReason
from dhruva.machines.instance import WaitKind
from dhruva.machines.scope import ScopeState
from dhruva.rules import flows, keys, lanes
from dhruva.rules import outcome as outcomes
from dhruva.walk import NOTHING, Given, Walk
from dhruva.wiring import Which

Found = tuple[Key, Given] | tuple[Key, Given, str] | None
Seek = Callable[[Walk, Key, Any, Given], Found]

BY_USER: Final = Given(reason=AbortReason.USER)
BY_DISPOSE: Final = Given(reason=AbortReason.DISPOSE)
BY_WORKER: Final = Given(reason=AbortReason.WORKER)
BY_HANDLER: Final = Given(reason=AbortReason.HANDLER)
DISPOSING: Final = ScopeState.DISPOSING
OF_TASK: Final = OwnerKind.TASK
DISPOSED: Final = Given(verdict=Verdict.SCOPE_DISPOSED)


def scope(walk: Walk, key: Key, cell: Any, _given: Given) -> Found:
    """What starts is a request, which names its scope, or a task, whose spec does."""
    if key[0] == keys.TASK:
        cell = walk[keys.SPEC, key[1]]
    return None if cell is None else ((keys.SCOPE, cell.scope), NOTHING)


def drained(walk: Walk, key: Key, cell: Any, _given: Given) -> Found:
    """What ended names its scope, or is the scope that is disposed of while nothing lives."""
    found = key if key[0] == keys.SCOPE else (keys.SCOPE, cell.scope)
    here = walk[found]
    if here is None or here.live != 0 or here.state != DISPOSING:
        return None
    return found, NOTHING


def outcome(walk: Walk, key: Key, attempt: Any, given: Given) -> Found:
    """What the end of this attempt says to its task (ACT-18)."""
    if attempt.kind != OF_TASK:
        return None
    owner = key[1].owner
    task, spec = walk[keys.TASK, owner], walk[keys.SPEC, owner]
    if task is None or spec is None:
        return None
    settled = outcomes.settled(walk, attempt, task.status, given, spec.retry_on_timeout)
    if settled.event is None:
        return None
    if settled.failure is None:
        return (keys.TASK, owner), NOTHING, settled.event
    passed = Given(failure=settled.failure, retriable=settled.retry, counts_try=settled.counts_try)
    return keys.task(owner), passed, settled.event


def itself(_walk: Walk, key: Key, _cell: Any, given: Given) -> Found:
    return key, given


def running(_walk: Walk, key: Key, task: Any, _given: Given) -> Found:
    return keys.attempt(Ref(key[1], task.run, task.number)), BY_USER


def holder(_walk: Walk, key: Key, resource: Any, _given: Given) -> Found:
    return keys.attempt(key[1]), BY_WORKER if resource.kind == ResourceKind.WORKER else BY_HANDLER


def carrier(_walk: Walk, key: Key, _effect: Any, _given: Given) -> Found:
    return ((keys.GROUP, key[2], key[3]), NOTHING) if key[1] == EffectKind.DISPATCH else None


def claim(_walk: Walk, _key: Key, delivery: Any, _given: Given) -> Found:
    return (keys.LOCK, delivery.target), Given(nonce=delivery.nonce)


def early(walk: Walk, key: Key, _cell: Any, given: Given) -> Found:
    """The signal of this name came before the wait for it (WFL-22)."""
    here = walk[key]
    if here is None:
        return None
    kept = walk[keys.KEPT, key[1], flows.name_of(given.name, here)]
    if kept is None:
        return None
    return key, Given(signal=kept.signal, token=here.token, name=given.name, early=True)


def parent(walk: Walk, key: Key, _follow: Any, _given: Given) -> Found:
    instance = walk[keys.INSTANCE, key[2]]
    if instance is None or instance.parent is None:
        return None
    return keys.instance(instance.parent), Given(token=instance.parent_token)


def human(_walk: Walk, key: Key, _instance: Any, _given: Given) -> Found:
    return (keys.HUMAN, key[1]), NOTHING


def stale_human(_walk: Walk, key: Key, _instance: Any, given: Given) -> Found:
    return None if given.waits == WaitKind.HUMAN else ((keys.HUMAN, key[1]), NOTHING)


def instance(_walk: Walk, key: Key, human_task: Any, _given: Given) -> Found:
    return keys.instance(key[1]), Given(token=human_task.token)


def cursor(_walk: Walk, _key: Key, follow: Any, _given: Given) -> Found:
    return None if follow.ref is None else (keys.attempt(follow.ref), BY_DISPOSE)


def cursor_task(walk: Walk, _key: Key, follow: Any, _given: Given) -> Found:
    """Not if the attempt was asked to end before, for another reason: the first decides (ACT-18)."""
    attempt = None if follow.ref is None else walk[keys.ATTEMPT, follow.ref]
    if attempt is None or attempt.kind != OF_TASK or attempt.reason != AbortReason.DISPOSE:
        return None
    return keys.task(follow.ref.owner), NOTHING


def first_request(walk: Walk, key: Key, _follow: Any, _given: Given) -> Found:
    first = lanes.head(walk, key[2])
    if first is None or first.kind != OwnerKind.REQUEST:
        return None
    return keys.request(first.owner), DISPOSED


def cooperative(_walk: Walk, key: Key, ending: Any, _given: Given) -> Found:
    if ending.cursor >= 0:
        return None
    return (keys.COOPERATIVE, key[2], ending.spawn, ending.cursor - keys.FIRST_CARRIER + 1), NOTHING


def group(_walk: Walk, key: Key, ending: Any, _given: Given) -> Found:
    return ((keys.GROUP, key[2], ending.spawn), NOTHING) if _begins(ending) else None


def call(_walk: Walk, key: Key, ending: Any, _given: Given) -> Found:
    return ((keys.EFFECT, EffectKind.DISPATCH, key[2], ending.spawn), NOTHING) if _begins(ending) else None


def _begins(ending: Any) -> bool:
    return bool(ending.cursor == 0)


def _resource(kind: ResourceKind, only_lost: bool) -> Seek:
    """The resource at which the follow-up stands, if it is of this kind."""

    def seek(walk: Walk, key: Key, ending: Any, _given: Given) -> Found:
        here = (keys.RESOURCE, key[2], ending.cursor)
        cell = walk[here]
        if cell is None or cell.kind != kind or (only_lost and not ending.gone):
            return None
        return here, NOTHING

    return seek


def watcher(walk: Walk, key: Key, _follow: Any, _given: Given) -> Found:
    watch = walk[keys.WATCH, key[2]]
    return None if watch is None else (keys.instance(watch.instance), Given(token=watch.token))


def reset_task(_walk: Walk, key: Key, _follow: Any, _given: Given) -> Found:
    return keys.task(key[2]), NOTHING


def left_task(walk: Walk, key: Key, follow: Any, _given: Given) -> Found:
    task = walk[keys.TASK, key[2]]
    return None if task is None or task.run != follow.cursor else (keys.task(key[2]), NOTHING)


def child(_walk: Walk, key: Key, _follow: Any, _given: Given) -> Found:
    return keys.instance(key[2]), NOTHING


WHICH: Final[dict[Which, Seek]] = {
    Which.SCOPE: scope,
    Which.DRAINED: drained,
    Which.OUTCOME: outcome,
    Which.ITSELF: itself,
    Which.RUNNING: running,
    Which.HOLDER: holder,
    Which.CARRIER: carrier,
    Which.CLAIM: claim,
    Which.EARLY: early,
    Which.PARENT: parent,
    Which.HUMAN: human,
    Which.STALE_HUMAN: stale_human,
    Which.INSTANCE: instance,
    Which.CURSOR: cursor,
    Which.CURSOR_TASK: cursor_task,
    Which.FIRST_REQUEST: first_request,
    Which.COOPERATIVE: cooperative,
    Which.GROUP: group,
    Which.CALL: call,
    Which.WORKER: _resource(ResourceKind.WORKER, only_lost=False),
    Which.HANDLER: _resource(ResourceKind.HANDLER, only_lost=False),
    Which.STREAM: _resource(ResourceKind.STREAM, only_lost=False),
    Which.LOST_WORKER: _resource(ResourceKind.WORKER, only_lost=True),
    Which.LOST_HANDLER: _resource(ResourceKind.HANDLER, only_lost=True),
    Which.WATCHER: watcher,
    Which.RESET_TASK: reset_task,
    Which.LEFT_TASK: left_task,
    Which.CHILD: child,
}
