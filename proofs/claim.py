"""What a claim is, and what it sees of a step: the cells before, the cells after, and what may be required
of them.

A claim is checked at the end of every path of every input, while the engine stands there: whatever it
looks at is decided as in a rule, and every answer is followed. `must` asks the solver whether the formula
holds in every world of the path; if it does not, the world that breaks it is told, in the words of the
kernel (tell.py). That world meets the premises, but nobody has shown that it can be reached: it is a
counterexample to induction.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import z3  # type: ignore[import-untyped]

from dhruva.assume import GHOST
from dhruva.cells import Change, Edge, Key, Kind
from proofs import shapes
from proofs.engine import Engine
from proofs.merge import Guarded, identical
from proofs.symbolic import Path
from proofs.tell import tell
from proofs.values import SymEnum, and_, equal, not_
from proofs.world import Known, Stands, Store

ANY: Final = "any"


class Refuted(Exception):
    """A world in which a claim does not hold after a step."""


class Touched(NamedTuple):
    """A cell that a step may have written."""

    key: Key
    valid: Any
    before: Stands
    after: Stands


class Write(NamedTuple):
    """A cell that a step wrote, looked at: None where there is none."""

    key: Any
    before: Any
    after: Any


class View:
    """One path, as a claim sees it."""

    def __init__(self, engine: Engine, path: Path) -> None:
        self.engine, self.path = engine, path
        self.given, self.said = path.given, path.said
        self.world = path.world
        self.musts = 0

    @property
    def change(self) -> Change | None:
        return self.said if isinstance(self.said, Change) else None

    @property
    def store(self) -> Store | None:
        """The cells after the step."""
        found: Any = None if self.change is None else self.change.writes
        return found if isinstance(found, Store) else None

    def before(self, key: Key) -> Any:
        return self.world.read(key)

    def after(self, key: Key) -> Any:
        """The cell after the step: what was written, and otherwise what was there (frame)."""
        return self.before(key) if self.store is None else self.store[key]

    def stands(self, key: Key) -> Stands:
        """The cell after the step, not looked at."""
        at = self.world.resolve(key)
        if at is None:
            return Stands(False, None)
        one = self.world.known[at]
        return Stands(one.there, one.cell) if self.store is None else self.store.stands(at)

    def named(self, key: Key) -> Iterator[tuple[Any, Stands]]:
        """Whatever cell this key may be the key of, with the condition that it is; nothing is decided."""
        left = True
        for at, one in list(self.world.known.items()):
            if one.key[0] == key[0] and len(one.key) == len(key):
                is_it = and_(one.valid, equal(one.key, key))
                if is_it is not False:
                    left = and_(left, not_(is_it))
                    yield is_it, Stands(one.there, one.cell) if self.store is None else self.store.stands(at)
        if left is not False:
            one = self.world.another(key, left)
            yield left, Stands(one.there, one.cell)

    def touched(self, sort: tuple[Any, ...]) -> Iterator[Touched]:
        """Cells of a sort that were written, before and after; nothing is decided."""
        if self.store is None:
            return
        for at, after in list(self.store.put_.items()):
            one = self.world.known[at]
            if is_of(one.key, sort):
                yield Touched(one.key, one.valid, Stands(one.there, one.cell), after)

    def untouched(self, sort: tuple[Any, ...]) -> list[Known]:
        """Cells of a sort that were looked at and not written."""
        put = {} if self.store is None else self.store.put_
        return [
            k for at, k in self.world.of(sort[0]) if at not in put and at[0] != ANY and is_of(k.key, sort)
        ]

    def writes(self, *kinds: Any) -> Iterator[Write]:
        """Cells of these kinds that were written, looked at: whether they were and are there is decided."""
        for kind in kinds:
            for key, valid, before, after in self.touched((kind,)):
                if not self.engine.decide(valid):
                    continue
                old = before.cell if self.engine.decide(before.there) else None
                new = after.cell if self.engine.decide(after.there) else None
                if old is not None or new is not None:
                    yield Write(key, old, new)

    def any(self, sort: tuple[Any, ...]) -> Known:
        """Any other cell of this sort: one that the path has not looked at."""
        key = shapes.any_key(sort)
        own = (ANY, *sort)
        cls = shapes.cell_class(key)
        assert cls is not None
        one = Known(own, key, True, shapes.boolean(f"any {sort}?"), shapes.cell(cls, f"any {sort}"))
        if own not in self.world.known:
            new = [
                not_(and_(k.valid, equal(k.key, key)))
                for _, k in self.world.of(key[0])
                if len(k.key) == len(key)
            ]
            self.world.known[own] = one
            self.engine.fact(and_(*new, self.world.premises(self.world, one)))
        return one

    def meet(self, one: Known) -> None:
        """What is known of a waiter is known of its place, and the other way about."""
        beside: Key = ()
        if one.key[0] == Kind.WAITER:
            beside = (GHOST, "place", one.key[1])
        elif one.key[:2] == (GHOST, "place"):
            beside = (Kind.WAITER, one.key[2])
        if beside:
            for _ in self.named(beside):
                pass

    def edges(self, machine: str) -> Iterator[tuple[Any, Edge]]:
        """The rows of a machine that were taken, each with its condition; nothing is decided."""
        return ((when, edge) for when, edge in self.every_edge() if edge.machine == machine)

    def every_edge(self) -> Iterator[tuple[Any, Edge]]:
        """The rows that were taken, of whichever machine."""
        return self._items("edges")

    def effects(self, cls: type) -> Iterator[Any]:
        """Effects of a class; whether they were handed out is decided."""
        return (e for when, e in self._items("effects") if isinstance(e, cls) and self.engine.decide(when))

    def _items(self, field: str) -> Iterator[tuple[Any, Any]]:
        for item in () if self.change is None else getattr(self.change, field):
            yield (item.when, item.item) if isinstance(item, Guarded) else (True, item)

    def must(self, holds: Any, what: str) -> None:
        """Required: in every world of this path the formula, or the plain answer, holds."""
        self.musts += 1
        if holds is True:
            return
        holds = z3.BoolVal(False) if holds is False else z3.simplify(holds)
        model = None if z3.is_true(holds) else self.engine.refute(holds)
        if model is not None:
            raise Refuted(f"{what}\n{tell(self.path, model)}")


def is_of(key: Key, sort: tuple[Any, ...]) -> bool:
    """Whether a key begins as the keys of a sort do."""
    return len(key) >= len(sort) and all(_is(part, want) for part, want in zip(key, sort, strict=False))


def _is(part: Any, want: Any) -> bool:
    if isinstance(part, SymEnum):
        return want in part.domain
    return bool(part == want) if isinstance(part, str) else part is want


def unchanged(touched: Touched) -> bool:
    """Whether what was written is what was there, term by term."""
    same_flag = touched.before.there is touched.after.there
    return same_flag and identical(touched.before.cell, touched.after.cell)


Check = Callable[[View], None]


class Claim(NamedTuple):
    """A sentence, the requirements that it states, and how it is checked on one path."""

    name: str
    sentence: str
    cites: str
    checks: tuple[Check, ...]
    anywhere: bool = False  # shown in every world there is, one that meets no invariant included
