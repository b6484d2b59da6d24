"""A second solver beside the first: what z3 has on its stack when it says `unsat` is asked of cvc5.

The two share nothing but text: each formula goes over as SMT-LIB 2. The stack of cvc5 is brought to that of
z3 only when there is something to ask, so a formula that many questions share is sent once. It must say
`unsat` too; anything else, a parse error included, is a Disagreement. `walkable` is the control: a stack that
z3 finds to have a world must have one for cvc5 as well.
"""

from typing import Any, Final

import cvc5  # type: ignore[import-untyped]
import z3  # type: ignore[import-untyped]

from proofs.second import Disagreement, Opinion

TIMEOUT_MS: Final = 60_000
PREAMBLE: Final = "(set-option :global-declarations true)\n(set-logic ALL)\n"


class Mirror:
    """The stack of one exploration, in cvc5."""

    def __init__(self) -> None:
        self.solver = cvc5.Solver(cvc5.TermManager())
        self.solver.setOption("incremental", "true")
        self.solver.setOption("tlimit-per", str(TIMEOUT_MS))
        self.parser = cvc5.InputParser(self.solver)
        self.stack: list[Any] = []
        self.declared: set[str] = set()
        self.confirmed = self.walked = 0
        self._say(PREAMBLE)

    def __call__(self, stack: list[Any], formula: Any) -> None:
        """Raises Disagreement unless cvc5 says `unsat` too."""
        self._bring(stack)
        self._ask(formula, "unsat")
        self.confirmed += 1

    def walkable(self, stack: list[Any]) -> None:
        """The control: raises Disagreement unless cvc5 finds a world for the stack."""
        self._bring(stack)
        self._ask(None, "sat")
        self.walked += 1

    @property
    def opinion(self) -> Opinion:
        return Opinion(self.confirmed, self.walked)

    def _ask(self, formula: Any, want: str) -> None:
        text = "" if formula is None else f"{self._declared(formula)}(assert {formula.sexpr()})\n"
        said = self._say(f"(push 1)\n{text}(check-sat)\n(pop 1)\n").split()
        if said != [want]:
            raise Disagreement(" ".join(said), text)

    def _bring(self, stack: list[Any]) -> None:
        same = 0
        for mine, its in zip(self.stack, stack, strict=False):
            if not mine.eq(its):
                break
            same += 1
        if len(self.stack) > same:
            self._say(f"(pop {len(self.stack) - same})\n")
        for formula in stack[same:]:
            self._say(f"(push 1)\n{self._declared(formula)}(assert {formula.sexpr()})\n")
        self.stack = list(stack)

    def _declared(self, formula: Any) -> str:
        """Declarations of the symbols that were not used before."""
        made = []
        for symbol in _symbols(formula):
            text = symbol.sexpr()
            if text not in self.declared:
                self.declared.add(text)
                made.append(text)
        return "\n".join((*made, ""))

    def _say(self, text: str) -> str:
        said = []
        try:
            self.parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "mirror")
            while not (command := self.parser.nextCommand()).isNull():
                said.append(str(command.invoke(self.solver, self.parser.getSymbolManager())))
        except RuntimeError as fault:
            raise Disagreement(str(fault), text) from fault
        return "".join(said)


def _symbols(formula: Any) -> list[Any]:
    """The uninterpreted symbols of a formula."""
    found: dict[int, Any] = {}
    seen: set[int] = set()
    left = [formula]
    while left:
        term = left.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        symbol = term.decl()
        if symbol.kind() == z3.Z3_OP_UNINTERPRETED:
            found[symbol.get_id()] = symbol
        left += term.children()
    return list(found.values())
