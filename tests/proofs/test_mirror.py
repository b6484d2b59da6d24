"""cvc5 is asked what z3 concluded, over the stack of an exploration; nothing else passes for an answer."""

import pytest
import z3  # type: ignore[import-untyped]

from proofs.mirror import Mirror
from proofs.prove import prove
from proofs.second import Disagreement
from proofs.shapes import SHAPES
from proofs.symbolic import proved_kernel

A, B = z3.Ints("scope0.slots scope0.limit")


def test_the_stack_follows() -> None:
    mirror = Mirror()
    mirror([A < B, B < 3], A > 5)
    mirror([A < B], z3.And(A > B))
    mirror([A < B, B == 2], A >= 2)
    mirror.walkable([A < B])
    assert tuple(mirror.opinion) == (3, 1)


def test_what_can_be_met_is_a_disagreement() -> None:
    with pytest.raises(Disagreement, match="cvc5 says 'sat'"):
        Mirror()([A < B], A > 5)


def test_a_control_that_nothing_meets_is_a_disagreement() -> None:
    with pytest.raises(Disagreement, match="cvc5 says 'unsat'"):
        Mirror().walkable([A < B, B < A])


@pytest.mark.cites("VER-3")
def test_every_unsat_of_an_input_is_confirmed() -> None:
    (shape,) = (s for s in SHAPES if s.name == "Dispose")
    answer = prove(shape, proved_kernel(), second=Mirror())
    assert answer.confirmed > 20
    assert answer.walkable == answer.accepted == 1
