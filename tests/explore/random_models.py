"""Random models for cross-checks: actions and properties are random decision trees over a few cells.

Trees return several outcomes, write cells that were never declared, remove cells, loop, and stop. Values
are chosen so that Python's own equality would merge some of them.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from hypothesis import strategies as st

from dhruva.explore import Model, Read, for_each, total

DECLARED = ("a", "b", "c")
KEYS = (*DECLARED, ("late", 0), ("late", 1))
VALUES = (None, 0, 1, True, 2)


class Change(NamedTuple):
    writes: dict[Any, Any]
    edges: tuple[str, ...]


class Refused(NamedTuple):
    rule: str


class Tree(NamedTuple):
    """Read a key; the branch is chosen by the value. A leaf is whatever the function returns."""

    key: Any
    branches: tuple[Any, ...]


def run(tree: Any, read: Read) -> Any:
    while isinstance(tree, Tree):
        value = read(tree.key)
        place = next((n for n, one in enumerate(VALUES) if one is value), 0)
        tree = tree.branches[place % len(tree.branches)]
    return tree


def test(tree: Any, read: Read) -> bool:
    return bool(run(tree, read))


def trees(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda below: st.builds(
            Tree, st.sampled_from(KEYS), st.lists(below, min_size=2, max_size=5).map(tuple)
        ),
        max_leaves=8,
    )


writes = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), max_size=3)
outcomes = st.one_of(
    st.none(),
    writes,
    st.builds(Change, writes, st.lists(st.sampled_from("xyz"), max_size=2).map(tuple)),
    st.builds(Refused, st.sampled_from(("full", "late"))),
    st.lists(writes, max_size=3),
)


@st.composite
def models(draw: st.DrawFn) -> Model:
    m = Model("random")
    for key in DECLARED:
        m.var(key, draw(st.sampled_from(VALUES)))
    for number in range(draw(st.integers(1, 4))):
        tree = draw(trees(outcomes))
        m.action(f"action {number}", lambda read, tree: run(tree, read), tree)
    _properties(draw, m)
    if draw(st.booleans()):
        final = draw(trees(st.booleans()))
        m.final(partial(test, final))
    return m


def _properties(draw: st.DrawFn, m: Model) -> None:
    mostly, never, either = [True] * 5 + [False], [False], [True, False]
    yes, no, maybe = (draw(trees(st.sampled_from(options))) for options in (mostly, never, either))
    m.always("always", partial(test, yes))
    m.sometimes("sometimes", partial(test, maybe))
    m.always("implied", when=partial(test, maybe), then=partial(test, yes))
    m.always("each", for_each(KEYS, lambda read, key: read(key) != 2 or test(maybe, read)))
    m.always(
        "when each", when=partial(test, no), then=for_each(KEYS, lambda read, key: read(key) is not True)
    )
    number = total(KEYS, lambda read, key: 2 if read(key) is True else read(key) or 0)
    m.always("sum", number.at_most(draw(st.integers(0, 8))))
    m.always("sums", when=partial(test, maybe), then=number.at_least(lambda read: read("a") or 0))
    limit = draw(st.integers(0, 3))
    m.always_step("step", lambda before, after, *_: (after("a") or 0) <= (before("b") or 0) + limit)


@st.composite
def live_models(draw: st.DrawFn) -> Model:
    """Random models with claims about runs."""
    m = Model("random runs")
    for key in DECLARED:
        m.var(key, draw(st.sampled_from(VALUES)))
    count = draw(st.integers(1, 4))
    for number in range(count):
        tree = draw(trees(outcomes))
        m.action(f"action {number}", lambda read, tree: run(tree, read), tree)
    m.allow_deadlock("runs may stop")
    names = st.frozensets(st.sampled_from([f"action {number}" for number in range(count)]))
    for number in range(2):
        trigger, goal = (partial(test, draw(trees(st.booleans()))) for _ in range(2))
        fair, strong = (tuple(sorted(draw(names))) for _ in range(2))
        m.leads_to(f"leads {number}", trigger, goal, fair=fair, strongly_fair=strong)
        m.eventually(f"arrives {number}", goal, fair=fair, strongly_fair=strong)
    return m
