"""Scopes: their counters, their slots, what they were asked to be, and their disposal (ACT)."""

from typing import Any

from dhruva.cells import FollowUp, Kind
from dhruva.effects import StartBody
from dhruva.explore import Model, Read, count, for_each
from dhruva.ids import Ref, ScopeId
from dhruva.inputs import Dispose, Mount, Resume, Suspend
from models.claims.cast import (
    CAN_EXECUTE,
    STREAM_ENDED,
    Cast,
    begun,
    each,
    edges,
    effects,
    named,
    some,
    written,
)
from models.world import Ghosts, Scene


def of_scopes(m: Model, cast: Cast) -> None:
    scopes = tuple((Kind.SCOPE, s) for s in cast.scopes)
    for s in cast.scopes:
        _counted(m, cast, s)
    m.always(
        "slots within the limit",
        each(scopes, lambda read, key, scope: scope.active <= read((Kind.POLICY, key[1])).max_concurrent),
        "no more slots are held than the scope may have",
        cites="ACT-2d ACT-13a LIF-7",
    )
    m.always(
        "spawns within the limit",
        each(scopes, lambda read, key, scope: scope.spawned <= read((Kind.POLICY, key[1])).max_spawns),
        "retries included, no more attempts are committed than the scope may ever have",
        cites="ACT-13b",
    )
    m.always_step(
        "no body without commit through the gate",
        lambda before, after, action, change: all(
            before((Kind.SCOPE, cell.scope)).state in CAN_EXECUTE for _, cell in begun(before, change)
        ),
        "an attempt begins only in a scope that can execute",
        cites="ACT-1c ACT-6a ACT-6c ACT-12a",
    )
    m.always_step(
        "a ref lives once",
        lambda before, after, action, change: all(
            ref.number > (before(("last", ref.owner)) or 0) for ref, _ in begun(before, change)
        ),
        "each attempt has a number that no attempt of its owner had before",
        cites="ACT-8a ACT-10b ACT-16e",
    )
    m.always_step(
        "a commit schedules the body",
        lambda before, after, action, change: (
            [StartBody(ref, cell.process) for ref, cell in begun(before, change)]
            == effects(change, StartBody)
        ),
        "an attempt begins and its body is to be run in one step, and no body is run otherwise",
        cites="ACT-1b ACT-7a ACT-7e LIF-19a SHL-4g",
    )
    m.always(
        "attached means nothing has started",
        each(scopes, lambda read, key, scope: scope.state not in ("INIT", "ATTACHED") or scope.spawned == 0),
        "the first start makes a scope RUNNING, and it never falls back",
        cites="ACT-5b ACT-5j ACT-7c",
    )
    if cast.numbers:
        m.sometimes(
            "the limit is reached",
            some(scopes, lambda read, key, s: s.active == _most(read, key[1])),
        )
        if m.bounds.get("limit", 1) != 1 and not m.bounds.get("cap"):
            m.sometimes("attempts run beside each other", some(scopes, lambda read, key, s: s.active > 1))


def _most(read: Read, scope: int) -> int:
    policy, cap = read((Kind.POLICY, scope)), read((Kind.CAP,))
    return int(policy.max_concurrent if cap is None else min(policy.max_concurrent, cap.limit))


def of_dispose(m: Model, cast: Cast) -> None:
    scopes = tuple((Kind.SCOPE, s) for s in cast.scopes)
    m.always(
        "disposed means nothing alive",
        each(scopes, lambda read, key, s: s.state != "DISPOSED" or s.live == s.active == s.queued == 0),
        "once a scope is DISPOSED, nothing of it is alive and no slot is held",
        cites="ACT-5h ACT-11e",
    )
    m.always(
        "disposing has something to wait for",
        each(scopes, lambda read, key, scope: scope.state != "DISPOSING" or scope.live > 0),
        "a scope of which nothing lives is DISPOSED in the step that saw the last of it end",
        cites="ACT-11a",
    )
    m.always(
        "a disposed scope empties its lanes",
        each(
            scopes,
            lambda read, key, scope: (
                scope.state not in ("DISPOSING", "DISPOSED")
                or scope.waiting == 0
                or read((Kind.FOLLOW, FollowUp.REJECT_QUEUED, key[1])) is not None
            ),
        ),
        "whoever still waits in a scope that was disposed is about to leave its lane",
        cites="ACT-11e ACT-13g SHL-3d",
    )
    m.always_step(
        "DISPOSING comes first",
        lambda before, after, action, change: all(
            edge.source in ("DISPOSING", "DISPOSED")
            for edge in edges(change, "scope")
            if edge.target == "DISPOSED"
        ),
        "a scope is DISPOSING before it is DISPOSED, also when nothing of it lives",
        cites="ACT-5h ACT-11a",
    )
    m.always(
        "disposing forgets nobody",
        for_each(cast.refs, lambda read, ref: _is_told_of_dispose(read, ref)),
        "in a scope that is being disposed, each attempt is aborting, or the walk is still on its way to it",
        cites="ACT-11b SHL-3d",
    )
    m.always_step(
        "dispose is for good",
        lambda before, after, action, change: all(
            before(key) is None or _only_forward(before(key), cell)
            for key, cell in written(change, Kind.SCOPE)
        ),
        "DISPOSING leads to DISPOSED alone, DISPOSED to nothing, and nothing leads back to ATTACHED",
        cites="ACT-5i ACT-5j ACT-11c",
    )
    m.sometimes("a scope is disposed", some(scopes, lambda read, key, s: s.state == "DISPOSED"))
    if cast.numbers:
        m.sometimes("dispose waits for a body", some(scopes, lambda read, key, s: s.state == "DISPOSING"))


def _counted(m: Model, cast: Cast, s: int) -> None:
    """The counters of a scope count what there is."""
    key = (Kind.SCOPE, s)
    attempts = tuple((Kind.ATTEMPT, ref) for ref in cast.refs)
    resources = tuple((Kind.RESOURCE, ref, n + 1) for ref in cast.refs for n in range(cast.resources))
    requests = tuple((Kind.REQUEST, request) for request in cast.requests)

    def here(read: Read, at: Any) -> bool:
        cell = read(at)
        return cell is not None and cell.scope == s and cell[0] not in STREAM_ENDED

    m.always(
        named("slots are attempts", s, cast.scopes),
        count(attempts, here).equals(lambda read: read(key).active if read(key) else 0),
        "a slot is held exactly while an attempt is running or aborting",
        cites="ACT-2d ACT-7b ACT-16b LIF-7 LIF-8d",
    )
    m.always(
        named("live counts the living", s, cast.scopes),
        count((*attempts, *resources, *requests), here).equals(lambda r: r(key).live if r(key) else 0),
        "`live` is the number of attempts, resources and queued requests that have not ended",
        cites="ACT-11e ACT-16c",
    )


def _is_told_of_dispose(read: Read, ref: Ref) -> bool:
    """The walk goes from newer to older; an attempt that ended while it was the walk's place restarts it."""
    attempt = read((Kind.ATTEMPT, ref))
    if attempt is None or attempt.state == "aborting":
        return True
    if read((Kind.SCOPE, attempt.scope)).state != "DISPOSING":
        return True
    walk = read((Kind.FOLLOW, FollowUp.ABORT_EACH, attempt.scope))
    if walk is None:
        return False
    at = walk.ref
    while at is not None and read((Kind.ATTEMPT, at)) is not None:
        if at == ref:
            return True
        at = read((Kind.ATTEMPT, at)).older
    return read((Kind.ATTEMPT, walk.ref)) is None


def _only_forward(before: Any, after: Any) -> bool:
    if before.state == "DISPOSED":
        return bool(after.state == "DISPOSED")
    if before.state == "DISPOSING":
        return after.state in ("DISPOSING", "DISPOSED")
    return before.state in ("INIT", "ATTACHED") or after.state != "ATTACHED"


# What a scope was asked to be, last: a ghost

ASKED = "asked"


def opens(scene: Scene, scope: ScopeId, *, mounted: bool = True, suspends: bool = True) -> None:
    """Mount (unless it is mounted already), suspend, resume and dispose, at any time."""
    if mounted:
        scene.m.var((ASKED, scope), "open")
    else:
        scene.act(f"mount({scope})", Mount(scope), ghosts=_asks(scope, "open"))
    if suspends:
        scene.act(f"suspend({scope})", Suspend(scope), ghosts=_asks(scope, "closed"))
        scene.act(f"resume({scope})", Resume(scope), ghosts=_asks(scope, "open"))
    scene.act(f"dispose({scope})", Dispose(scope), ghosts=_asks(scope, "disposed"))


def _asks(scope: ScopeId, what: str) -> Ghosts:
    return lambda read, change: {(ASKED, scope): what}


IS = {
    None: ("INIT",),
    "open": CAN_EXECUTE,
    "closed": ("SUSPENDED",),
    "disposed": ("DISPOSING", "DISPOSED"),
}


def of_gate(scene: Scene, cast: Cast) -> None:
    scopes = tuple((Kind.SCOPE, s) for s in cast.scopes)
    m = scene.m

    def asked(read: Read, given: Any) -> Any:
        return read((ASKED, given.scope))

    m.always(
        "a scope is what it was asked to be",
        each(scopes, lambda read, key, scope: scope.state in IS[read((ASKED, key[1]))]),
        "whether a scope can execute follows from mount, suspend, resume and dispose, and from nothing else",
        cites="ACT-5a ACT-5c ACT-5d ACT-5e ACT-5f ACT-5g ACT-6a ACT-6b",
    )
    scene.always_step(
        "running is said once something started",
        lambda before, after, given, change: all(
            begun(before, change) or isinstance(given, Resume)
            for key, cell in written(change, Kind.SCOPE)
            if cell.state == "RUNNING" and before(key).state != "RUNNING"
        ),
        "a scope becomes RUNNING by a start, or by being resumed",
        cites="ACT-5b ACT-5e",
    )
    scene.takes(
        "a scope is mounted once",
        (Mount,),
        lambda read, given: asked(read, given) is None,
        "a scope that was made without being mounted can be mounted",
        cites="ACT-5a ACT-17a",
    )
    scene.takes(
        "a scope can be suspended and resumed",
        (Suspend, Resume),
        lambda r, given: asked(r, given) == ("open" if isinstance(given, Suspend) else "closed"),
        "an open scope can be suspended, whether or not something has started, and then be resumed",
        cites="ACT-5c ACT-5d ACT-5e ACT-12c",
    )
    scene.takes(
        "a scope can always be disposed",
        (Dispose,),
        lambda read, given: True,
        "dispose is never refused, and to ask for it again is no error",
        cites="ACT-5f ACT-5g ACT-5i ACT-11c",
    )
