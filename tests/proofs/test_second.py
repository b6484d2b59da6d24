"""cvc5 confirms what is unsatisfiable, and nothing else passes for a confirmation."""

from typing import Any

import pytest
import z3  # type: ignore[import-untyped]

from proofs.second import Disagreement, Opinion, Second, confirm, with_control

X, Y = z3.Ints("scope0.slots scope0.limit")


def query(*assertions: Any) -> str:
    solver = z3.Solver()
    solver.add(*assertions)
    return str(solver.to_smt2())


SLOTS_STAY_WITHIN = query(X < Y, z3.Not(X + 1 <= Y))


@pytest.mark.cites("VER-3")
def test_a_query_and_its_control() -> None:
    assert confirm(SLOTS_STAY_WITHIN) is True


def test_a_path_that_cannot_be_walked_has_no_control() -> None:
    assert confirm(query(X < Y, Y < X, z3.Not(X == X + Y))) is False


def test_what_can_be_satisfied_is_a_disagreement() -> None:
    with pytest.raises(Disagreement, match="cvc5 says 'sat sat' where z3 says 'unsat'") as no:
        confirm(query(X <= Y, z3.Not(X + 1 <= Y)))
    assert "scope0.limit" in no.value.script


def test_a_text_that_cannot_be_read_is_a_disagreement() -> None:
    with pytest.raises(Disagreement, match="error"):
        confirm(SLOTS_STAY_WITHIN.replace("scope0.slots", "slots'", 1))


def test_a_query_without_its_question_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must end with \(check-sat\)"):
        with_control(SLOTS_STAY_WITHIN.replace("(check-sat)", ""))


def test_equal_queries_are_asked_once() -> None:
    second = Second()
    for _ in range(3):
        second(SLOTS_STAY_WITHIN)
    assert (second.taken, second.opinion) == (3, Opinion(1, 1))
