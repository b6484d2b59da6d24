"""A second opinion: every `unsat` of z3 is written as SMT-LIB 2 and put to cvc5, a solver of its own.

Each query is asked twice in one script: whole, which must be `unsat`, and without its last assertion, the
negation of what was to be shown. That control is `sat` where the path can be walked at all; a solver, or a
script, that says `unsat` to everything is found out by it. Equal texts are asked once.
"""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final, NamedTuple

import cvc5  # type: ignore[import-untyped]

TIMEOUT_MS: Final = 60_000
LOGIC: Final = "(set-logic ALL)\n"
LAST: Final = "(check-sat)"


class Disagreement(Exception):
    """cvc5 did not confirm an `unsat`: the proof is void. Carries the script, to be run by hand."""

    def __init__(self, said: str, script: str) -> None:
        super().__init__(f"cvc5 says {said!r} where z3 says 'unsat':\n{script}")
        self.said, self.script = said, script


class Opinion(NamedTuple):
    """What cvc5 was asked and said."""

    confirmed: int  # queries, all of them `unsat`
    walkable: int  # of these, how many controls are `sat`


class Second:
    """Takes the text of each query as it is concluded, and remembers what it has asked by its digest."""

    def __init__(self) -> None:
        self._asked: dict[bytes, bool] = {}
        self.taken = 0

    def __call__(self, text: str) -> None:
        """Raises Disagreement unless cvc5 says `unsat` too."""
        self.taken += 1
        name = blake2b(text.encode(), digest_size=16).digest()
        if name not in self._asked:
            self._asked[name] = confirm(text)

    @property
    def opinion(self) -> Opinion:
        return Opinion(len(self._asked), sum(self._asked.values()))


def confirm(text: str) -> bool:
    """Whether the control is `sat`; raises Disagreement unless the query itself is `unsat`."""
    script = with_control(text)
    said = run(script)
    if len(said) != 2 or said[0] != "unsat" or said[1] not in ("sat", "unsat"):
        raise Disagreement(" ".join(said), script)
    return said[1] == "sat"


def with_control(text: str) -> str:
    """The query, and then the query without its last assertion."""
    last = text.rindex("\n(assert")
    body = text[last:].rstrip()
    if not body.endswith(LAST):
        raise ValueError(f"a query must end with {LAST}, and this one ends with {body[-40:]!r}")
    return f"{LOGIC}{text[:last]}\n(push 1){body}\n(pop 1)\n{LAST}\n"


def run(script: str) -> list[str]:
    """What cvc5 prints, word by word. A text that it cannot read is an answer too, and a wrong one."""
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("incremental", "true")
    solver.setOption("tlimit-per", str(TIMEOUT_MS))
    parser = cvc5.InputParser(solver)
    try:
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "query")
        symbols = parser.getSymbolManager()
        said = "".join(_answers(solver, parser, symbols))
    except RuntimeError as fault:
        return ["error:", *str(fault).split()]
    return said.split()


def _answers(solver: cvc5.Solver, parser: cvc5.InputParser, symbols: cvc5.SymbolManager) -> Iterable[str]:
    while not (command := parser.nextCommand()).isNull():
        yield str(command.invoke(solver, symbols))
