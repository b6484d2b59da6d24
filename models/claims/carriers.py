"""Carriers: one primary that commits alone and once, its cooperatives, its call (DSP-1 to DSP-5)."""

from functools import partial
from typing import Any

from dhruva.cells import EffectKind, FollowUp, Key, Kind
from dhruva.explore import Read, count, for_each
from dhruva.ids import Ref
from dhruva.inputs import CommitCarrier, WithdrawCooperative
from dhruva.limits import COOPERATIVE_MAX
from models.claims.cast import Cast, each, edges, no_longer, some, written
from models.world import Scene


def _call(ref: Ref, spawn: int) -> Key:
    return (Kind.EFFECT, EffectKind.DISPATCH, ref, spawn)


def _groups(cast: Cast, budget: int) -> tuple[Key, ...]:
    return tuple((Kind.GROUP, ref, spawn + 1) for ref in cast.refs for spawn in range(budget))


def of_carriers(scene: Scene, cast: Cast, budget: int) -> None:
    m, groups = scene.m, _groups(cast, budget)
    for group in groups:
        helpers = tuple((Kind.COOPERATIVE, *group[1:], n + 1) for n in range(2 * COOPERATIVE_MAX))
        m.always(
            f"idle counts cooperatives ({_named(group)})",
            count(helpers, lambda read, key: read(key) is not None).equals(partial(_idle, group)),
            "a group knows how many cooperatives have not withdrawn",
            cites="DSP-5a",
        )
    m.always(
        "the primary commits alone",
        each(groups, lambda read, key, group: group.state not in ("committed", "void") or group.idle == 0),
        "once a primary has committed, none of its cooperatives is there any more",
        cites="DSP-5b DSP-5c DSP-5d",
    )
    m.always(
        "carriers are bounded",
        each(groups, lambda read, key, group: group.idle <= COOPERATIVE_MAX),
        "a group has no more cooperatives than the most that is configured",
        cites="DSP-6d DSP-6h DSP-12a",
    )
    m.always(
        "one carrier at work per attempt",
        for_each(cast.refs, lambda read, ref: sum(_works(read, ref, n) for n in range(1, budget + 1)) <= 1),
        "at most one primary of an attempt is idle or committed at a time",
        cites="DSP-1a DSP-2b DSP-5a",
    )
    m.always(
        "committed means the call is on its way",
        each(
            groups, lambda read, key, group: (group.state == "committed") == _is_open(read(_call(*key[1:])))
        ),
        "a primary is committed exactly while its call is neither over nor of unknown outcome",
        cites="DSP-2b DSP-3a DSP-3d",
    )
    m.always_step(
        "a carrier commits once",
        lambda before, after, action, change: all(_forward(before(key), after, key) for key in groups),
        "void and withdrawn are final, nothing goes back to idle, and no carrier goes before its call",
        cites="DSP-2b DSP-2e DSP-3a",
    )
    m.always_step(
        "void is said of who has committed",
        lambda before, after, action, change: all(
            (edge.target == "void") == (edge.source == "committed")
            for edge in edges(change, "carrier-primary")
        ),
        "a primary that committed is spent when its call is over; one that never did was withdrawn",
        cites="DSP-2b DSP-2c DSP-2f",
    )
    m.always_step(
        "calls only for attempts that run",
        lambda before, after, action, change: all(
            _runs(before, key[1]) for key in groups if _issued(before, after, _call(*key[1:]))
        ),
        "no call is issued or taken for an attempt that has ended or was asked to end",
        cites="ACT-8b SHL-4d",
    )
    scene.takes(
        "a primary that stands alone can commit",
        (CommitCarrier,),
        lambda r, given: _runs(r, given.ref) and _stands_alone(r((Kind.GROUP, given.ref, given.spawn))),
        "once its cooperatives have withdrawn, the primary of a running attempt can commit",
        cites="DSP-2b DSP-5b DSP-5c",
    )
    scene.takes(
        "a cooperative can always withdraw",
        (WithdrawCooperative,),
        lambda r, given: r((Kind.COOPERATIVE, given.ref, given.spawn, given.number)) is not None,
        "a cooperative that is idle can withdraw",
        cites="DSP-2d DSP-5c",
    )
    m.always_step(
        "a cooperative only withdraws",
        lambda before, after, action, change: all(
            cell is None or before(key) is None for key, cell in written(change, Kind.COOPERATIVE)
        ),
        "the one thing that a cooperative ever does is to go",
        cites="DSP-2d DSP-5b DSP-5d",
    )
    m.always(
        "nothing is carried for who must stop",
        each(
            groups,
            lambda read, key, group: (
                group.state != "idle" or _runs(read, key[1]) or _withdraws_soon(read, key)
            ),
        ),
        "the idle carriers of an attempt that no longer runs are about to be withdrawn",
        cites="ACT-8b DSP-2c DSP-12a SHL-3d",
    )
    m.always(
        "what is over is forgotten",
        each(
            groups,
            lambda read, key, group: (
                group.state not in ("void", "withdrawn") or _runs(read, key[1]) or _withdraws_soon(read, key)
            ),
        ),
        "a carrier that is spent outlives its attempt by no more than a follow-up",
        cites="DSP-3a DSP-3c DSP-12a",
    )
    if m.bounds["cost"]:
        m.sometimes("two cooperatives", some(groups, lambda read, key, group: group.idle == 2))
    if m.bounds["runs"] == 1:
        m.sometimes("a call in doubt", lambda read: any(_in_doubt(read(_call(*key[1:]))) for key in groups))
    if m.bounds["depth"] or budget == 1:
        m.sometimes(
            "a second carrier commits", lambda r: any(_works(r, ref, budget) == 1 for ref in cast.refs)
        )


def _named(key: Key) -> str:
    _, ref, spawn = key
    return f"{ref.number}.{spawn}" if ref.run == 1 else f"{ref.run}.{ref.number}.{spawn}"


def _idle(key: Key, read: Read) -> int:
    group = read(key)
    return 0 if group is None else int(group.idle)


def _works(read: Read, ref: Ref, spawn: int) -> bool:
    group = read((Kind.GROUP, ref, spawn))
    return group is not None and group.state in ("idle", "committed")


def _is_open(call: Any) -> bool:
    return call is not None and call.state in ("pending", "taken")


def _in_doubt(call: Any) -> bool:
    return call is not None and call.state == "indeterminate"


def _forward(was: Any, after: Read, key: Key) -> bool:
    now = after(key)
    if was is None or now is None:
        return was is None or was.state != "committed" or not _is_open(after(_call(*key[1:])))
    onward = {"idle": ("idle", "committed", "withdrawn"), "committed": ("committed", "void")}
    return now.state in onward.get(was.state, (was.state,))


def _runs(read: Read, ref: Ref) -> bool:
    attempt = read((Kind.ATTEMPT, ref))
    return attempt is not None and attempt.state == "running"


def _issued(before: Read, after: Read, call: Key) -> bool:
    """A step that creates the call, or lets someone perform it."""
    was, now = before(call), after(call)
    return now is not None and (was is None or (was.state == "pending" and now.state == "taken"))


def of_spent(scene: Scene, cast: Cast, budget: int, *fair: str) -> None:
    for key in _groups(cast, budget):
        scene.m.leads_to(
            f"a carrier is spent in the end ({_named(key)})",
            partial(_is_at_work, key),
            no_longer(partial(_is_at_work, key)),
            "a primary commits and its call is over, or it is withdrawn; no retry goes on for ever",
            fair=fair,
            cites="DSP-3a DSP-3c DSP-12a",
        )


def _is_at_work(key: Key, read: Read) -> bool:
    return bool(_works(read, key[1], key[2]))


def _stands_alone(group: Any) -> bool:
    return group is not None and group.state == "idle" and bool(group.idle == 0)


def _withdraws_soon(read: Read, key: Key) -> bool:
    """The follow-up withdraws cooperatives at cursors below 0, the primary and its call at 0."""
    ending = read((Kind.FOLLOW, FollowUp.END_RESOURCES, key[1]))
    return ending is not None and ending.cursor <= 0 and bool(ending.spawn == key[2])
