"""Mutants: each changes one thing, and what it changes can be seen."""

from collections import Counter

import pytest

from dhruva.inputs import CreateScope
from dhruva.machines import MACHINES
from dhruva.machines.scope import SCOPE
from dhruva.table import Refused
from dhruva.verify.mutants import LATER, mutants
from dhruva.wiring import WIRING

EVERY = list(mutants())
USED = [machine for machine in MACHINES.values() if machine.name not in LATER]


@pytest.mark.cites("VER-5")
def test_every_cell_of_every_table_and_every_wire_has_its_mutants() -> None:
    rows = [(machine, row) for machine in USED for row in machine.rows]
    assert Counter(mutant.kind for mutant in EVERY) == {
        "redirected": sum(len(machine.states) - 1 for machine, _ in rows),
        "row dropped": len(rows),
        "guard dropped": sum(len(row.when) for _, row in rows),
        "effect dropped": sum(len(row.then) for _, row in rows),
        "wire dropped": len(WIRING),
    }
    assert len({mutant.name for mutant in EVERY}) == len(EVERY)


@pytest.mark.cites("VER-5")
def test_a_mutant_differs_in_one_row_or_one_wire() -> None:
    for mutant in EVERY:
        differing = [name for name in MACHINES if mutant.tables[name].digest != MACHINES[name].digest]
        assert len(differing) + len(WIRING) - len(mutant.wiring) == 1, mutant.name


def test_a_mutant_is_a_kernel_that_behaves_otherwise() -> None:
    name = f"scope: {SCOPE.rows[0]} dropped"
    (mutant,) = [mutant for mutant in EVERY if mutant.name == name]
    answer = mutant.step()({}.get, CreateScope(1))  # type: ignore[arg-type]
    assert answer == Refused("scope", "INIT", "mounted", "ACT-5", "no_row")


def test_every_mutant_can_be_built() -> None:
    for mutant in EVERY:
        assert callable(mutant.step())
