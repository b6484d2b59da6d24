"""Decision tries as tables in C, for Spin: what a function of many paths says is one lookup.

All tries stand in one pool. A node is a field and where its branches begin; a branch is a node, counted from
1, a leaf, counted from -1, or 0 where no state ever led. A leaf is its value, and where its outcomes begin;
an outcome is whether a step claim is refuted, and where its writes begin. A state that leads to no leaf is
one that our engine has not met: Spin then finds an assertion broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dhruva.explore.fields import Field
from dhruva.explore.learned import SumCheck
from dhruva.explore.trie import Function, Leaf, Node

TABLES = "tables.h"
ARRAYS = ("_field", "_begin", "_branch", "_said", "_first", "_alarm", "_write", "_to")
LOOKUPS = """\
#define NEVER -1000000
static int dh_fails, dh_missed;
static int dh_find(int at) {
  while (at > 0) at = dh_branch[dh_begin[at - 1] + dh_get(dh_field[at - 1])];
  return -at - 1;
}
static int dh_value(int root) { int leaf = dh_find(root); return leaf < 0 ? NEVER : dh_said[leaf]; }
static int dh_part(int root) { int value = dh_value(root); dh_missed |= value == NEVER; return value; }
static int dh_can(int root, int choice) {
  int leaf = dh_find(root);
  return leaf < 0 ? choice == 0 : choice < dh_first[leaf + 1] - dh_first[leaf];
}
static void dh_take(int root, int choice) {
  int at, last, leaf = dh_find(root);
  dh_fails = leaf < 0;
  if (dh_fails) return;
  at = dh_first[leaf] + choice;
  dh_fails = dh_alarm[at];
  last = dh_write[at + 1];
  for (at = dh_write[at]; at < last; at++) dh_set(dh_to[2 * at], dh_to[2 * at + 1]);
}"""


class Tables:
    """The pool: functions are added as they are asked for; `lines` is the file that the model includes."""

    def __init__(self, names: dict[Field, str]) -> None:
        self._names = names
        self._number = {field: at for at, field in enumerate(names)}
        self._field: list[int] = []
        self._begin: list[int] = []
        self._branch: list[int] = []
        self._said: list[int] = []
        self._first: list[int] = [0]
        self._alarm: list[int] = []
        self._write: list[int] = [0]
        self._to: list[int] = []
        self._questions: list[str] = []

    def steps(self, function: Function) -> Iterator[str]:
        """One step for each choice that some path has."""
        root = self._root(function)
        most = max((len(leaf.result.outcomes) for leaf in function.leaves), default=0)
        for choice in range(max(most, 1)):
            can = self._asked(f"dh_can({root}, {choice})")
            yield f"{can} -> c_code {{ dh_take({root}, {choice}); }}; assert(c_expr {{ !dh_fails }})"

    def says(self, function: Function, result: bool) -> Iterator[str]:
        """The guard of the states in which a function has this result; of False also where it has none."""
        yield self._asked(f"dh_value({self._root(function)}) {'==' if result else '!='} 1")

    def differs(self, comparison: SumCheck) -> str:
        """Where the signed sum does not compare with 0 as it should."""
        terms = [f"{sign:+d} * dh_part({self._root(part)})" for part, sign in comparison.sign.items()]
        wrong = f"(dh_missed = 0, !(({' '.join(terms) or '0'}) {comparison.symbol} 0) || dh_missed)"
        if comparison.when is not None:
            when = f"dh_value({self._root(comparison.when)})"
            wrong = f"{when} == NEVER || ({when} == 1 && {wrong})"
        return self._asked(wrong)

    def lines(self) -> Iterator[str]:
        for name in ARRAYS:
            values = ", ".join(map(str, getattr(self, name))) or "0"
            yield f"static const int dh{name}[] = {{ {values} }};"
        yield from _by_number(
            "int dh_get(int field)", (f"return now.{n};" for n in self._names.values()), " return 0;"
        )
        sets = (f"now.{n} = code; break;" for n in self._names.values())
        yield from _by_number("void dh_set(int field, int code)", sets, "")
        yield LOOKUPS
        yield from (f"#define dh_asked_{number} ({asked})" for number, asked in enumerate(self._questions))

    def _asked(self, question: str) -> str:
        """Spin takes a call for a side effect, and a name for none."""
        self._questions.append(question)
        return f"c_expr {{ dh_asked_{len(self._questions) - 1} }}"

    def _root(self, function: Function) -> int:
        """The number of a function's first node or leaf; its nodes are added from the root down."""
        begun: list[tuple[Node, int]] = []

        def added(at: Node | Leaf) -> int:
            while isinstance(at, Node) and at.field not in self._number:
                (at,) = at.branches.values()  # a field with one value is not written down
            if isinstance(at, Leaf):
                return -self._leaf(at)
            self._field.append(self._number[at.field])
            self._begin.append(len(self._branch))
            begun.append((at, len(self._branch)))
            self._branch += [0] * len(at.field.values)
            return len(self._field)

        root = 0 if function.root is None else added(function.root)
        while begun:
            node, begin = begun.pop()
            for code, below in node.branches.items():
                self._branch[begin + code] = added(below)
        return root

    def _leaf(self, leaf: Leaf) -> int:
        outcomes = getattr(leaf.result, "outcomes", ())
        self._said.append(0 if outcomes or not isinstance(leaf.result, int) else int(leaf.result))
        for outcome in outcomes:
            self._alarm.append(int(any(choice == outcome.choice for _, choice in leaf.result.alarms)))
            for field, code in outcome.changes:
                if field in self._number:
                    self._to += (self._number[field], code)
            self._write.append(len(self._to) // 2)
        self._first.append(len(self._alarm))
        return len(self._said)


def _by_number(head: str, cases: Iterable[str], last: str) -> Iterator[str]:
    yield f"static {head} {{ switch (field) {{"
    yield from (f"  case {number}: {case}" for number, case in enumerate(cases))
    yield f"  }}{last} }}"
