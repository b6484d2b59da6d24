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
from dhruva.assume import GHOST
from dhruva.cells import EffectKind, FollowUp, Kind
from dhruva.ids import Nonce, Ref, Version, WaitToken
from dhruva.inputs import Ack, EffectFailed, Handle, Lost, Resolve, Take
from dhruva.rules import RULES
from dhruva.walk import Settings
from proofs.engine import Unsupported
from proofs.ghost_cells import GHOSTS, MOVES
from proofs.values import Number, Opt, SymBool, SymEnum, SymRef, and_, code, or_

COUNTED: Final = (Nonce, WaitToken, Version)
"""Ids that the kernel counts (ADR 10): arithmetic is theirs; the others are compared with == only."""


_int = functools.cache(z3.Int)  # a name is one term, however often a path is run again
boolean = functools.cache(z3.Bool)


def number(name: str, family: str, is_id: bool = False) -> Number:
    return Number(_int(name), family, is_id)


def owner(name: str) -> Number:
    return number(name, "OwnerId", True)


def ref(name: str) -> SymRef:
    owner_, run = owner(f"{name}.owner"), number(f"{name}.run", "run")
    return tuple.__new__(SymRef, (owner_, run, number(f"{name}.number", "number")))


def sym_ref(owner_: Any, run: Any, number_: Any) -> SymRef:
    return tuple.__new__(SymRef, (owner_, run, number_))


def member(name: str, domain: tuple[Any, ...]) -> SymEnum:
    return SymEnum(_int(name), domain)


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
        return SymBool(boolean(name))
    if kind is int:
        return number(name, field)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return member(name, tuple(kind))
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        return _union(name, field, kind)
    raise Unsupported(f"field {name} of type {kind}")


def _union(name: str, field: str, kind: Any) -> Any:
    inner = [k for k in typing.get_args(kind) if k is not types.NoneType]
    if all(isinstance(k, type) and issubclass(k, Enum) for k in inner) and len(inner) > 1:
        words = {str(m): m for k in inner for m in k}
        return member(name, tuple(words.values()))
    if len(inner) != 1:
        raise Unsupported(f"field {name} of type {kind}")
    if typing.get_origin(inner[0]) is tuple:
        walks = member(f"{name}.kind", (FollowUp.RECALL, FollowUp.RESET))
        return Opt(boolean(f"{name}?"), (Kind.FOLLOW, walks, owner(name)))
    return Opt(boolean(f"{name}?"), value(name, field, inner[0]))


def typed(value: Any) -> Any:
    """The formula that every enum field within a value is one of its members."""
    if isinstance(value, Opt):
        return typed(value.value)
    if isinstance(value, SymEnum):
        return or_(*(value.term == code(m) for m in value.domain))
    if isinstance(value, tuple):
        return and_(*(typed(part) for part in tuple.__iter__(value)))
    return True


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


def cell_class(key: c.Key) -> type | None:
    """The class of the cell under a key, None for a key under which the kernel never puts one."""
    if any(part is None for part in key):
        return None
    if key and key[0] == GHOST:
        return GHOSTS.get(key[1])
    if not key or not isinstance(key[0], Kind):
        return None
    if key[0] == Kind.FOLLOW:
        if len(key) > 1 and isinstance(key[1], SymEnum):
            return c.Follow  # of one of the two passes of a re-execution
        return CELL_OF_FOLLOW_UP[key[1]] if len(key) > 1 and isinstance(key[1], FollowUp) else None
    return CELLS[key[0]] if len(key) > 1 or key[0] == Kind.CAP else None


def any_key(sort: tuple[Any, ...]) -> c.Key:
    """The key of any cell of a sort: a kind, or a kind and what it is of."""
    scope, instance = number("any scope", "ScopeId", True), number("any instance", "InstanceId", True)
    of_call = (ref("any ref"), number("any spawn", "spawn"))
    tails: dict[Any, c.Key] = {
        **dict.fromkeys((Kind.SCOPE, Kind.POLICY, Kind.LANES, Kind.STARVED), (scope,)),
        **dict.fromkeys((Kind.INSTANCE, Kind.HUMAN), (instance,)),
        **dict.fromkeys((Kind.GROUP, Kind.DELIVERY), of_call),
        Kind.CAP: (),
        Kind.ATTEMPT: of_call[:1],
        Kind.RESOURCE: (of_call[0], number("any number", "number")),
        Kind.LINK: (owner("any owner"), number("any number", "links")),
        Kind.COOPERATIVE: (*of_call, number("any number", "number")),
        Kind.EXECUTOR: (number("any executor", "ExecutorId", True),),
        Kind.LOCK: (number("any target", "TargetId", True),),
        Kind.PARKED: (number("any parked", "ParkedId", True),),
        Kind.KEPT: (instance, number("any name", "SignalName", True)),
    }
    if sort[0] == GHOST:
        return (*sort, *_ghost_key(sort))
    if sort[0] == Kind.FOLLOW:
        return (*sort, *FOLLOW_KEYS[sort[1]]("any"))
    if sort[0] == Kind.EFFECT:
        return (*sort, *EFFECT_KEYS[sort[1]]("any"))
    return (*sort, *tails.get(sort[0], (owner("any owner"),)))


def _ghost_key(sort: tuple[Any, ...]) -> c.Key:
    target, nonce = number("any target", "TargetId", True), number("any nonce", "nonce")
    if sort[1] == "performed":
        return EFFECT_KEYS[sort[2]]("any")
    if sort[1] == "spent":
        return (number("any instance", "InstanceId", True), number("any token", "token"))
    tails: dict[str, c.Key] = {
        "handed": (target, nonce),
        "up": (target, nonce),
        "answers": (target,),
        "comings": (),
    }
    return tails.get(sort[1], (owner("any owner"),))


def cell(cls: type, name: str) -> Any:
    """A cell of this class of which nothing is known."""
    made = (value(f"{name}.{field}", field, kind) for field, kind in hints(cls).items())
    return tuple.__new__(cls, tuple(made))


def settings() -> Settings:
    """What an installation chose, whatever that is."""
    made = (value(f"settings.{field}", field, kind) for field, kind in hints(Settings).items())
    return tuple.__new__(Settings, tuple(made))


# Inputs


class Shape(NamedTuple):
    """One way in which an input can look; `build` makes it anew on every path."""

    name: str
    of: type
    build: Callable[[], Any]


def _plain(cls: type) -> Any:
    return tuple.__new__(cls, tuple(value(f"input.{f}", f, kind) for f, kind in hints(cls).items()))


FOLLOW_KEYS: Final[dict[FollowUp, Callable[[str], c.Key]]] = {
    **dict.fromkeys(FollowUp, lambda name: (owner(f"{name} owner"),)),
    FollowUp.WAKE_STARVED: lambda _name: (),
    **dict.fromkeys(
        (FollowUp.WAKE, FollowUp.ABORT_EACH, FollowUp.REJECT_QUEUED),
        lambda name: (number(f"{name} scope", "ScopeId", True),),
    ),
    **dict.fromkeys(
        (FollowUp.CANCEL_CHILD, FollowUp.TELL_PARENT),
        lambda name: (number(f"{name} instance", "InstanceId", True),),
    ),
    FollowUp.RETURN: lambda name: (number(f"{name} executor", "ExecutorId", True),),
    FollowUp.END_RESOURCES: lambda name: (ref(f"{name} ref"),),
}
EFFECT_KEYS: Final[dict[EffectKind, Callable[[str], c.Key]]] = {
    EffectKind.DISPATCH: lambda name: (ref(f"{name} ref"), number(f"{name} spawn", "spawn")),
    EffectKind.RUN_SLICE: lambda name: (
        number(f"{name} instance", "InstanceId", True),
        number(f"{name} version", "version"),
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
        rest = {f: value(f"input.{f}", f, kind) for f, kind in hints(cls).items() if f != "key"}
        return cls(key=key(), **rest)

    return Shape(f"{cls.__name__} ({name})", cls, build)


def _keyed(kind: Kind, of: Any, tail: Callable[[str], c.Key]) -> Callable[[], c.Key]:
    return lambda: (kind, of, *tail("input"))


def _shapes(cls: type) -> list[Shape]:
    if cls is Handle:
        made = [_with_key(cls, k, _keyed(Kind.FOLLOW, k, tail)) for k, tail in FOLLOW_KEYS.items()]
    elif cls in _OF_EFFECT:
        made = [_with_key(cls, k, _keyed(Kind.EFFECT, k, tail)) for k, tail in EFFECT_KEYS.items()]
    else:
        return [Shape(cls.__name__, cls, functools.partial(_plain, cls))]
    return [*made, *(_with_key(cls, name, key) for name, key in STRANGE_KEYS.items())]


INPUTS: Final[tuple[Shape, ...]] = tuple(shape for cls in RULES for shape in _shapes(cls))
"""Every input that the kernel has a rule for."""
OUTSIDE: Final[tuple[Shape, ...]] = tuple(
    Shape(f"outside: {cls.__name__}", cls, functools.partial(_plain, cls)) for cls in MOVES
)
"""Every move of the outside that ghosts follow."""
SHAPES: Final = (*INPUTS, *OUTSIDE)
