"""The report on tables counts what is there, and a fault in a table that skipped its checks shows."""

from dataclasses import replace

import pytest

from dhruva.machines import MACHINES
from dhruva.machines.scope import SCOPE, ScopeState
from dhruva.verify.tables import check_tables


@pytest.mark.cites("VER-3")
def test_every_pair_is_counted_once() -> None:
    for report in check_tables(MACHINES.values()):
        assert report.rows + report.refused == report.states * report.events
        assert report.faults == ()


def test_a_fault_in_an_unchecked_table_is_reported() -> None:
    broken = replace(SCOPE)
    object.__setattr__(broken, "rows", (*SCOPE.rows[1:], replace(SCOPE.rows[0], target=ScopeState.INIT)))
    (report,) = check_tables([broken])
    assert any("state ATTACHED" in fault for fault in report.faults)
