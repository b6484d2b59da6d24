"""Each row about the runtime has a test of the runtime: models and proofs show the rules, not what runs."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
FAMILIES = {"ACT": 18, "LIF": 20, "SHL": 10}
LATER = {"LIF-11", "LIF-12", "LIF-13"}
"""Copies, provenance and schedules: the runtime does not offer them yet."""


def cited() -> set[str]:
    """The ids that tests of the runtime, its commands and its crashes cite, without the letters of parts."""
    found: set[str] = set()
    for folder in ("runtime", "cli", "crash"):
        for path in (TESTS / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.cites":
                    ids = [ast.literal_eval(each) for each in node.args]
                    found.update(re.match(r"[A-Z]+-\d+", each)[0] for each in ids)  # type: ignore[index]
    return found


@pytest.mark.cites("VER-4")
@pytest.mark.parametrize("family", FAMILIES)
def test_each_row_is_shown_of_what_runs(family: str) -> None:
    wanted = {f"{family}-{number}" for number in range(1, FAMILIES[family] + 1)}
    assert wanted - cited() == LATER & wanted
