"""Workers, handlers, streams: bound to one attempt, and told to end with it (ACT-9, ACT-11, ACT-16)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from dhruva.cells import Change, FollowUp, Key, Kind
from dhruva.effects import EndResource
from dhruva.explore import Read
from dhruva.inputs import AddHandler, AddStream, AddWorker, Handle, ResourceEvent
from models.claims.cast import CAN_EXECUTE, Cast, each, edges, effects, some, written
from models.claims.ends import ended
from models.world import Scene

ORDERED_TO_END = ("terminating", "cancelling")
TOLD = (*ORDERED_TO_END, "aborted")
STARTED = ("running", "open", *ORDERED_TO_END)
REPORTS = ("finish", "fail", "complete", "close")  # what a running one says of itself
LAST_SEEN = (*REPORTS, "exited", "stopped")  # what is seen of one that was told to end
ADDS = (AddWorker, AddHandler, AddStream)


def buried(read: Read, change: Change) -> Mapping[Key, Any]:
    """A ghost: the attempts whose process was seen to be gone while they held something."""
    gone = [edge.key[1] for edge in change.edges if edge.machine == "attempt" and edge.on == "owner_gone"]
    return {("buried", ref): True for ref in gone if read((Kind.ATTEMPT, ref)).resources > 0}


def of_resources(scene: Scene, cast: Cast) -> None:
    """Needs the ghost `buried`."""
    m = scene.m
    keys = tuple((Kind.RESOURCE, ref, n + 1) for ref in cast.refs for n in range(cast.resources))
    m.always(
        "what outlives its attempt is told to end",
        each(keys, lambda read, key, cell: _runs_on(read, key) or _ends_soon(read, key, cell)),
        "a worker, handler or stream whose attempt no longer runs was told to end, or is about to be",
        cites="ACT-9b ACT-11b ACT-16c",
    )
    m.always(
        "what a dead process held has ended",
        each(keys, lambda read, key, cell: read(("buried", key[1])) is None or _is_buried_soon(read, key)),
        "once its process is seen to be gone, each worker, handler and stream ends without being asked",
        cites="ACT-16d",
    )
    m.always_step(
        "resources only while running",
        lambda before, after, action, change: all(
            cell is None or before(key) is not None or _may_hold(before, key)
            for key, cell in written(change, Kind.RESOURCE)
        ),
        "a worker, handler or stream begins only for a running attempt, in a scope that is not suspended",
        cites="ACT-9a ACT-9c ACT-12a",
    )
    scene.always_step(
        "a failure aborts the attempt",
        lambda before, after, given, change: all(
            (edge.target == "failed") == _failed(given, edge.key, before(edge.key))
            and (edge.target != "failed" or _aborts(before, after, edge.key, edge.machine))
            for machine in ("worker", "handler")
            for edge in edges(change, machine)
        ),
        "a worker or handler that fails of its own accord is failed, and its attempt stops for that reason",
        cites="ACT-9d ACT-9e ACT-9g",
    )
    scene.always_step(
        "what ends is recorded as it was seen",
        lambda before, after, given, change: all(
            edge.target == said
            for machine in ("worker", "handler", "stream")
            for edge in edges(change, machine)
            if edge.source != edge.target or _event(given, edge.key) in LAST_SEEN
            if (said := _said(given, edge.key, before(edge.key))) is not None
        ),
        "of one that ends by itself the record says so; one that was told to end is terminated or cancelled",
        cites="ACT-9d ACT-9e ACT-9f",
    )
    scene.always_step(
        "who is told to end hears it",
        lambda before, after, given, change: all(
            EndResource(edge.key[1], edge.key[2]) in effects(change, EndResource)
            for machine in ("worker", "handler", "stream")
            for edge in edges(change, machine)
            if edge.source != edge.target
            if edge.target in TOLD or _still_hears(before, given)
        ),
        "a worker, handler or stream that is told to end is asked, or told that it has, in that step",
        cites="ACT-11b ACT-16c",
    )
    scene.always_step(
        "the end of what runs is seen",
        lambda before, after, given, change: all(
            cell is not None
            or before(key).state not in ("running", *ORDERED_TO_END)
            or _event(given, key) in LAST_SEEN
            or _is_buried_soon(before, key)
            for key, cell in written(change, Kind.RESOURCE)
        ),
        "a worker or handler that runs has ended when that was seen, or its process was seen to be gone",
        cites="ACT-16c ACT-16d",
    )
    m.always_step(
        "told to end is for good",
        lambda before, after, action, change: all(
            was is None or was.state not in ORDERED_TO_END or cell is None or cell.state == was.state
            for key, cell in written(change, Kind.RESOURCE)
            for was in (before(key),)
        ),
        "one that was told to end runs no more",
        cites="ACT-11b",
    )
    m.always_step(
        "an end that was not seen tells everything",
        lambda before, after, action, change: all(
            attempt.resources == 0 or after((Kind.FOLLOW, FollowUp.END_RESOURCES, ref)) is not None
            for ref, attempt in ended(before, change)
            if attempt.state == "running" or action.startswith(("owner gone", "abandon"))
        ),
        "where the end of a body is its first news, all that it holds is told to end",
        cites="ACT-11b ACT-16c ACT-16d",
    )
    scene.takes(
        "a running attempt can hold something",
        ADDS,
        lambda read, given: _may_hold(read, (Kind.RESOURCE, given.ref)),
        "after commit an attempt may have workers, handlers and streams",
        cites="ACT-7d ACT-9a",
    )
    scene.takes(
        "what is seen of a resource is heard",
        (ResourceEvent,),
        lambda read, given: _is_heard(read((Kind.RESOURCE, given.ref, given.number)), given.event),
        "what starts, ends or fails says so itself, whatever became of its attempt, until it has ended",
        cites="ACT-8c ACT-11c ACT-16c ACT-16d",
    )
    m.sometimes("a worker outlives its attempt", some(keys, lambda read, key, _: _holder(read, key) is None))
    m.sometimes("something is told to end", some(keys, lambda r, key, cell: cell.state in ORDERED_TO_END))
    for kind in ("worker", "handler"):
        m.sometimes(f"a {kind} runs", some(keys, partial(_is_running, kind)))


def _is_running(kind: str, _read: Read, _key: Any, cell: Any) -> bool:
    return bool(cell.kind == kind and cell.state == "running")


def _holder(read: Read, key: Any) -> Any:
    return read((Kind.ATTEMPT, key[1]))


def _runs_on(read: Read, key: Any) -> bool:
    attempt = _holder(read, key)
    return attempt is not None and attempt.state == "running"


def _ends_soon(read: Read, key: Any, cell: Any) -> bool:
    return cell.state in ORDERED_TO_END or _is_on_its_way(read, key) is not None


def _is_on_its_way(read: Read, key: Any) -> Any:
    """The follow-up that will tell this one to end, if there is one."""
    ending = read((Kind.FOLLOW, FollowUp.END_RESOURCES, key[1]))
    return ending if ending is not None and ending.cursor <= key[2] <= ending.last else None


def _is_buried_soon(read: Read, key: Any) -> bool:
    ending = _is_on_its_way(read, key)
    return ending is not None and bool(ending.gone)


def _may_hold(read: Read, key: Any) -> bool:
    return _runs_on(read, key) and read((Kind.SCOPE, _holder(read, key).scope)).state in CAN_EXECUTE


def _still_hears(read: Read, given: Any) -> bool:
    """Told by the follow-up, in a process that is not gone."""
    return isinstance(given, Handle) and not read(given.key).gone


def _event(given: Any, key: Any) -> str | None:
    """What was seen of this very resource."""
    own = isinstance(given, ResourceEvent) and (given.ref, given.number) == key[1:]
    return str(given.event) if own else None


def _failed(given: Any, key: Any, was: Any) -> bool:
    return _event(given, key) == "fail" and was.state == "running"


def _aborts(before: Read, after: Read, key: Any, machine: str) -> bool:
    was, now = _holder(before, key), _holder(after, key)
    return was is None or was.reason is not None or (now is not None and now.reason == machine)


ENDS = {"worker": "terminated", "handler": "cancelled", "stream": "aborted"}
ENDS_ITSELF = {"finish": "terminated", "complete": "completed", "close": "closed"}


def _said(given: Any, key: Any, was: Any) -> str | None:
    """What the record says of one that ended in this step; None where that is another claim's."""
    event = _event(given, key)
    if was.state in ("closed", "aborted"):
        return str(was.state)
    if was.state in ORDERED_TO_END:
        return ENDS[was.kind] if event in LAST_SEEN or event is None else None
    if event is None and was.state != "running":
        return ENDS[was.kind]
    return ENDS_ITSELF.get(event or "")


def _is_heard(cell: Any, event: str) -> bool:
    if cell is None:
        return False
    known = {
        "worker": ("start", "finish", "fail", "terminate", "exited"),
        "handler": ("start", "complete", "fail", "cancel", "stopped"),
        "stream": ("close", "abort"),
    }[cell.kind]
    if event not in known:
        return False
    if event == "start":
        return cell.state in ("idle", "pending")
    if event in ("terminate", "cancel", "abort"):
        return bool(cell.state != "aborted")
    if event in ("exited", "stopped"):
        return cell.state in ORDERED_TO_END
    return cell.state in STARTED or cell.state == "aborted"
