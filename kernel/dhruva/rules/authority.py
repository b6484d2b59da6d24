"""The facts of authorization, gathered from cells, and the commit that it allows (ACT-2, ACT-7)."""

from dhruva.cells import Attempt, Key, Kind, OwnerKind, Scope
from dhruva.decide.authority import Facts, Verdict
from dhruva.effects import StartBody
from dhruva.ids import Priority, ProcessId, Ref, ScopeId
from dhruva.limits import UNBOUNDED
from dhruva.machines.attempt import AttemptState
from dhruva.rules import keys, lanes
from dhruva.table import Refused
from dhruva.walk import Walk


def policy(scope: ScopeId) -> Key:
    return (Kind.POLICY, scope)


def verdict(
    walk: Walk, scope: ScopeId, tries: int, max_tries: int, late: bool, newcomer: Priority | None
) -> Verdict:
    """What the authority answers. A slot that someone ahead of a newcomer waits for is not free for it."""
    cell, rules = walk.get(keys.scope(scope)), walk.get(policy(scope))
    if cell is None or rules is None:
        return walk.book.decide.authorize(NO_SCOPE)
    cap = walk.get(keys.CAP) if rules.capped else None
    overtakes = newcomer is not None and cell.waiting > 0 and lanes.ahead(walk, scope, newcomer)
    facts = Facts(
        cell.state,
        rules.max_concurrent if overtakes else cell.active,
        rules.max_concurrent,
        0 if cap is None else cap.active,
        UNBOUNDED if cap is None else cap.limit,
        cell.spawned,
        rules.max_spawns,
        tries,
        max_tries,
        late,
        rules.queues,
        cell.queued,
        rules.max_queued,
    )
    return walk.book.decide.authorize(facts)


NO_SCOPE = Facts(None, 0, 0, 0, 0, 0, 0, 0, 0, False, False, 0, 0)


def commit(
    walk: Walk, ref: Ref, kind: OwnerKind, scope: ScopeId, process: ProcessId, priority: Priority
) -> Refused | None:
    """A slot is held, the attempt registered under its ref and linked to its scope, its body to be run."""
    known, cell, rules = walk.get(keys.attempt(ref)), walk.get(keys.scope(scope)), walk.get(policy(scope))
    if known is not None or cell is None or rules is None:
        return Refused("attempt", known and known.state, "commit", "ACT-16", "known_ref")
    walk.put(
        keys.scope(scope),
        Scope(cell.state, cell.active + 1, cell.live + 1, cell.spawned + 1, cell.queued, cell.waiting, ref),
    )
    older = cell.newest
    if older is not None:
        last = walk.get(keys.attempt(older))
        if last is not None:
            walk.put(keys.attempt(older), last._replace(newer=ref))
    if rules.capped:
        _hold_cap(walk, 1)
    walk.create(
        "attempt",
        keys.attempt(ref),
        Attempt(AttemptState.RUNNING, kind, scope, process, priority, None, 0, 0, None, older),
    )
    walk.effect(StartBody(ref, process))
    return None


def free(walk: Walk, ref: Ref, attempt: Attempt) -> None:
    """The slot is free, the attempt is no longer linked to its scope, and who waits for a slot is woken."""
    _unlink(walk, attempt)
    cell, rules = walk.get(keys.scope(attempt.scope)), walk.get(policy(attempt.scope))
    if cell is None or rules is None:
        return
    newest = attempt.older if cell.newest == ref else cell.newest
    walk.put(
        keys.scope(attempt.scope),
        Scope(cell.state, cell.active - 1, cell.live - 1, cell.spawned, cell.queued, cell.waiting, newest),
    )
    if cell.waiting > 0:
        lanes.wake(walk, attempt.scope)
    if rules.capped:
        _hold_cap(walk, -1)


def _unlink(walk: Walk, attempt: Attempt) -> None:
    if attempt.newer is not None:
        newer = walk.get(keys.attempt(attempt.newer))
        if newer is not None:
            walk.put(keys.attempt(attempt.newer), newer._replace(older=attempt.older))
    if attempt.older is not None:
        older = walk.get(keys.attempt(attempt.older))
        if older is not None:
            walk.put(keys.attempt(attempt.older), older._replace(newer=attempt.newer))


def _hold_cap(walk: Walk, by: int) -> None:
    cap = walk.get(keys.CAP)
    if cap is None:
        return
    walk.put(keys.CAP, cap._replace(active=cap.active + by))
    if by < 0 and cap.first is not None:
        lanes.wake_starved(walk)
