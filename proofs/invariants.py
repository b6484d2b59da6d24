"""Invariants over any number of cells, each of them a premise and a claim at once.

`Fit` speaks of one cell, `Pair` of a cell and the cell that it names, `Chain` of a cell and several that are
named one after the other, `Both` of any two cells of a sort, `Count` of a counter and all that it counts. As
premises they are given to the solver for the cells that a path has looked at: what a world is before a step.
As claims they are required of the cells after it, and of *any* cell, for which a fresh one stands that may be
named by anything and names anything. What a step did not write is as it was, so a count is kept iff the
counter changes by as much as what it counts. No cells at all break nothing: that is where induction begins.

Nothing here looks at tables or rules; a sentence is written once and used both ways, so what is supposed is
what is shown.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import z3  # type: ignore[import-untyped]

from dhruva.cells import Key
from proofs import shapes
from proofs.claim import Touched, View, is_of
from proofs.values import (
    Number,
    Opt,
    and_,
    constant,
    equal,
    formula,
    implies,
    inner,
    not_,
    or_,
    raw,
    there,
)
from proofs.world import Known, World

Sort = tuple[Any, ...]
"""The fixed beginning of a key: a kind, or a kind and what it is of."""


def flag(cell: Any, field: str) -> Any:
    """The formula of a truth value in a field."""
    return formula(raw(cell, field))


def is_in(cell: Any, field: str, *members: Any) -> Any:
    """The formula that an enum field is one of these."""
    value = raw(cell, field)
    if isinstance(value, Opt) or value is None:
        return and_(there(value), _among(inner(value), members))
    return _among(value, members)


def _among(value: Any, members: tuple[Any, ...]) -> Any:
    if value is None:
        return False
    return value.is_in(members) if hasattr(value, "is_in") else value in members


def num(value: Any) -> Any:
    """The z3 term of a number, plain or symbolic."""
    return value.term if isinstance(value, Number) else constant(value)


def total(terms: list[Any]) -> Any:
    """The sum of some terms."""
    return constant(0) if not terms else terms[0] if len(terms) == 1 else z3.Sum(*terms)


Cells = Sequence[tuple[Key, Any]]


class Fit(NamedTuple):
    """Every cell of this sort is so."""

    of: Sort
    holds: Callable[[Key, Any], Any]


class Pair(NamedTuple):
    """Where a cell of this sort names another (`names`: a condition and a key), the two fit.

    `holds` is given key and cell of the first, and whether there is a second, its key and its cell.
    """

    of: Sort
    names: Callable[[Key, Any], tuple[Any, Key]]
    holds: Callable[[Key, Any, Any, Key, Any], Any]


class Chain(NamedTuple):
    """A cell of this sort and those that are named, each by the ones before it, fit.

    Each of `names` is given keys and cells so far; `holds`, for each cell, whether it is there, and it.
    """

    of: Sort
    names: tuple[Callable[[Cells], Key], ...]
    holds: Callable[[Sequence[Any], Sequence[Any]], Any]


class Both(NamedTuple):
    """Any two cells of this sort fit, whichever is called the first."""

    of: Sort
    holds: Callable[[Key, Any, Key, Any], Any]


class Count(NamedTuple):
    """A counter is the sum of what it counts: `counts` gives the counter's key and an amount, per sort."""

    of: Sort
    value: Callable[[Any], Any]
    counts: dict[Sort, Callable[[Key, Any], tuple[Key, Any]]]


Invariant = Fit | Pair | Chain | Both | Count


# Premises


def premises(invariants: Iterable[Invariant]) -> Callable[[World, Known], Any]:
    """What is known of a cell that is looked at for the first time, beside the others.

    Paths and claims meet the same cells again and again, so each formula is made once.
    """
    fits = [one for one in invariants if isinstance(one, Fit)]
    pairs = [one for one in invariants if isinstance(one, Pair)]
    chains = [one for one in invariants if isinstance(one, Chain)]
    boths = [one for one in invariants if isinstance(one, Both)]
    counts = [one for one in invariants if isinstance(one, Count)]
    made: dict[Any, Any] = {}

    def of_one(new: Known) -> Any:
        if new.at not in made:
            so = [fit.holds(new.key, new.cell) for fit in fits if is_of(new.key, fit.of)]
            made[new.at] = (and_(shapes.typed(new.cell), implies(new.there, and_(*so))), new)
        return made[new.at][0]

    def of_two(one: Known, other: Known) -> Any:
        at = (one.at, other.at)
        if at not in made:
            so = [_paired(pair, one, other) for pair in pairs if is_of(one.key, pair.of)]
            so += [_together(both, one, other) for both in boths if one is not other]
            made[at] = (and_(*so), one, other)
        found = made[at][0]
        return found if found is True else implies(and_(one.valid, other.valid), found)

    def of(world: World, new: Known) -> Any:
        facts, others = [of_one(new)], list(world.known.values())
        for other in others:
            facts.append(of_two(new, other))
            if other is not new:
                facts.append(of_two(other, new))
        for chain in chains:
            facts += _chained(chain, others, new)
        for count in counts:
            if is_of(new.key, count.of) or any(is_of(new.key, sort) for sort in count.counts):
                facts += _at_least(count, others)
        return and_(*facts)

    return of


def _paired(pair: Pair, one: Known, other: Known) -> Any:
    when, key = pair.names(one.key, one.cell)
    if when is False or not _alike(key, other.key):
        return True
    is_it = and_(one.there, when, equal(key, other.key))
    if is_it is False:
        return True
    return implies(is_it, pair.holds(one.key, one.cell, other.there, other.key, other.cell))


def _chained(chain: Chain, known: list[Known], new: Known) -> Iterator[Any]:
    """Each row of known cells that the chain may be, if the new one is among them."""

    def rows(row: list[Known], condition: Any) -> Iterator[Any]:
        if len(row) > len(chain.names):
            if any(k is new for k in row):
                yield implies(condition, chain.holds([k.there for k in row], [k.cell for k in row]))
            return
        key = chain.names[len(row) - 1]([(k.key, k.cell) for k in row])
        for other in known:
            if _alike(key, other.key):
                is_it = and_(condition, other.valid, equal(key, other.key))
                if is_it is not False:
                    yield from rows([*row, other], is_it)

    for one in known:
        if is_of(one.key, chain.of):
            yield from rows([one], and_(one.valid, one.there))


def _together(both: Both, one: Known, other: Known) -> Any:
    if not (is_of(one.key, both.of) and is_of(other.key, both.of)):
        return True
    return implies(and_(one.there, other.there), both.holds(one.key, one.cell, other.key, other.cell))


def _alike(key: Key, other: Key) -> bool:
    return key[0] == other[0] and len(key) == len(other)


def _at_least(count: Count, known: list[Known]) -> Iterator[Any]:
    """No counter is less than what is known of what it counts."""
    for counter in known:
        if is_of(counter.key, count.of):
            members = [found for one in known if (found := _amount(count, one, counter.key)) is not None]
            least = num(count.value(counter.cell)) >= total(members)
            yield implies(and_(counter.valid, counter.there), least)


def _amount(count: Count, one: Known, counter: Key) -> Any:
    for sort, counts in count.counts.items():
        if is_of(one.key, sort):
            key, amount = counts(one.key, one.cell)
            counted = and_(one.valid, one.there, equal(key, counter))
            return None if counted is False else z3.If(formula(counted), amount, constant(0))
    return None


# Claims


def keeps(invariant: Invariant) -> Callable[[View], None]:
    """The check that a step keeps an invariant."""
    if isinstance(invariant, Fit):
        return lambda view: _keeps_fit(view, invariant)
    if isinstance(invariant, Pair):
        return lambda view: _keeps_pair(view, invariant)
    if isinstance(invariant, Chain):
        return lambda view: _keeps_chain(view, invariant)
    if isinstance(invariant, Both):
        return lambda view: _keeps_both(view, invariant)
    return lambda view: _keeps_count(view, invariant)


def _keeps_fit(view: View, fit: Fit) -> None:
    written = [one for one in view.touched(fit.of) if one.after.there is not False]
    if written:
        fits = (
            implies(and_(one.valid, one.after.there), fit.holds(one.key, one.after.cell)) for one in written
        )
        view.must(and_(*fits), "a cell is not as it must be")


def _keeps_pair(view: View, pair: Pair) -> None:
    """One question for the cells that were written, and one for those that name one of them."""
    fits: list[Any] = []
    for key, valid, _, after in view.touched(pair.of):
        if after.there is not False:
            when, named = pair.names(key, after.cell)
            is_so = and_(valid, after.there, when)
            if is_so is not False:
                for is_it, (there_, cell) in view.named(named):
                    so = pair.holds(key, after.cell, there_, named, cell)
                    fits.append(implies(and_(is_so, is_it), so))
    if fits:
        view.must(and_(*fits), "a cell and what it names do not fit")
    _, target = pair.names(*_fresh(pair.of))
    others = [t for t in view.touched((target[0],)) if _alike(target, t[0])]
    if others:
        ones = [*view.untouched(pair.of), view.any(pair.of)]
        for one in ones:
            view.meet(one)
        view.must(
            and_(*(_still(pair, one, other) for one in ones for other in others)),
            "a cell no longer fits what names it",
        )


def _still(pair: Pair, one: Known, other: Touched) -> Any:
    """A cell that was not written still fits the written one that it names."""
    when, named = pair.names(one.key, one.cell)
    is_it = and_(one.valid, one.there, other.valid, when, equal(named, other.key))
    if is_it is False:
        return True
    return implies(is_it, pair.holds(one.key, one.cell, other.after.there, other.key, other.after.cell))


def _keeps_chain(view: View, chain: Chain) -> None:
    """Of every written cell of the sort and, if one of those named may be written, of every other."""
    written = [Known((), t.key, t.valid, *t.after) for t in view.touched(chain.of)]
    fresh = [_fresh(chain.of)]
    for names in chain.names:
        key = names(fresh)
        cls = shapes.cell_class(key)
        assert cls is not None
        fresh.append((key, shapes.cell(cls, "any")))
    others, fits = [], []
    if any(True for key, _ in fresh[1:] for _ in view.touched((key[0],))):
        others = [*view.untouched(chain.of), view.any(chain.of)]

    def row(so_far: list[tuple[Key, Any]], there_: list[Any], condition: Any) -> None:
        if len(so_far) > len(chain.names):
            fits.append(implies(condition, chain.holds(there_, [cell for _, cell in so_far])))
            return
        key = chain.names[len(so_far) - 1](so_far)
        for is_it, stands in view.named(key):
            row([*so_far, (key, stands.cell)], [*there_, stands.there], and_(condition, is_it))

    for one in (*written, *others):
        if one.there is not False:
            row([(one.key, one.cell)], [one.there], and_(one.valid, one.there))
    if fits:
        view.must(and_(*fits), "a cell and those that it names do not fit")


def _keeps_both(view: View, both: Both) -> None:
    """Of a written cell with another that was written, with one that was looked at, and with any other."""
    written = [Known((), t.key, t.valid, *t.after) for t in view.touched(both.of)]
    if not written:
        return
    others = [*view.untouched(both.of), view.any(both.of)]
    for other in others:
        view.meet(other)
    pairs = [(one, other) for one in written for other in (*written, *others) if one is not other]
    pairs += [(other, one) for one in written for other in others]
    view.must(
        and_(*(implies(and_(one.valid, other.valid), _together(both, one, other)) for one, other in pairs)),
        "two cells do not fit",
    )


def _fresh(sort: Sort) -> tuple[Key, Any]:
    key = shapes.any_key(sort)
    cls = shapes.cell_class(key)
    assert cls is not None
    return key, shapes.cell(cls, "any")


def _keeps_count(view: View, count: Count) -> None:
    """A counter that was removed counts nothing: what names it would be missed by a Pair."""
    counter = shapes.any_key(count.of)
    grown, more, gone = [], [], []
    for key, valid, before, after in view.touched(count.of):
        is_it = and_(valid, equal(key, counter))
        if is_it is not False:
            gone.append(and_(is_it, not_(after.there)))
            grown.append(z3.If(formula(is_it), _value(count, after) - _value(count, before), constant(0)))
    for sort, counts in count.counts.items():
        for key, valid, before, after in view.touched(sort):
            for sign, stands in ((1, after), (-1, before)):
                if stands.there is not False:
                    at, amount = counts(key, stands.cell)
                    counted = and_(valid, stands.there, equal(at, counter))
                    if counted is not False:
                        more.append(z3.If(formula(counted), sign * amount, constant(0)))
    if grown or more:
        balance = total(grown) == total(more)
        view.must(or_(*gone, balance), "a counter did not change with what it counts")


def _value(count: Count, stands: Any) -> Any:
    if stands.there is False:
        return constant(0)
    return z3.If(formula(stands.there), num(count.value(stands.cell)), constant(0))


def unless(condition: Any, then: Any) -> Any:
    return implies(not_(condition), then)


def kept(invariants: Iterable[Invariant]) -> tuple[Callable[[View], None], ...]:
    """The checks that a step keeps these."""
    return tuple(keeps(one) for one in invariants)
