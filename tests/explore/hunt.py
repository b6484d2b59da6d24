"""A long hunt for a model on which the engines differ, under inner sizes that must not matter.

The tests do the same with Hypothesis and a few examples. This goes on for as long as it is told, with
larger models: actions whose every decision hangs on what they have read so far, wide states, cells that
appear late or vanish, values that come late, fields that are first only read and then written, several
outcomes, claims of every kind. A model is named by its seed, so that what was found can be met again:

    python -m tests.explore.hunt --minutes 20 [--seed 1]
    python -m tests.explore.hunt --only 4711
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, NamedTuple

from dhruva.explore import (
    Model,
    Read,
    Report,
    check,
    count,
    fields,
    for_each,
    for_pairs,
    index,
    judge,
    space,
    steps,
    tables,
    total,
    vector,
    walk,
)
from tests.explore.test_vector import facts

# The reference engine takes so many states at most; larger models are cut, and then less can be compared.
MOST_STATES = 3_000
ODD_VALUES = (None, True, 1, 1.0, "1", (1,), False, 0, frozenset({1}), 2)


class Change(NamedTuple):
    writes: dict[Any, Any]
    edges: tuple[str, ...]


class Refused(NamedTuple):
    rule: str


class Sizes(NamedTuple):
    """What a random model is like. With `fuel` every step that changes something burns some."""

    cells: int
    late: int
    values: int
    reads: int
    writes: int
    outcomes: int
    fuel: int


class Chance:
    """Decisions that hang on the values read so far and on nothing else."""

    def __init__(self, seed: int, number: int) -> None:
        self.seen = [seed, number]

    def below(self, bound: int) -> int:
        self.seen.append(-1)
        # To seed a generator for each decision would take most of the time.
        return (hash(tuple(self.seen)) * 0x9E3779B97F4A7C15 >> 40 & 0xFFFFFF) % bound

    def saw(self, code: int) -> None:
        self.seen.append(code)


class Cells:
    """The keys and values of a random model."""

    def __init__(self, sizes: Sizes, chance: Random) -> None:
        self.sizes = sizes
        self.keys = [("cell", n) for n in range(sizes.cells)] + [("late", n) for n in range(sizes.late)]
        self.declared = self.keys[: sizes.cells]
        # Cells differ in how many values they take; the first few values are those that Python confuses.
        self.values = {
            key: [*ODD_VALUES, *range(3, 3 + sizes.values)][: chance.randint(1, sizes.values)]
            for key in self.keys
        }

    def code(self, key: Any, value: Any) -> int:
        return next((n for n, one in enumerate(self.values[key]) if one is value or _same(one, value)), -1)

    def some(self, chance: Chance) -> Any:
        return self.keys[chance.below(len(self.keys))]


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def look(cells: Cells, chance: Chance, read: Read) -> None:
    """Read some cells; which ones hangs on what was read."""
    for _ in range(chance.below(2 * cells.sizes.reads) - 1):
        key = cells.some(chance)
        chance.saw(cells.code(key, read(key)))


def act(read: Read, cells: Cells, seed: int, number: int) -> Any:
    chance = Chance(seed, number)
    look(cells, chance, read)
    fuel = read("fuel") if cells.sizes.fuel else None
    kind = chance.below(12)
    if kind == 0 or fuel == 0:
        return None
    if kind == 1:
        return Refused(("full", "late")[chance.below(2)])
    outcomes = [_outcome(cells, chance, fuel) for _ in range(1 + chance.below(cells.sizes.outcomes))]
    return outcomes[0] if len(outcomes) == 1 else outcomes


def _outcome(cells: Cells, chance: Chance, fuel: int | None) -> Any:
    writes: dict[Any, Any] = {}
    for _ in range(chance.below(cells.sizes.writes + 1)):
        key = cells.some(chance)
        writes[key] = cells.values[key][chance.below(len(cells.values[key]))]
    if writes and fuel is not None:
        writes["fuel"] = fuel - 1
    return Change(writes, ("x", "y")[: chance.below(3)]) if chance.below(2) else writes


def asks(cells: Cells, seed: int, number: int, odds: int) -> Any:
    """A predicate that is false once in `odds`; never, if that is 0."""

    def predicate(read: Read) -> bool:
        chance = Chance(seed, number)
        look(cells, chance, read)
        return odds == 0 or chance.below(odds) > 0

    return predicate


def random_model(seed: int) -> Model:
    chance = Random(seed)
    kind = chance.randrange(4)
    if kind == 0:  # few cells, every combination may be reached
        sizes = Sizes(chance.randint(2, 5), chance.randint(0, 2), chance.randint(2, 5), 4, 3, 3, 0)
    elif kind == 1:  # many cells, and few steps
        sizes = Sizes(chance.randint(5, 60), chance.randint(0, 20), chance.randint(2, 10), 4, 4, 3, 3)
    elif kind == 2:  # values that go on coming
        sizes = Sizes(chance.randint(1, 3), 1, chance.randint(10, 300), 3, 2, 3, chance.choice([0, 6]))
    else:  # deep and narrow
        sizes = Sizes(chance.randint(4, 12), chance.randint(0, 6), chance.randint(2, 6), 6, 2, 1, 9)
    cells = Cells(sizes, chance)
    m = Model(f"random {seed}")
    for key in cells.declared:
        m.var(key, chance.choice(cells.values[key]))
    if sizes.fuel:
        m.var("fuel", sizes.fuel)
    for number in range(chance.randint(1, 8)):
        m.action(f"action {number}", act, cells, seed, number)
    claims(m, cells, seed, chance)
    return m


def claims(m: Model, cells: Cells, seed: int, chance: Random) -> None:
    mostly = chance.choice([0, 0, 40, 400])
    holds, seldom, half = (asks(cells, seed, 100 + n, odds) for n, odds in enumerate((mostly, 30, 2)))
    some = chance.sample(cells.keys, min(len(cells.keys), 5))
    most = chance.choice([9, 40, 10**6])
    m.always("always", holds)
    m.sometimes("sometimes", lambda read: not seldom(read))
    m.always("implied", when=half, then=holds)
    m.always("each", for_each(some, lambda read, key: cells.code(key, read(key)) != 3 or holds(read)))
    m.always("pairs", when=half, then=for_pairs(some, lambda read, a, b: read(a) != read(b) or holds(read)))
    number = total(some, lambda read, key: cells.code(key, read(key)))
    m.always("sum", number.at_most(most))
    m.always("sums", when=half, then=number.at_least(lambda read: cells.code(some[0], read(some[0])) - most))
    m.always("count", count(some, lambda read, key: read(key) is None).at_most(most // 8))
    m.always_step("step", lambda before, after, *_: before(some[0]) is not after(some[0]) or holds(after))
    if chance.randrange(2):
        m.final(half)
    else:
        m.allow_deadlock("it may stop")
    for n in range(chance.randrange(3)):
        names = [action.name for action in m.actions]
        weak, strong = (tuple(chance.sample(names, chance.randrange(len(names)))) for _ in range(2))
        trigger, goal = asks(cells, seed, 200 + n, 2), asks(cells, seed, 300 + n, 3)
        m.leads_to(f"leads {n}", trigger, goal, fair=weak, strongly_fair=strong)
        m.eventually(f"arrives {n}", goal, fair=weak, strongly_fair=strong)


@contextmanager
def inner_sizes(seed: int) -> Iterator[dict[str, Any]]:
    """Sizes of the vector engine that change how it works, and must not change what it says."""
    chance = Random(seed)
    chunk = chance.choice([1, 2, 7, 64, 1 << 14])
    tiny = chance.choice([0, 0, 3, 12, 60, 600, 10**9])
    spare = chance.choice([None, 0, 1])
    chosen: dict[tuple[Any, str], Any] = {
        (fields, "WORD_BITS"): chance.choice([10, 10, 11, 13, 17, 32, 64]),
        (tables, "SINGLE_BITS"): chance.choice([0, 2, 5, 9, 16]),
        (tables, "MANY_LEAVES"): chance.choice([1, 4, 16, 64]),
        (steps, "SHARED_BITS"): chance.choice([0, 4, 8, 12]),
        (judge, "_SHARED_BITS"): chance.choice([0, 5, 14]),
        (steps, "TINY"): tiny,
        (judge, "TINY"): chance.choice([0, tiny]),
        (vector, "_CHUNK"): chunk,
        (judge, "_CHUNK"): chance.choice([1, 5, 1 << 15]),
        (vector, "_AUDIT_STATES"): chance.choice([1, 256]),
        (index, "_BATCH"): chance.choice([1, 3, 1 << 18]),
        (index, "_LEAST"): chance.choice([1, 5, 1 << 11]),
        (walk, "_WINDOW_BITS"): chance.choice([0, 2, 5, 12]),
        (walk, "_DIGIT_BITS"): chance.choice([1, 2, 6]),
        (space, "_RECENT_BITS"): chance.choice([(1, 1), (1, 4), (10, 20)]),
        (space, "_REPACK"): chance.choice([1, 10, 1 << 20]),
        (space, "_RESERVE"): 16,
    }
    if spare is not None:
        chosen[fields.Field, "wish"] = property(lambda field: field.needs + spare)
    before = {place: getattr(*place) for place in chosen}
    for (owner, name), value in chosen.items():
        setattr(owner, name, value)
    try:
        yield {f"{owner.__name__}.{name}": value for (owner, name), value in chosen.items()}
    finally:
        for (owner, name), value in before.items():
            setattr(owner, name, value)


def comparable(report: Report) -> dict[str, Any]:
    """Both engines find a lasso or none, but not always the same one."""
    said = facts(report)
    said["properties"] = [
        (name, verdict, None if kind in ("leads_to", "eventually") else length, reached)
        for (name, verdict, length, reached), kind in zip(
            said["properties"], (one.kind for one in report.properties), strict=True
        )
    ]
    return said


def differs(seed: int) -> str | None:
    """What the engines say differently about one model, or None."""
    for keep_going in (False, True):
        model = random_model(seed)
        oracle = check(model, "reference", keep_going=keep_going, max_states=MOST_STATES, audit=False)
        with inner_sizes(seed) as sizes:
            budget = MOST_STATES if oracle.cut else None
            found = check(model, "vector", keep_going=keep_going, max_states=budget)
            said = _unlike(oracle, found)
            if said is None and keep_going and oracle.cut is None:
                part = check(model, "vector", keep_going=True, max_states=max(oracle.distinct // 2, 1))
                said = _unlike(oracle, part)
        if said is not None:
            return f"seed {seed}, keep_going={keep_going}, {sizes}: {said}"
    return None


def _unlike(oracle: Report, found: Report) -> str | None:
    if oracle.cut is None and found.cut is None:
        one, other = comparable(oracle), comparable(found)
        return None if one == other else f"reference {one}\nvector {other}"
    # Who is cut may know less, but where both know, they agree.
    for mine, its in zip(oracle.properties, found.properties, strict=True):
        known = {mine.verdict, its.verdict} - {"unknown"}
        lengths = {len(it.trace) for it in (mine, its) if it.trace is not None and it.kind != "leads_to"}
        if len(known) > 1 or len(lengths) > 1:
            return f"cut: reference {mine}\nvector {its}"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0, help="of the first model")
    parser.add_argument("--only", type=int, help="the seed of one model")
    options = parser.parse_args()
    seed, end = options.seed, time.monotonic() + 60 * options.minutes
    while time.monotonic() < end:
        said = differs(seed if options.only is None else options.only)
        if said is not None:
            sys.exit(said)
        if options.only is not None:
            break
        seed += 1
        if seed % 500 == 0:
            sys.stdout.write(f"{seed - options.seed} models, no difference\n")
            sys.stdout.flush()
    sys.stdout.write("no difference\n")


if __name__ == "__main__":
    main()
