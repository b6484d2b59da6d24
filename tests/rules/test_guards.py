"""Each guard of each table means something, and holds or fails as its sentence says."""

import pytest

from dhruva.machines import MACHINES
from dhruva.rules.guards import GUARDS

USED = {
    (machine.name, str(symbol))
    for machine in MACHINES.values()
    for row in machine.rows
    for symbol in row.when
}


@pytest.mark.cites("VER-1a")
def test_every_guard_of_every_table_is_there_and_no_other() -> None:
    assert {(machine, str(symbol)) for machine, symbol in GUARDS} == USED


@pytest.mark.cites("VER-1c")
def test_guards_stand_under_the_symbols_of_their_own_machine() -> None:
    """A guard of one name may mean different things in two machines."""
    assert all(machine in MACHINES for machine, _ in GUARDS)
