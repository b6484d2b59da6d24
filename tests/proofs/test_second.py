"""cvc5 confirms what z3 concluded, from a core and as a text; nothing else passes for a confirmation."""

import pytest
import z3  # type: ignore[import-untyped]

from proofs import second as asked
from proofs.prove import prove
from proofs.second import Cores, Disagreement, Second, run
from proofs.shapes import SHAPES
from proofs.smtlib import Writer
from proofs.symbolic import proved_kernel

X, Y, Z = z3.Ints("scope0.slots scope0.limit other")
CLAIM = "slots within the limit"


def _asking() -> Second:
    second = Second()
    second.about = CLAIM
    return second


@pytest.mark.cites("VER-3")
def test_a_question_and_its_control() -> None:
    second = _asking()
    second([X < Y, Z > 3], z3.Not(X + 1 <= Y))
    assert second.opinion == (1, 1, 1, (CLAIM,), ())


def test_equal_cores_are_asked_once() -> None:
    second = _asking()
    second([X < Y, Z > 3], z3.Not(X + 1 <= Y))
    second([X < Y, Z > 4], z3.Not(X + 1 <= Y))
    assert (second.opinion.confirmed, second.opinion.cores) == (2, 1)


def test_a_core_is_a_part_of_what_was_asked() -> None:
    core = Cores().of([z3.And(X < Y, Z > 3), X >= Y])
    assert {one.sexpr() for one in core} == {(X < Y).sexpr(), (X >= Y).sexpr()}


def test_premises_that_nothing_meets_have_no_control() -> None:
    second = _asking()
    second([X < Y, Y < X], z3.Not(X + 1 <= Y))
    assert (second.opinion.controlled, second.opinion.uncontrolled) == ((), (CLAIM,))


def test_what_can_be_met_is_a_disagreement() -> None:
    with pytest.raises(Disagreement, match="cvc5 says 'sat' where z3 says 'unsat'") as no:
        Second()([X <= Y], z3.Not(X + 1 <= Y))
    assert "|scope0.limit|" in no.value.script


def test_a_world_that_is_none_is_a_disagreement() -> None:
    with pytest.raises(Disagreement, match="cvc5 says 'unsat' where z3 says 'sat'"):
        Second().walkable([X < Y, Y < X])


@pytest.mark.parametrize("said", ["unknown", "error: no such word", "", "unsat unsat"])
def test_nothing_else_passes_for_an_answer(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, "run", lambda _: said)
    with pytest.raises(Disagreement, match=f"cvc5 says '{said}'"):
        Second()([X < Y], X > Y)


def test_a_text_that_cannot_be_read_is_no_answer() -> None:
    script = Writer().script([X < Y])
    assert run(script) == "sat"
    assert run(script.replace("(< |scope0.slots|", "(< slots'", 1)).startswith("error")


def test_what_takes_too_long_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, "TIMEOUT_MS", 1)
    x, y, z = z3.Ints("x y z")
    hard = [x * x * x + y * y * y == z * z * z + 29, x > 1, y > 1, z > 1, x * y * z > 10**9]
    assert run(Writer().script(hard).replace("QF_UFLIA", "QF_NIA")).startswith("unknown")


@pytest.mark.cites("VER-3")
def test_every_unsat_of_an_input_is_confirmed() -> None:
    (shape,) = (s for s in SHAPES if s.name == "Dispose")
    answer = prove(shape, proved_kernel(), second=Second())
    assert answer.opinion is not None
    assert answer.opinion.confirmed > 20
    assert answer.opinion.uncontrolled == ()
    assert CLAIM in answer.opinion.controlled
    assert [found for found in answer.found if found.broken] == []
