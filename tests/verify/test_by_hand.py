"""The hand that changes a rule changes one place of one row, and the machine notices where it can."""

import ast
import random
from collections import Counter
from pathlib import Path

import pytest

from dhruva.machines import MACHINES
from dhruva.verify.mutants import LATER
from tests.verify.by_hand import MACHINES as FOLDER
from tests.verify.by_hand import ROOT, copied, every, noticed

EVERY = every()
SEEDS = {"target": random.randrange(10**6), "guard": 1}
"""Another target is tried each time; a few guards are kept by two rules, so theirs is fixed."""


def test_every_guard_and_effect_that_is_written_can_be_taken_away() -> None:
    rows = [row for machine in MACHINES.values() if machine.name not in LATER for row in machine.rows]
    counted = Counter(edit.kind for edit in EVERY)
    assert counted["guard"] == sum(len(row.when) for row in rows)
    assert counted["effect"] == sum(len(row.then) for row in rows)
    assert counted["target"] > len(rows)


def test_an_edit_changes_one_argument_of_one_row() -> None:
    for edit in EVERY:
        source = (ROOT / FOLDER / edit.file).read_text()
        changed = edit.apply(source)
        before, after = (
            [
                ast.unparse(n)
                for n in ast.walk(ast.parse(text))
                if isinstance(n, ast.Call) and ast.unparse(n.func) == "Row"
            ]
            for text in (source, changed)
        )
        assert len(before) == len(after)
        assert sum(one != other for one, other in zip(before, after, strict=True)) == 1, str(edit)


@pytest.mark.cites("VER-5")
@pytest.mark.parametrize("kind", SEEDS)
def test_a_rule_that_was_changed_by_hand_is_noticed(tmp_path: Path, kind: str) -> None:
    """A target and a guard; `python -m tests.verify.by_hand` tries forty."""
    chosen = random.Random(SEEDS[kind]).choice([edit for edit in EVERY if edit.kind == kind])
    copied(tmp_path)
    assert noticed(tmp_path, chosen), f"seed {SEEDS[kind]}: {chosen}"
