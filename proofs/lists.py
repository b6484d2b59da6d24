"""The premise that linked cells are lists: lanes of a scope, the line for an executor, living attempts of a
scope.

Who is named as a neighbour or as an end is there, nobody is its own neighbour or both neighbours of one,
and an end of a list has nobody beyond it. Who waits in a lane of a scope is a task or a request of that
scope. That no chain closes to a ring is a fact about all cells of a chain, which no local check can keep;
the premise is therefore assumed, not proved, and the bounded models check it (LIF-6, ACT-11).
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from dhruva import cells as c
from dhruva.cells import Kind
from dhruva.ids import Priority
from proofs import shapes
from proofs.values import Number, Opt, engine, see, unequal

LANES = {Priority.URGENT: "urgent", Priority.HIGH: "high", Priority.NORMAL: "normal", Priority.LOW: "low"}


class Rule(NamedTuple):
    """What a link must be: exactly this, or something, and in any case none of those."""

    exactly: Any = None
    something: bool = False
    nothing: bool = False
    differs: tuple[Any, ...] = ()


class Ruled(Opt):
    """A link of a list: None or a neighbour, as far as the list allows."""

    __slots__ = ("rule",)

    def __init__(self, name: str, maker: Callable[[], Any], rule: Callable[[], Rule]) -> None:
        super().__init__(name, maker)
        self.rule = rule

    def seen(self) -> Any:
        known = engine().known
        if self.name not in known:
            known[self.name] = (self._made(self.rule()),)
        return known[self.name][0]

    def _made(self, rule: Rule) -> Any:
        if rule.exactly is not None:
            return rule.exactly
        if rule.nothing or (not rule.something and engine().choose(2) == 0):
            return None
        made = self.makers[0]()
        for other in rule.differs:
            engine().assume(unequal(made, other))
        return made


class Cells(Protocol):
    """The part of a world that the premise looks at."""

    quiet: bool

    def of(self, kind: Kind) -> dict[Any, Any]: ...


def linked(world: Cells, key: Any, made: Any, name: str) -> Any:
    """The cell with its links made to follow the premise."""
    if isinstance(made, c.Waiter):
        made = _between(made, key[1], "before", "behind", name, shapes.owner)
        return _in_its_lane(world, key[1], made)
    if isinstance(made, c.Request | c.Spec):
        waiters = [w for at, w in world.of(Kind.WAITER).items() if same(at[1], key[1])]
        return made._replace(scope=waiters[0].scope) if waiters else made
    if isinstance(made, c.Attempt):
        return _between(made, key[1], "newer", "older", name, shapes.ref)
    if isinstance(made, c.Scope):
        rule = lambda: _newest(world, key[1])  # noqa: E731
        return made._replace(newest=Ruled(f"{name}.newest", lambda: shapes.ref(f"{name}.newest"), rule))  # type: ignore[arg-type]
    if isinstance(made, c.Lanes):
        return _lanes(world, key[1], made, name)
    return made


def _between(made: Any, own: Any, one: str, other: str, name: str, maker: Callable[[str], Any]) -> Any:
    """Neighbours are neither the cell itself nor one and the same."""

    def link(field: str, opposite: str) -> Ruled:
        def rule() -> Rule:
            there = resolved(f"{name}.{opposite}")
            return Rule(differs=(own,) if there is None else (own, there))

        return Ruled(f"{name}.{field}", lambda: maker(f"{name}.{field}"), rule)

    return made._replace(**{one: link(one, other), other: link(other, one)})


def _in_its_lane(world: Cells, own: Any, made: Any) -> Any:
    """Who is an end of a lane waits in that lane of that scope."""
    for key, lanes in world.of(Kind.LANES).items():
        for priority, lane in LANES.items():
            for end in (raw(lanes, f"first_{lane}"), raw(lanes, f"last_{lane}")):
                if looked_at(end) and same(see(end), own):
                    engine().known[made.priority.name] = (priority,)
                    return made._replace(scope=key[1], executor=None)
    return made


def resolved(name: str) -> Any:
    """What an optional field was seen to be; None if it is None, or not looked at yet."""
    return engine().known.get(f"{name}?", (None,))[0]


def looked_at(field: Any) -> bool:
    """Whether a link is known: looked at before, or plain."""
    return not isinstance(field, Opt) or field.name in engine().known


def _newest(world: Cells, scope: Any) -> Rule:
    """The newest attempt of a scope is the one that has no newer."""
    others = []
    for key, attempt in world.of(Kind.ATTEMPT).items():
        newer = raw(attempt, "newer")
        if same(attempt.scope, scope) and looked_at(newer):
            if see(newer) is None:
                return Rule(exactly=key[1])
            others.append(key[1])
    return Rule(None, bool(others), world.quiet and not others, tuple(others))


def _lanes(world: Cells, scope: Any, made: Any, name: str) -> Any:
    fields = {}
    for priority, lane in LANES.items():
        for end, beyond in (("first", "before"), ("last", "behind")):
            field = f"{end}_{lane}"
            rule = _end_of(world, scope, priority, beyond, name)
            fields[field] = Ruled(f"{name}.{field}", _maker(f"{name}.{field}"), rule)
    return made._replace(**fields)


def _maker(name: str) -> Callable[[], Number]:
    return lambda: shapes.owner(name)


def _other_lane(name: str, lane: Priority) -> bool:
    """Whether someone was seen to wait in another lane."""
    return any(resolved(f"{name}.first_{word}") is not None for at, word in LANES.items() if at != lane)


def _end_of(world: Cells, scope: Any, lane: Priority, beyond: str, name: str) -> Callable[[], Rule]:
    """The end of a lane is who has nobody beyond; a lane has two ends or none."""
    twin = f"{name}.{'last' if beyond == 'before' else 'first'}_{LANES[lane]}"

    def rule() -> Rule:
        others = []
        for key, waiter in world.of(Kind.WAITER).items():
            if not (same(waiter.scope, scope) and in_lane(waiter, lane) and looked_at(raw(waiter, beyond))):
                continue
            if see(raw(waiter, beyond)) is None:
                return Rule(exactly=key[1])
            others.append(key[1])
        known = engine().known.get(f"{twin}?")
        empty = known is not None and known[0] is None
        if world.quiet and known is None and not others and _other_lane(name, lane):
            return Rule(nothing=True)
        return Rule(None, bool(others) or (known is not None and not empty), empty, tuple(others))

    return rule


def in_lane(waiter: Any, lane: Priority) -> bool:
    executor = raw(waiter, "executor")
    return bool(waiter.priority.left() == (lane,) and looked_at(executor) and see(executor) is None)


def raw(cell: Any, field: str) -> Any:
    """What stands in a field, not looked at."""
    return tuple.__getitem__(cell, cell._fields.index(field))


def same(left: Any, right: Any) -> bool:
    """Whether two values are one and the same term. No decision is made."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, Number) and isinstance(right, Number):
        return left.term is right.term or bool(left.term.eq(right.term))
    return left is right


def named(world: Cells, key: Any) -> bool:
    """Whether a cell that was read names this one as its neighbour, or as an end of its list."""
    fields: dict[Kind, tuple[tuple[Kind, tuple[str, ...]], ...]] = {
        Kind.WAITER: (
            (Kind.WAITER, ("before", "behind")),
            (Kind.LANES, c.Lanes._fields),
            (Kind.EXECUTOR, ("first", "last")),
        ),
        Kind.ATTEMPT: ((Kind.ATTEMPT, ("newer", "older")), (Kind.SCOPE, ("newest",))),
        Kind.STARVED: ((Kind.CAP, ("first", "last")),),
    }
    return any(
        looked_at(raw(cell, field)) and same(see(raw(cell, field)), key[1])
        for kind, names in fields.get(key[0], ())
        for cell in world.of(kind).values()
        for field in names
    )
