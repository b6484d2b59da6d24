"""A trace as a picture: a line of life per cell with a state, a pill where it changes, else small print."""

import re
from typing import Any

from dhruva.verify.diagram import LINES, sequence


def change(
    cell: str, before: str | None, after: str | None, text: str = "…", ghost: bool = False
) -> dict[str, Any]:
    return {"cell": cell, "before": before, "after": after, "text": text, "ghost": ghost}


def trace(*steps: list[dict[str, Any]]) -> dict[str, Any]:
    return {"loop": None, "steps": [{"action": f"act({n})", "changes": one} for n, one in enumerate(steps)]}


def test_cells_with_a_state_have_a_life_and_a_pill_where_it_changes() -> None:
    drawn = sequence(
        trace([change("lock 7", "free", "held")], [change("lock 7", "held", None)]), "one holder"
    )
    assert drawn.count(">lock 7</text>") == 1
    assert drawn.count(">held</text>") == 1
    assert drawn.count(">gone</text>") == 1
    assert "✗ one holder" in drawn
    assert drawn.count('class="step last"') == 1


def test_the_rest_is_small_print_ghosts_left_out_and_bounded() -> None:
    many = [change(f"lanes {n}", None, None, f"lanes {n} = …") for n in range(9)]
    drawn = sequence(trace([*many, change("ghost", None, None, "ghost(x) = 1", ghost=True)]), "p")
    assert drawn.count('class="small"') == LINES
    assert f"and {9 - LINES + 1} more" in drawn
    assert "ghost" not in drawn


def test_everything_is_inside_the_picture() -> None:
    drawn = sequence(trace(*[[change(f"task {n}", None, "pending")] for n in range(6)]), "p")
    size = re.search(r'viewBox="0 0 (\d+) (\d+)"', drawn)
    assert size is not None
    assert max(int(x) for x in re.findall(r' x="(\d+)"', drawn)) < int(size[1])
    assert max(int(y) for y in re.findall(r' y="(\d+)"', drawn)) < int(size[2])
