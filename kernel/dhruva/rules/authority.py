"""The facts of authorization, gathered from cells; the commit that it allows, and its end (ACT-2, ACT-7)."""

from typing import Final

from dhruva.cells import Attempt, OwnerKind, Scope
from dhruva.decide.authority import Facts, Verdict
from dhruva.effects import StartBody
from dhruva.ids import Priority, ProcessId, Ref, ScopeId
from dhruva.limits import UNBOUNDED
from dhruva.machines.attempt import AttemptState
from dhruva.rules import keys, lanes, lists
from dhruva.table import Refused
from dhruva.walk import Walk

NEWER: Final = Attempt._fields.index("newer")
OLDER: Final = Attempt._fields.index("older")
_new: Final = tuple.__new__  # see walk.py
NO_SCOPE: Final = Facts(None, 0, 0, 0, 0, 0, 0, 0, 0, False, False, 0, 0)
NO_CAP: Final = (0, UNBOUNDED)
RUNNING: Final = AttemptState.RUNNING


def verdict(
    walk: Walk, scope: ScopeId, tries: int, max_tries: int | None, late: bool, newcomer: Priority | None
) -> Verdict:
    """What the authority answers. A slot that someone ahead of a newcomer waits for is not free for it.

    Without `max_tries` it is a one-off request that asks: its scope's policy says how often it is tried.
    """
    cell, rules = walk[keys.SCOPE, scope], walk[keys.POLICY, scope]
    if cell is None or rules is None:
        return walk.book.decide.authorize(NO_SCOPE)
    state, active, _, spawned, queued, waiting, _, capped = cell
    most, max_spawns, retry, _, queues, max_queued = rules
    if newcomer is not None and waiting > 0 and lanes.ahead(walk, scope, newcomer):
        active = most
    overall, max_overall = _under_cap(walk) if capped else NO_CAP
    if max_tries is None:
        max_tries = 1 + retry
    facts = (
        state, active, most, overall, max_overall, spawned, max_spawns,
        tries, max_tries, late, queues, queued, max_queued,
    )  # fmt: skip
    return walk.book.decide.authorize(_new(Facts, facts))


def _under_cap(walk: Walk) -> tuple[int, int]:
    cap = walk[keys.CAP]
    return NO_CAP if cap is None else (cap.active, cap.limit)


def commit(
    walk: Walk, ref: Ref, kind: OwnerKind, scope: ScopeId, process: ProcessId, priority: Priority
) -> Refused | None:
    """A slot is held, the attempt registered under its ref and listed by its scope, its body to be run."""
    key, home = (keys.ATTEMPT, ref), (keys.SCOPE, scope)
    known, cell = walk[key], walk[home]
    if known is not None or cell is None:
        return Refused("attempt", known and known.state, "commit", "ACT-16", "known_ref")
    state, active, live, spawned, queued, waiting, _, capped = cell
    older = cell.newest
    walk[home] = _new(Scope, (state, active + 1, live + 1, spawned + 1, queued, waiting, ref, capped))
    if older is not None:
        lists.link(walk, (keys.ATTEMPT, older), NEWER, ref)
    if capped:
        _hold_cap(walk, 1)
    first = (RUNNING, kind, scope, process, priority, None, 0, 0, None, older)
    walk.create("attempt", key, _new(Attempt, first))
    walk.effect(_new(StartBody, (ref, process)))
    return None


def free(walk: Walk, attempt: Attempt) -> None:
    """The slot is free, the attempt no longer listed by its scope, and who waits for a slot is woken."""
    lists.part(walk, keys.ATTEMPT, attempt, NEWER, OLDER)
    home = (keys.SCOPE, attempt.scope)
    cell = walk[home]
    if cell is None:
        return
    state, active, live, spawned, queued, waiting, newest, capped = cell
    if attempt.newer is None:
        newest = attempt.older
    walk[home] = _new(Scope, (state, active - 1, live - 1, spawned, queued, waiting, newest, capped))
    if waiting > 0:
        lanes.wake(walk, attempt.scope)
    if capped:
        _hold_cap(walk, -1)


def runs(walk: Walk, ref: Ref) -> bool:
    """Whether the attempt lives and was not asked to end."""
    attempt = walk[keys.ATTEMPT, ref]
    return attempt is not None and attempt.state == RUNNING


def _hold_cap(walk: Walk, by: int) -> None:
    cap = walk[keys.CAP]
    if cap is None:
        return
    walk[keys.CAP] = cap._replace(active=cap.active + by)
    if by < 0 and cap.first is not None:
        lanes.wake_starved(walk)
