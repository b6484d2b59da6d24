"""Formulas of z3 as SMT-LIB 2, written here and not by z3, which would repeat what formulas share.

Merged paths share most of their terms: written out, a question has a megabyte, and here it has twenty
kilobytes. A term that is used twice is named by a `let`. Only what the engine makes can be written: integers,
truth values and uninterpreted functions of them.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import z3  # type: ignore[import-untyped]

WORDS: Final = {
    z3.Z3_OP_TRUE: "true",
    z3.Z3_OP_FALSE: "false",
    z3.Z3_OP_AND: "and",
    z3.Z3_OP_OR: "or",
    z3.Z3_OP_NOT: "not",
    z3.Z3_OP_IMPLIES: "=>",
    z3.Z3_OP_EQ: "=",
    z3.Z3_OP_DISTINCT: "distinct",
    z3.Z3_OP_ITE: "ite",
    z3.Z3_OP_ADD: "+",
    z3.Z3_OP_SUB: "-",
    z3.Z3_OP_UMINUS: "-",
    z3.Z3_OP_MUL: "*",
    z3.Z3_OP_LE: "<=",
    z3.Z3_OP_LT: "<",
    z3.Z3_OP_GE: ">=",
    z3.Z3_OP_GT: ">",
}


class _Node(NamedTuple):
    head: str
    parts: tuple[int, ...]
    declared: str | None  # of a symbol
    term: Any  # kept, so that its id stays its own


class Writer:
    """Remembers every term that it has written: explorations ask about the same ones again and again."""

    def __init__(self) -> None:
        self._nodes: dict[int, _Node] = {}

    def script(self, formulas: Sequence[Any]) -> str:
        """The question whether all of these can be true at once."""
        for formula in formulas:
            self._look(formula)
        roots = [formula.get_id() for formula in formulas]
        order, uses = self._order(roots)
        text: dict[int, str] = {}
        lets: list[str] = []
        for at in order:
            head, parts, _, _ = self._nodes[at]
            text[at] = f"({head} {' '.join(text[part] for part in parts)})" if parts else head
            if parts and uses[at] > 1:
                name = f"t{len(lets)}"
                lets.append(f"(let (({name} {text[at]}))\n")
                text[at] = name
        declared = sorted({said for at in order if (said := self._nodes[at].declared) is not None})
        every = "\n".join(text[at] for at in roots)
        asserted = f"(assert {''.join(lets)}(and true true\n{every}){')' * len(lets)})"
        return "\n".join(("(set-logic QF_UFLIA)", *declared, asserted, "(check-sat)", ""))

    def _order(self, roots: list[int]) -> tuple[list[int], dict[int, int]]:
        """Every term after its parts, and how often it is used."""
        order: list[int] = []
        uses: dict[int, int] = {}
        left = [(at, False) for at in reversed(roots)]
        while left:
            at, entered = left.pop()
            if entered:
                order.append(at)
                continue
            uses[at] = uses.get(at, 0) + 1
            if uses[at] == 1:
                left.append((at, True))
                left += [(part, False) for part in reversed(self._nodes[at].parts)]
        return order, uses

    def _look(self, formula: Any) -> None:
        left = [formula]
        while left:
            term = left.pop()
            if term.get_id() not in self._nodes:
                parts = term.children()
                head, declared = _head(term)
                self._nodes[term.get_id()] = _Node(head, tuple(p.get_id() for p in parts), declared, term)
                left += parts


def _head(term: Any) -> tuple[str, str | None]:
    """The word of a term, and for a symbol its declaration."""
    if z3.is_int_value(term):
        value = term.as_long()
        return (str(value) if value >= 0 else f"(- {-value})"), None
    symbol = term.decl()
    if symbol.kind() in WORDS:
        return WORDS[symbol.kind()], None
    if symbol.kind() != z3.Z3_OP_UNINTERPRETED:
        raise ValueError(f"no SMT-LIB word for {symbol.name()!r}")
    if set(symbol.name()) & {"|", "\\"}:
        raise ValueError(f"a symbol cannot be called {symbol.name()!r} in SMT-LIB")
    name = f"|{symbol.name()}|"
    given = " ".join(symbol.domain(at).name() for at in range(symbol.arity()))
    return name, f"(declare-fun {name} ({given}) {symbol.range().name()})"
