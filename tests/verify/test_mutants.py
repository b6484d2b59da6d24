"""Mutants: each changes one thing, and what it changes can be seen."""

from collections import Counter

import pytest

from dhruva.inputs import CreateScope
from dhruva.machines import MACHINES
from dhruva.machines.scope import SCOPE
from dhruva.rules.guards import GUARDS
from dhruva.step import stepping
from dhruva.table import Refused
from dhruva.verify.mutants import LATER, mutants
from dhruva.verify.watch import DECISION
from dhruva.walk import DECISIONS
from dhruva.wiring import FOLLOW_UP, WIRING

EVERY = list(mutants())
NAMED = {mutant.name: mutant for mutant in EVERY}
USED = [machine for machine in MACHINES.values() if machine.name not in LATER]


@pytest.mark.cites("VER-5")
def test_every_cell_of_every_table_and_every_wire_has_its_mutants() -> None:
    rows = [(machine, row) for machine in USED for row in machine.rows]
    counted = Counter(mutant.kind for mutant in EVERY)
    assert {kind: n for kind, n in counted.items() if ":" not in kind} == {
        "redirected": sum(len(machine.states) - 1 for machine, _ in rows),
        "row dropped": len(rows),
        "guard dropped": sum(len(row.when) for _, row in rows),
        "effect dropped": sum(len(row.then) for _, row in rows),
        "wire dropped": len(WIRING),
    }
    assert len(NAMED) == len(EVERY)


@pytest.mark.cites("VER-5")
def test_every_decision_and_every_guard_with_a_test_has_mutants() -> None:
    changed = {
        name
        for m in EVERY
        for name, decide in m.decisions._asdict().items()
        if decide is not getattr(DECISIONS, name)
    }
    assert changed == set(DECISIONS._fields) - {"pressure"}  # pressure adds up, and tests nothing
    guards = {key for m in EVERY for key, guard in m.guards.items() if guard is not GUARDS[key]}
    assert {key for key in GUARDS if key not in guards} <= {
        ("task", "due"),
        ("lock", "stale"),
    }  # they hand on


@pytest.mark.cites("VER-5")
def test_a_mutant_differs_in_one_thing() -> None:
    for mutant in EVERY:
        tables = [name for name in MACHINES if mutant.tables[name].digest != MACHINES[name].digest]
        parts = (
            bool(tables),
            len(mutant.wiring) != len(WIRING),
            mutant.decisions != DECISIONS,
            any(guard is not GUARDS[key] for key, guard in mutant.guards.items()),
        )
        assert sum(parts) == 1, mutant.name
        assert len(tables) <= 1


def test_a_mutant_says_where_it_can_differ_and_what_it_implements() -> None:
    for mutant in EVERY:
        assert mutant.cites, mutant.name
        for one in mutant.consulted:
            assert one[0] in MACHINES or one[0] in (FOLLOW_UP, DECISION), mutant.name


def test_a_mutant_is_a_kernel_that_behaves_otherwise() -> None:
    mutant = NAMED[f"scope: {SCOPE.rows[0]} dropped"]
    answer = stepping(mutant.book())({}.get, CreateScope(1))  # type: ignore[arg-type]
    assert answer == Refused("scope", "INIT", "mounted", "ACT-5", "no_row")
    assert mutant.refused() == "machine 'scope', state ATTACHED: cannot be reached"


def test_every_mutant_can_be_built() -> None:
    for mutant in EVERY:
        assert callable(stepping(mutant.book()))
