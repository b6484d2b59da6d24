"""The shapes of inputs and cells: a symbolic value for each field, by the annotation of the field.

An input whose key is free has one shape per kind of key that the kernel makes, and a few that it never makes.
"""

import functools
import types
import typing
from collections.abc import Callable
from enum import Enum
from typing import Any, Final, NamedTuple

import z3  # type: ignore[import-untyped]

from dhruva import cells as c
from dhruva.cells import EffectKind, FollowUp, Kind, ResourceKind
from dhruva.ids import Nonce, Ref, Version, WaitToken
from dhruva.inputs import Ack, EffectFailed, Handle, Lost, Resolve, ResourceEvent, Take
from dhruva.machines.attempt import HOLDS_SLOT
from dhruva.machines.carrier import CarrierState
from dhruva.machines.effect import EffectState
from dhruva.machines.human_task import HumanTaskState
from dhruva.machines.parked import ParkedState
from dhruva.machines.request import RequestState
from dhruva.machines.resources import (
    HandlerEvent,
    HandlerState,
    StreamEvent,
    StreamState,
    WorkerEvent,
    WorkerState,
)
from dhruva.rules import RULES
from proofs.engine import Unsupported
from proofs.values import LazyBool, LazyEnum, Number, Opt, SymRef, see

COUNTED: Final = (Nonce, WaitToken, Version)
"""Ids that the kernel counts (ADR 10): arithmetic is theirs; the others are compared with == only."""


_int = functools.cache(z3.Int)  # a name is one term, however often a path is run again


def number(name: str, family: str, is_id: bool = False) -> Number:
    return Number(_int(name), family, is_id)


def owner(name: str) -> Number:
    return number(name, "OwnerId", True)


def ref(name: str) -> SymRef:
    owner_, run = owner(f"{name}.owner"), number(f"{name}.run", "run")
    return tuple.__new__(SymRef, (owner_, run, number(f"{name}.number", "number")))


def _named(name: str, field: str, kind: Any) -> Number:
    if kind in COUNTED:
        return number(name, field)
    root = kind
    while hasattr(root.__supertype__, "__supertype__"):
        root = root.__supertype__
    return number(name, root.__name__, True)


def value(name: str, field: str, kind: Any) -> Any:
    """A symbolic value of this type."""
    if isinstance(kind, typing.NewType):
        return _named(name, field, kind)
    if kind is Ref:
        return ref(name)
    if kind is bool:
        return LazyBool(name)
    if kind is int:
        return number(name, field)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return LazyEnum(name, tuple(kind))
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        return _optional(name, field, kind)
    raise Unsupported(f"field {name} of type {kind}")


def _optional(name: str, field: str, kind: Any) -> Opt:
    inner = [k for k in typing.get_args(kind) if k is not types.NoneType]
    if len(inner) != 1:
        raise Unsupported(f"field {name} of type {kind}")
    if typing.get_origin(inner[0]) is tuple:
        return Opt(name, *(_walk_key(name, kind) for kind in (FollowUp.RECALL, FollowUp.RESET)))
    return Opt(name, lambda: value(name, field, inner[0]))


def _walk_key(name: str, kind: FollowUp) -> Callable[[], c.Key]:
    return lambda: (Kind.FOLLOW, kind, owner(name))


_HINTS: dict[type, dict[str, Any]] = {}


def hints(cls: type) -> dict[str, Any]:
    """The annotations of a class, resolved."""
    if cls not in _HINTS:
        _HINTS[cls] = typing.get_type_hints(cls)
    return _HINTS[cls]


# Cells

CELLS: Final[dict[Kind, type]] = {
    Kind.SCOPE: c.Scope,
    Kind.POLICY: c.Policy,
    Kind.LANES: c.Lanes,
    Kind.WAITER: c.Waiter,
    Kind.CAP: c.Cap,
    Kind.STARVED: c.Starved,
    Kind.REQUEST: c.Request,
    Kind.ATTEMPT: c.Attempt,
    Kind.RESOURCE: c.Resource,
    Kind.TASK: c.Task,
    Kind.SPEC: c.Spec,
    Kind.LINK: c.Link,
    Kind.WATCH: c.Watch,
    Kind.EXECUTOR: c.Executor,
    Kind.DISPATCH: c.Dispatch,
    Kind.GROUP: c.Group,
    Kind.COOPERATIVE: c.Cooperative,
    Kind.DELIVERY: c.Delivery,
    Kind.LOCK: c.Lock,
    Kind.EFFECT: c.EffectCell,
    Kind.INSTANCE: c.Instance,
    Kind.HUMAN: c.Human,
    Kind.KEPT: c.Kept,
    Kind.PARKED: c.Parked,
}
CELL_OF_FOLLOW_UP: Final[dict[FollowUp, type]] = {
    **dict.fromkeys(FollowUp, c.Follow),
    FollowUp.END_RESOURCES: c.Ending,
    FollowUp.ASK_AGAIN: c.Again,
}
OF_RESOURCE: Final[dict[ResourceKind, tuple[Any, ...]]] = {
    ResourceKind.WORKER: (WorkerState.IDLE, WorkerState.RUNNING, WorkerState.TERMINATING),
    ResourceKind.HANDLER: (HandlerState.PENDING, HandlerState.RUNNING, HandlerState.CANCELLING),
    ResourceKind.STREAM: tuple(StreamState),  # one that was closed or aborted is kept, and says which
}
LIVING: Final[dict[type, tuple[Any, ...]]] = {
    c.Attempt: tuple(sorted(HOLDS_SLOT)),
    c.Request: (RequestState.QUEUED,),
    c.Cooperative: (CarrierState.IDLE,),
    c.EffectCell: (EffectState.PENDING, EffectState.TAKEN, EffectState.INDETERMINATE),
    c.Human: (HumanTaskState.PENDING, HumanTaskState.ASSIGNED),
    c.Parked: (ParkedState.PARKED,),
}
"""A cell lives as long as its thing (ADR 9): these are the states in which one exists. Claimed and proved."""


def cell_class(key: c.Key) -> type | None:
    """The class of the cell under a key, None for a key under which the kernel never puts one."""
    if not key or not isinstance(key[0], Kind):
        return None
    if key[0] == Kind.FOLLOW:
        return CELL_OF_FOLLOW_UP[key[1]] if len(key) > 1 and isinstance(key[1], FollowUp) else None
    return CELLS[key[0]] if len(key) > 1 or key[0] == Kind.CAP else None


def cell(cls: type, name: str, key: c.Key) -> Any:
    """A cell of this class of which nothing is known but that it is well formed."""
    fields = {
        field: kind for field, kind in hints(cls).items() if not (cls is c.Resource and field == "state")
    }
    made = {field: value(f"{name}.{field}", field, kind) for field, kind in fields.items()}
    if cls in LIVING:
        made["state"] = LazyEnum(f"{name}.state", LIVING[cls])
    if cls is c.Resource:
        made["state"] = LazyEnum(f"{name}.state", OF_RESOURCE[made["kind"].member()])
    if cls is c.Follow and key[1] == FollowUp.ABORT_EACH:
        made["ref"] = ref(f"{name}.ref")
    return tuple.__new__(cls, tuple(made[field] for field in hints(cls)))


# Inputs


class Shape(NamedTuple):
    """One way in which an input can look; `build` makes it anew on every path."""

    name: str
    of: type
    build: Callable[[], Any]


EVENTS: Final = tuple({str(e): e for kind in (WorkerEvent, HandlerEvent, StreamEvent) for e in kind}.values())


def _plain(cls: type) -> Any:
    made = []
    for field, kind in hints(cls).items():
        if cls is ResourceEvent and field == "event":
            made.append(LazyEnum("input.event", EVENTS))
        else:
            made.append(see(value(f"input.{field}", field, kind)))
    return tuple.__new__(cls, tuple(made))


FOLLOW_KEYS: Final[dict[FollowUp, Callable[[], c.Key]]] = {
    **dict.fromkeys(FollowUp, lambda: (owner("input.key.id"),)),
    FollowUp.WAKE_STARVED: lambda: (),
    **dict.fromkeys(
        (FollowUp.WAKE, FollowUp.ABORT_EACH, FollowUp.REJECT_QUEUED),
        lambda: (number("input.key.id", "ScopeId", True),),
    ),
    **dict.fromkeys(
        (FollowUp.CANCEL_CHILD, FollowUp.TELL_PARENT), lambda: (number("input.key.id", "InstanceId", True),)
    ),
    FollowUp.RETURN: lambda: (number("input.key.id", "ExecutorId", True),),
    FollowUp.END_RESOURCES: lambda: (ref("input.key.ref"),),
}
EFFECT_KEYS: Final[dict[EffectKind, Callable[[], c.Key]]] = {
    EffectKind.DISPATCH: lambda: (ref("input.key.ref"), number("input.key.spawn", "spawn")),
    EffectKind.RUN_SLICE: lambda: (
        number("input.key.id", "InstanceId", True),
        number("input.key.version", "version"),
    ),
}
STRANGE_KEYS: Final[dict[str, Callable[[], c.Key]]] = {
    "no key": lambda: (),
    "a kind alone": lambda: (Kind.FOLLOW,),
    "an effect without a name": lambda: (Kind.EFFECT,),
    "another cell's key": lambda: (Kind.TASK, owner("input.key.id")),
}
_OF_EFFECT: Final = (Take, Ack, EffectFailed, Lost, Resolve)


def _with_key(cls: type, name: str, key: Callable[[], c.Key]) -> Shape:
    def build() -> Any:
        rest = {f: see(value(f"input.{f}", f, kind)) for f, kind in hints(cls).items() if f != "key"}
        return cls(key=key(), **rest)

    return Shape(f"{cls.__name__} ({name})", cls, build)


def _keyed(kind: Kind, of: Any, tail: Callable[[], c.Key]) -> Callable[[], c.Key]:
    return lambda: (kind, of, *tail())


def _shapes(cls: type) -> list[Shape]:
    if cls is Handle:
        made = [_with_key(cls, k, _keyed(Kind.FOLLOW, k, tail)) for k, tail in FOLLOW_KEYS.items()]
    elif cls in _OF_EFFECT:
        made = [_with_key(cls, k, _keyed(Kind.EFFECT, k, tail)) for k, tail in EFFECT_KEYS.items()]
    else:
        return [Shape(cls.__name__, cls, lambda: _plain(cls))]
    return [*made, *(_with_key(cls, name, key) for name, key in STRANGE_KEYS.items())]


SHAPES: Final[tuple[Shape, ...]] = tuple(shape for cls in RULES for shape in _shapes(cls))
"""Every input that the kernel has a rule for."""
