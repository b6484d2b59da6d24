"""What is written is what z3 means: read back by z3, and equal; shared terms are written once."""

from typing import Any

import pytest
import z3  # type: ignore[import-untyped]

from proofs.smtlib import Writer

X, Y = z3.Ints("x.0 y'1")
P = z3.Bool("is it?")
F = z3.Function("product", z3.IntSort(), z3.IntSort(), z3.IntSort())

FORMULAS = (
    [X < Y, Y <= X + 1, X >= 0, X > -3],
    [z3.And(P, z3.Or(z3.Not(P), X == 2)), z3.Implies(P, X != Y)],
    [z3.If(P, X, Y) == F(X, -Y), X - Y - 1 == 2 * X],
    [z3.Distinct(X, Y, z3.IntVal(4)), (X == Y) == P, z3.BoolVal(True)],
    [z3.Sum(X, Y, z3.IntVal(1)) < 3, z3.BoolVal(False)],
)


@pytest.mark.parametrize("formulas", FORMULAS, ids=str)
def test_z3_reads_back_what_was_written(formulas: list[Any]) -> None:
    (read,) = z3.parse_smt2_string(Writer().script(formulas))
    solver = z3.Solver()
    solver.add(read != z3.And(*formulas))
    assert solver.check() == z3.unsat


def test_what_is_shared_is_written_once() -> None:
    term = X
    for _ in range(60):
        term = z3.If(term > Y, term + 1, term)
    assert len(Writer().script([term > 0])) < 4_000


def test_a_writer_that_wrote_before_writes_the_same() -> None:
    writer = Writer()
    first = writer.script(FORMULAS[1])
    writer.script(FORMULAS[2])
    assert writer.script(FORMULAS[1]) == first


def test_what_has_no_word_is_refused() -> None:
    with pytest.raises(ValueError, match="no SMT-LIB word"):
        Writer().script([X % 3 == 1])


def test_a_name_that_cannot_be_quoted_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be called"):
        Writer().script([z3.Int("a|b") > 0])
