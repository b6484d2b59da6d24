"""Each way of finding a cell is used by some wire, and there is no other."""

import pytest

from dhruva.rules.which import WHICH
from dhruva.wiring import WIRING, Fire, Which


@pytest.mark.cites("VER-1a")
def test_which_is_total_and_holds_nothing_unused() -> None:
    assert set(WHICH) == set(Which)
    assert {wire.which for wire in WIRING if isinstance(wire, Fire)} == set(Which)
