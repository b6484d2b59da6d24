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
SEED = random.randrange(10**6)


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
def test_a_target_that_was_changed_by_hand_is_noticed(tmp_path: Path) -> None:
    """Another one each time; `python -m tests.verify.by_hand` tries forty rules of every kind."""
    chosen = random.Random(SEED).choice([edit for edit in EVERY if edit.kind == "target"])
    copied(tmp_path)
    assert noticed(tmp_path, chosen), f"seed {SEED}: {chosen}"
