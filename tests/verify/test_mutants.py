"""Mutants: each changes one thing, and what it changes can be seen."""

from collections import Counter
from typing import Any

import pytest

from dhruva.cells import Key
from dhruva.ids import ScopeId
from dhruva.inputs import CreateScope
from dhruva.machines import MACHINES
from dhruva.machines.scope import SCOPE
from dhruva.rules.guards import GUARDS
from dhruva.step import BOOK, step, stepping
from dhruva.table import Refused
from dhruva.verify.mutants import LATER, OURS, RULED, mutants
from dhruva.verify.watch import DECISION, HANDLER, RULE, Watch
from dhruva.walk import DECISIONS
from dhruva.wiring import FOLLOW_UP, WIRING

NOTHING: dict[Key, Any] = {}
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
    assert counted["rule: check dropped"] > 50
    assert len(NAMED) == len(EVERY)


@pytest.mark.cites("VER-5")
def test_every_decision_and_every_guard_with_a_test_has_mutants() -> None:
    changed = {
        name
        for m in EVERY
        for name, decide in m.parts.decisions._asdict().items()
        if decide is not getattr(DECISIONS, name)
    }
    assert changed == set(DECISIONS._fields) - {"pressure"}  # pressure adds up, and tests nothing
    guards = {key for m in EVERY for key, guard in m.parts.guards.items() if guard is not GUARDS[key]}
    assert {key for key in GUARDS if key not in guards} <= {
        ("task", "due"),
        ("lock", "stale"),
    }  # they hand on


@pytest.mark.cites("VER-5")
def test_a_mutant_differs_in_one_thing() -> None:
    for mutant in EVERY:
        tables = [name for name in MACHINES if mutant.parts.tables[name].digest != MACHINES[name].digest]
        parts = (
            bool(tables),
            len(mutant.parts.wiring) != len(WIRING),
            mutant.parts.decisions != DECISIONS,
            any(guard is not GUARDS[key] for key, guard in mutant.parts.guards.items()),
            any(getattr(mutant.parts, part) != getattr(OURS, part) for part in RULED),
        )
        assert sum(parts) == 1, mutant.name
        assert len(tables) <= 1


def test_a_mutant_says_where_it_can_differ_and_what_it_implements() -> None:
    for mutant in EVERY:
        assert mutant.cites, mutant.name
        for one in mutant.consulted:
            assert one[0] in MACHINES or one[0] in (FOLLOW_UP, DECISION, RULE, HANDLER), mutant.name


def test_a_mutant_is_a_kernel_that_behaves_otherwise() -> None:
    mutant = NAMED[f"scope: {SCOPE.rows[0]} dropped"]
    answer = stepping(mutant.book())(NOTHING.get, CreateScope(ScopeId(1)))
    assert answer == Refused("scope", "INIT", "mounted", "ACT-5", "no_row")
    assert mutant.refused() == "machine 'scope', state ATTACHED: cannot be reached"


@pytest.mark.cites("VER-5")
def test_a_check_of_a_rule_is_gone_and_is_asked_where_the_rule_is() -> None:
    mutant = NAMED["rule scopes.create: without `given.max_concurrent < 1`"]
    given = CreateScope(ScopeId(1), max_concurrent=0)
    assert isinstance(step(NOTHING.get, given), Refused)
    assert not isinstance(stepping(mutant.book())(NOTHING.get, given), Refused)
    watch = Watch(BOOK)
    watch.step(NOTHING.get, given)
    assert mutant.consulted & watch.take()


def test_every_mutant_can_be_built() -> None:
    for mutant in EVERY:
        assert callable(stepping(mutant.book()))
