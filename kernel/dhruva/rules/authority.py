"""The facts of authorization, gathered from cells; the commit that it allows, and its end (ACT-2, ACT-7)."""

from typing import Final

from dhruva.cells import Attempt, OwnerKind, Scope
from dhruva.decide.authority import Facts, Verdict
from dhruva.effects import StartBody
from dhruva.ids import Priority, ProcessId, Ref, ScopeId
from dhruva.limits import UNBOUNDED
from dhruva.machines.attempt import AttemptState
from dhruva.rules import keys, lanes
from dhruva.table import Refused
from dhruva.walk import Walk

NO_SCOPE: Final = Facts(None, 0, 0, 0, 0, 0, 0, 0, 0, False, False, 0, 0)
RUNNING: Final = AttemptState.RUNNING


def verdict(
    walk: Walk, scope: ScopeId, tries: int, max_tries: int, late: bool, newcomer: Priority | None
) -> Verdict:
    """What the authority answers. A slot that someone ahead of a newcomer waits for is not free for it."""
    cell, rules = walk.get((keys.SCOPE, scope)), walk.get((keys.POLICY, scope))
    if cell is None or rules is None:
        return walk.book.decide.authorize(NO_SCOPE)
    cap = walk.get(keys.CAP) if cell.capped else None
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


def commit(
    walk: Walk, ref: Ref, kind: OwnerKind, scope: ScopeId, process: ProcessId, priority: Priority
) -> Refused | None:
    """A slot is held, the attempt registered under its ref and linked to its scope, its body to be run."""
    key, home = (keys.ATTEMPT, ref), (keys.SCOPE, scope)
    known, cell = walk.get(key), walk.get(home)
    if known is not None or cell is None:
        return Refused("attempt", known and known.state, "commit", "ACT-16", "known_ref")
    older = cell.newest
    walk.put(
        home,
        Scope(
            cell.state,
            cell.active + 1,
            cell.live + 1,
            cell.spawned + 1,
            cell.queued,
            cell.waiting,
            ref,
            cell.capped,
        ),
    )
    _link(walk, older, newer=ref)
    if cell.capped:
        _hold_cap(walk, 1)
    first = Attempt(RUNNING, kind, scope, process, priority, None, 0, 0, None, older)
    walk.create("attempt", key, first)
    walk.effect(StartBody(ref, process))
    return None


def free(walk: Walk, ref: Ref, attempt: Attempt) -> None:
    """The slot is free, the attempt is no longer linked to its scope, and who waits for a slot is woken."""
    _link(walk, attempt.newer, older=attempt.older)
    _link(walk, attempt.older, newer=attempt.newer)
    home = (keys.SCOPE, attempt.scope)
    cell = walk.get(home)
    if cell is None:
        return
    newest = attempt.older if cell.newest == ref else cell.newest
    walk.put(
        home,
        Scope(
            cell.state,
            cell.active - 1,
            cell.live - 1,
            cell.spawned,
            cell.queued,
            cell.waiting,
            newest,
            cell.capped,
        ),
    )
    if cell.waiting > 0:
        lanes.wake(walk, attempt.scope)
    if cell.capped:
        _hold_cap(walk, -1)


def runs(walk: Walk, ref: Ref) -> bool:
    """Whether the attempt lives and was not asked to end."""
    attempt = walk.get((keys.ATTEMPT, ref))
    return attempt is not None and attempt.state == RUNNING


def _link(walk: Walk, ref: Ref | None, **ends: Ref | None) -> None:
    """Attempts of a scope are a list, so that dispose finds them all (ACT-11)."""
    cell = None if ref is None else walk.get((keys.ATTEMPT, ref))
    if cell is not None:
        walk.put((keys.ATTEMPT, ref), cell._replace(**ends))


def _hold_cap(walk: Walk, by: int) -> None:
    cap = walk.get(keys.CAP)
    if cap is None:
        return
    walk.put(keys.CAP, cap._replace(active=cap.active + by))
    if by < 0 and cap.first is not None:
        lanes.wake_starved(walk)
