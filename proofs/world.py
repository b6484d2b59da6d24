"""A symbolic world: the cells before a step, made as they are asked for, and the cells as they stand.

Two keys may be equal or different. A key is first *resolved*: is it the key of a cell that is known already?
Every answer is followed; if it is none of them, it is the key of another cell, of which nothing is known but
the invariants (invariants.py), each of which is both a premise here and a claim of its own. What a step puts
is kept beside the cell before it, so a claim sees both.

While the engine runs, `Walk` keeps its cells here instead of in a dict. The rules see plain NamedTuples; the
accessors of their optional fields are replaced, so that "None or a value" is decided when the field is looked
at. For a plain value the replaced accessors do what the others do.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import z3  # type: ignore[import-untyped]

from dhruva.cells import Change, Key, Kind
from dhruva.walk import Walk
from proofs import shapes
from proofs.merge import Cases, Guarded, chosen, identical
from proofs.values import Number, SymBool, SymEnum, and_, engine, equal, formula, or_

Ident = tuple[Any, ...]


class Known(NamedTuple):
    """A cell of the world before the step. `valid`: where its key is that of no cell known before it."""

    at: Ident
    key: Key
    valid: Any
    there: Any
    cell: Any


class Stands(NamedTuple):
    """A cell as it stands."""

    there: Any
    cell: Any


class World:
    """The cells before a step, and `premises`, which says what is known of a cell beside others."""

    def __init__(self, premises: Callable[["World", Known], Any]) -> None:
        self.known: dict[Ident, Known] = {}
        self.premises = premises

    def of(self, *kinds: Any) -> Iterator[tuple[Ident, Known]]:
        return ((at, one) for at, one in self.known.items() if one.key[0] in kinds)

    def resolve(self, key: Key) -> Ident | None:
        """The cell that this key is the key of; None if the kernel has no cells of such a key."""
        cls = shapes.cell_class(key)
        if cls is None:
            return None
        own = ident(key)
        found = self.known.get(own)
        if found is not None and found.valid is True:
            return own
        for at, one in self.known.items():
            if one.key[0] == key[0] and len(one.key) == len(key):
                is_it = one.valid if at == own else and_(one.valid, equal(one.key, key))
                if is_it is not False and engine().decide(is_it):
                    return at
        self.known[own] = self._made(key, own, cls)
        engine().fact(self.premises(self, self.known[own]))
        if key[0] == Kind.TASK:
            self.resolve((Kind.SPEC, key[1]))  # what a task counts is bounded by what it declared
        return own

    def _made(self, key: Key, own: Ident, cls: type) -> Known:
        names = engine().names
        if own not in names:
            names[own] = (f"{key[0]}{sum(1 for at in names if at[0] == own[0])}", key)
        name = names[own][0]
        return Known(own, key, True, shapes.boolean(f"{name}?"), shapes.cell(cls, name))

    def another(self, key: Key, valid: Any) -> Known:
        """The cell of this key, where it is that of no known one; nothing is decided."""
        own = ident(key)
        cls = shapes.cell_class(key)
        assert cls is not None
        one = self._made(key, own, cls)._replace(valid=valid)
        if own in self.known:
            one = one._replace(valid=or_(self.known[own].valid, valid))
        self.known[own] = one
        engine().fact(self.premises(self, one))
        return one

    def read(self, key: Key) -> Any:
        at = self.resolve(key)
        if at is None or not engine().decide(self.known[at].there):
            return None
        return self.known[at].cell


def ident(key: Key) -> Ident:
    """A key, term by term: two keys that are one and the same have one ident."""
    return tuple(
        ident(part)
        if isinstance(part, tuple)
        else ("term", part.term.get_id())
        if isinstance(part, Number | SymEnum | SymBool)
        else part
        for part in tuple.__iter__(key)
    )


class Store:
    """The cells as a step has left them so far: what `Walk` reads and writes."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.put_: dict[Ident, Stands] = {}

    def __getitem__(self, key: Key) -> Any:
        at = self.world.resolve(key)
        if at is None:
            return None
        stands = self.stands(at)
        return stands.cell if engine().decide(stands.there) else None

    def __setitem__(self, key: Key, cell: Any) -> None:
        at = self.world.resolve(key)
        if at is None:
            raise KeyError(f"a cell under a key of no known shape: {key[0]}")
        old = self.stands(at)
        self.put_[at] = Stands(False, old.cell) if cell is None else Stands(True, cell)

    def stands(self, at: Ident) -> Stands:
        found = self.put_.get(at)
        if found is None:
            one = self.world.known[at]
            return Stands(one.there, one.cell)
        return found

    def snapshot(self) -> tuple[dict[Ident, Known], dict[Ident, Stands]]:
        return dict(self.world.known), dict(self.put_)

    def restore(self, kept: tuple[dict[Ident, Known], dict[Ident, Stands]]) -> None:
        self.world.known, self.put_ = dict(kept[0]), dict(kept[1])

    def merged(self, _before: Any, cases: Cases) -> tuple[dict[Ident, Known], dict[Ident, Stands]]:
        """The cells of all cases in one."""
        known = _all_known(cases)
        put = {}
        for at in dict.fromkeys(at for _, kept in cases for at in kept[1]):
            one = known[at]
            left = stands([(when, kept[1].get(at, Stands(one.there, one.cell))) for when, kept in cases])
            if not (_same_flag(left.there, one.there) and identical(left.cell, one.cell)):
                put[at] = left
        return known, put

    def copy(self) -> dict[Ident, Stands]:
        return dict(self.put_)

    def clear(self) -> None:
        self.put_ = {}

    def update(self, kept: dict[Ident, Stands]) -> None:
        self.put_ = dict(kept)


class SymWalk(Walk):
    """A walk whose cells are kept in a Store. The world is the one whose `read` the step was given."""

    __slots__ = ("store",)

    def __init__(self, book: Any, read: Any) -> None:
        super().__init__(book, read)
        self.store = Store(read.__self__)

    def __getitem__(self, key: Key) -> Any:
        return self.store[key]

    def __setitem__(self, key: Key, cell: Any) -> None:
        self.store[key] = cell

    def copy(self) -> Any:
        return self.store.copy()

    def clear(self) -> None:
        self.store.clear()

    def update(self, kept: Any) -> None:
        self.store.update(kept)

    def change(self) -> Change:
        store: Any = self.store
        return Change(store, tuple(self._payloads), tuple(self._effects), (), tuple(self._edges))

    # For merge.part

    def snapshot(self) -> Any:
        return self.store.snapshot(), (list(self._edges), list(self._effects), list(self._payloads))

    def restore(self, kept: Any) -> None:
        self.store.restore(kept[0])
        self._edges[:], self._effects[:], self._payloads[:] = kept[1]

    def merged(self, before: Any, cases: Cases) -> Any:
        if len(cases) == 1:
            return cases[0][1]
        lists = (_lists(before[1][n], [(when, kept[1][n]) for when, kept in cases]) for n in range(3))
        return self.store.merged(None, [(when, kept[0]) for when, kept in cases]), tuple(lists)


def _all_known(cases: Cases) -> dict[Ident, Known]:
    known = {}
    for at in dict.fromkeys(at for _, kept in cases for at in kept[0]):
        having = [(when, kept[0][at]) for when, kept in cases if at in kept[0]]
        one = having[0][1]
        everywhere = len(having) == len(cases) and all(k.valid is True for _, k in having)
        valid = True if everywhere else or_(*(and_(when, k.valid) for when, k in having))
        known[at] = one._replace(valid=valid)
    return known


def stands(cases: Cases) -> Stands:
    """The cell as it stands in all cases."""
    flags = [
        (when, SymBool(formula(s.there)) if not isinstance(s.there, bool) else s.there) for when, s in cases
    ]
    flag = chosen(flags)
    flag = z3.simplify(flag.term) if isinstance(flag, SymBool) else flag
    there = (
        True
        if flag is True or _is(z3.is_true, flag)
        else False
        if flag is False or _is(z3.is_false, flag)
        else flag
    )
    living = [(when, s.cell) for when, s in cases if s.there is not False]
    return Stands(there, chosen(living) if living else cases[0][1].cell)


def _is(test: Callable[[Any], bool], flag: Any) -> bool:
    return not isinstance(flag, bool) and test(flag)


def _same_flag(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left.eq(right))


def _lists(before: list[Any], cases: list[tuple[Any, list[Any]]]) -> list[Any]:
    """What was there before, and under its condition what a path added."""
    made = list(before)
    for when, items in cases:
        for item in items[len(before) :]:
            if isinstance(item, Guarded):
                made.append(Guarded(and_(when, item.when), item.item))
            else:
                made.append(Guarded(when, item))
    return made
