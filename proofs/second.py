"""A second opinion: every `unsat` that z3 concludes, of claims and of branches, is confirmed by cvc5.

What z3 was asked is taken apart into its conjuncts, and z3 names those that it needs: its unsat core. The
core is written as SMT-LIB 2 (smtlib.py) and put to cvc5, a solver of its own, which reads it as a text and
knows of nothing else. It must say `unsat`; `sat`, `unknown` and a parse error are a Disagreement. If a part
of the assertions cannot be met, all of them cannot: nothing is lost, and nothing trusted, by asking about
less. Equal cores are asked once.

The control is the question without its last assertion, the negation of what was to be shown: premises and
path as they are. Once for each claim of each input it must be `sat`; premises that nothing meets, or a solver
or a script that says `unsat` to everything, are found out by it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import cvc5  # type: ignore[import-untyped]
import z3  # type: ignore[import-untyped]

from proofs.smtlib import Writer

TIMEOUT_MS: Final = 60_000
UNSAT, SAT = "unsat", "sat"


class Disagreement(Exception):
    """cvc5 did not say what z3 says: the proof is void. Carries the script, to be run by hand."""

    def __init__(self, said: str, want: str, script: str) -> None:
        super().__init__(f"cvc5 says {said!r} where z3 says {want!r}:\n{script}")
        self.said, self.want, self.script = said, want, script


class Opinion(NamedTuple):
    """What cvc5 was asked and said."""

    confirmed: int = 0  # answers `unsat` of z3, each of which contains a core that is `unsat` for cvc5
    cores: int = 0  # different ones
    controls: int = 0  # questions without their last assertion, and worlds where the input is accepted: `sat`
    controlled: tuple[str, ...] = ()  # claims of which a control is `sat`
    uncontrolled: tuple[
        str, ...
    ] = ()  # claims that were asked about, of which none is: nothing meets them here


class Second:
    """Takes each question of one exploration as it is concluded. `about`: the claim that asks, if any."""

    def __init__(self) -> None:
        self.about: str | None = None
        self._cores = Cores()
        self._writer = Writer()
        self._confirmed: set[frozenset[int]] = set()
        self._controlled: dict[str, bool] = {}
        self._taken = self._controls = 0

    def __call__(self, stack: Sequence[Any], formula: Any) -> None:
        """Raises Disagreement unless cvc5 says `unsat` too."""
        self._taken += 1
        core = self._cores.of((*stack, formula))
        name = frozenset(one.get_id() for one in core)
        if name not in self._confirmed:
            self._put(core, UNSAT)
            self._confirmed.add(name)
        if self.about is not None and not self._controlled.get(self.about):
            self._controlled[self.about] = self._control(stack)

    def walkable(self, stack: Sequence[Any]) -> None:
        """Where an input is accepted: raises Disagreement unless cvc5 finds a world, too."""
        self._put(list(stack), SAT)
        self._controls += 1

    def _control(self, stack: Sequence[Any]) -> bool:
        """Whether there is a world before the last assertion. A path that none walks has no control."""
        if not self._cores.met(stack):
            return False
        self.walkable(stack)
        return True

    @property
    def opinion(self) -> Opinion:
        there, missing = (
            tuple(sorted(name for name, found in self._controlled.items() if found is want))
            for want in (True, False)
        )
        return Opinion(self._taken, len(self._confirmed), self._controls, there, missing)

    def _put(self, formulas: Sequence[Any], want: str) -> None:
        script = self._writer.script(formulas)
        said = run(script)
        if said != want:
            raise Disagreement(said, want, script)


class Cores:
    """Unsat cores by z3. It is given each conjunct once, behind a literal; a question is a set of these."""

    def __init__(self) -> None:
        self._solver = z3.SimpleSolver()
        self._literals: dict[int, Any] = {}
        self._conjuncts: dict[int, tuple[Any, ...]] = {}
        self._kept: list[Any] = []  # terms keep their ids as long as they are kept

    def of(self, formulas: Iterable[Any]) -> list[Any]:
        """Conjuncts of these that cannot all be true: those that z3 names, or all if it names none."""
        asked = self._asked(formulas)
        if self._solver.check(*asked) != z3.unsat:
            return list(asked.values())
        needed = {literal.get_id() for literal in self._solver.unsat_core()}
        return [conjunct for literal, conjunct in asked.items() if literal.get_id() in needed]

    def met(self, formulas: Iterable[Any]) -> bool:
        """Whether some world meets all of these, for z3."""
        return bool(self._solver.check(*self._asked(formulas)) == z3.sat)

    def _asked(self, formulas: Iterable[Any]) -> dict[Any, Any]:
        conjuncts = {one.get_id(): one for formula in formulas for one in self._taken_apart(formula)}
        return {self._literal(one): one for one in conjuncts.values()}

    def _taken_apart(self, formula: Any) -> tuple[Any, ...]:
        name = formula.get_id()
        if name not in self._conjuncts:
            self._kept.append(formula)
            self._conjuncts[name] = tuple(conjuncts(formula))
        return self._conjuncts[name]

    def _literal(self, conjunct: Any) -> Any:
        name = conjunct.get_id()
        if name not in self._literals:
            literal = z3.Bool(f"conjunct {len(self._literals)}")
            self._solver.add(z3.Implies(literal, conjunct))
            self._literals[name] = literal
        return self._literals[name]


def conjuncts(formula: Any) -> Iterator[Any]:
    """What a formula says, in parts that are all true where it is."""
    if z3.is_and(formula):
        for part in formula.children():
            yield from conjuncts(part)
    else:
        yield formula


def run(script: str) -> str:
    """What cvc5 says to a script. A text that it cannot read is an answer too, and a wrong one."""
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(TIMEOUT_MS))
    parser = cvc5.InputParser(solver)
    try:
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "question")
        return "".join(_answers(solver, parser)).strip()
    except RuntimeError as fault:
        return f"error: {fault}"


def _answers(solver: Any, parser: Any) -> Iterator[str]:
    while not (command := parser.nextCommand()).isNull():
        yield str(command.invoke(solver, parser.getSymbolManager()))
