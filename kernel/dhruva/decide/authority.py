"""May this request execute now? One answer, the first rule that decides (ACT-2, ACT-3, ACT-6, ACT-13)."""

from enum import StrEnum
from typing import Final, NamedTuple

from dhruva.machines.scope import ALIVE, CAN_EXECUTE, ScopeState


class Verdict(StrEnum):
    """What the authority answers. All but the first two are rejections, in the order of ACT-3."""

    AUTHORIZED = "authorized"
    QUEUED = "queued"
    SCOPE_NOT_FOUND = "scope_not_found"
    SCOPE_DISPOSED = "scope_disposed"
    SCOPE_SUSPENDED = "scope_suspended"
    SCOPE_NOT_ATTACHED = "scope_not_attached"
    SPAWN_LIMIT = "spawn_limit"
    POLICY_WINDOW = "policy_window"
    CONCURRENCY_LIMIT = "concurrency_limit"
    QUEUE_FULL = "queue_full"


REJECTIONS: Final = tuple(v for v in Verdict if v not in (Verdict.AUTHORIZED, Verdict.QUEUED))


_AUTHORIZED: Final = Verdict.AUTHORIZED  # the answers under load: bound once
_CONCURRENCY_LIMIT: Final = Verdict.CONCURRENCY_LIMIT
_SUSPENDED: Final = ScopeState.SUSPENDED


class Facts(NamedTuple):
    """All that authorization looks at. A limit that is not set is limits.UNBOUNDED."""

    scope: ScopeState | None
    active: int  # slots held in the scope
    max_concurrent: int
    active_overall: int  # slots held in all scopes
    max_overall: int
    spawned: int  # attempts ever committed in the scope
    max_spawns: int
    tries: int  # attempts of this run, or of this request, so far
    max_tries: int
    waited_too_long: bool  # a timer said so
    queues: bool  # the policy queues what is over the limit
    queued: int
    max_queued: int


def authorize(facts: Facts) -> Verdict:
    """Authorized iff every rule of ACT-2 holds; otherwise queued, or rejected for the first broken rule."""
    (
        scope, active, max_concurrent, active_overall, max_overall, spawned, max_spawns,
        tries, max_tries, waited_too_long, queues, queued, max_queued,
    ) = facts  # fmt: skip
    if facts.scope is None:
        return Verdict.SCOPE_NOT_FOUND
    if scope not in ALIVE:
        return Verdict.SCOPE_DISPOSED
    if scope == _SUSPENDED:
        return Verdict.SCOPE_SUSPENDED
    if scope not in CAN_EXECUTE:
        return Verdict.SCOPE_NOT_ATTACHED
    if spawned >= max_spawns:
        return Verdict.SPAWN_LIMIT
    if waited_too_long or tries >= max_tries:
        return Verdict.POLICY_WINDOW
    if active < max_concurrent and active_overall < max_overall:
        return _AUTHORIZED
    if not queues:
        return _CONCURRENCY_LIMIT
    if queued < max_queued:
        return Verdict.QUEUED
    return Verdict.QUEUE_FULL
