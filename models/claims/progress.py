"""What happens in the end, and which actions must not be put off for ever for that (weak fairness).

Nothing in a model says that anything ever happens: each claim names what it needs of the outside. Bodies
that were asked to stop stop, processes look at their lanes, follow-ups are handled, timers ring.
"""

from functools import partial

from dhruva.cells import Key, Kind
from dhruva.explore import Read
from models.claims.cast import CAN_EXECUTE, ENDED, Cast, no_longer
from models.world import Scene


def of_follow_ups(scene: Scene, *fair: str) -> None:
    """Each follow-up that the model handles is over in the end."""
    for action, key in scene.follow_ups.items():
        scene.m.leads_to(
            f"it is over in the end: {action}",
            partial(_is_there, key),
            no_longer(partial(_is_there, key)),
            "a follow-up is handled until it is over, and is not begun anew for ever",
            fair=(action, *fair),
            cites="SHL-3c SHL-3d",
        )


def _is_there(key: Key, read: Read) -> bool:
    return read(key) is not None


def of_disposal(scene: Scene, cast: Cast, *fair: str) -> None:
    for scope in cast.scopes:
        scene.m.leads_to(
            f"dispose ends ({scope})",
            partial(_is_disposing, scope),
            no_longer(partial(_is_disposing, scope)),
            "if bodies, workers and handlers that are asked to stop do stop, a scope is DISPOSED in the end",
            fair=fair,
            cites="ACT-11a ACT-11e ACT-11g",
        )


def _is_disposing(scope: int, read: Read) -> bool:
    return bool(read((Kind.SCOPE, scope)).state == "DISPOSING")


def of_cancelled(scene: Scene, cast: Cast, *fair: str) -> None:
    for task in cast.tasks:
        scene.m.leads_to(
            f"cancel frees the slot ({task})",
            partial(_still_runs, task),
            no_longer(partial(_still_runs, task)),
            "a cancelled task has no body in the end, and its slot is free, if the body stops when asked",
            fair=fair,
            cites="LIF-8b LIF-8d ACT-16b",
        )


def _still_runs(task: int, read: Read) -> bool:
    cell = read((Kind.TASK, task))
    return cell is not None and bool(cell.status == "cancelled" and cell.alive)


def of_accepted(scene: Scene, cast: Cast, *fair: str) -> None:
    for task in cast.tasks:
        scene.m.leads_to(
            f"an accepted task ends or is blocked ({task})",
            partial(_is_accepted, task),
            partial(_is_settled, cast, task),
            "a task ends, or its scope, spawn limit, dependency or executor keeps it from starting; no retry "
            "goes on for ever, also where each try fails",
            fair=fair,
            cites="LIF-5a LIF-15d LIF-14b ACT-12c",
        )


def _is_accepted(task: int, read: Read) -> bool:
    cell = read((Kind.TASK, task))
    return cell is not None and cell.status not in ENDED


def _is_settled(cast: Cast, task: int, read: Read) -> bool:
    cell, spec = read((Kind.TASK, task)), read((Kind.SPEC, task))
    if cell is None or cell.status in ENDED or not _may_run(read, spec.scope):
        return True
    waiter = read((Kind.WAITER, task))
    return (waiter is not None and waiter.executor is not None) or _is_blocked(read, cast, task)


def _may_run(read: Read, scope: int) -> bool:
    cell, policy = read((Kind.SCOPE, scope)), read((Kind.POLICY, scope))
    return cell.state in CAN_EXECUTE and bool(cell.spawned < policy.max_spawns)


def _is_blocked(read: Read, cast: Cast, task: int) -> bool:
    """A required dependency has ended, and not well."""
    for on in cast.tasks:
        cell = read((Kind.TASK, on))
        for n in range(cell.links if cell is not None and cell.status in ("failed", "cancelled") else 0):
            link = read((Kind.LINK, on, n + 1))
            if link is not None and link.dependent == task and link.required:
                return True
    return False


def of_queued(scene: Scene, cast: Cast, *fair: str) -> None:
    for request in cast.requests:
        scene.m.leads_to(
            f"who is queued is served ({request})",
            partial(_is_there, (Kind.REQUEST, request)),
            partial(_is_served, (Kind.REQUEST, request)),
            "a queued request leaves the queue, or its scope or its spawn limit keeps it there",
            fair=fair,
            cites="ACT-1d ACT-13e LIF-6a",
        )


def _is_served(key: Key, read: Read) -> bool:
    cell = read(key)
    return cell is None or not _may_run(read, cell.scope)
