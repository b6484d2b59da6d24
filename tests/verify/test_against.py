"""Two records: what changed in meaning is told, and nothing else."""

from copy import deepcopy
from typing import Any

import pytest

from dhruva.verify.against import changes

RECORD: dict[str, Any] = {
    "verdict": "holds",
    "digest": {"kernel": "aa", "models": "bb"},
    "tables": [
        {
            "machine": "gate",
            "rows": [{"from": "A", "on": "go", "to": "B", "when": [], "then": ["tell"], "taken": 3}],
        }
    ],
    "runs": [
        {
            "model": "gate",
            "bounds": {"limit": 1},
            "verdict": "holds",
            "distinct": 1_000,
            "transitions": 20,
            "depth": 3,
            "properties": [{"name": "small", "verdict": "holds", "sentence": "n is small"}],
        }
    ],
    "broken": [{"model": "twice", "fails": "small", "steps": 2, "caught": True}],
    "mutants": {"totals": {"killed": 5, "survived": 1}, "not killed": [{"mutant": "gate: row dropped"}]},
    "proofs": {"claims": [{"name": "total", "verdict": "proved"}]},
    "requirements": [{"id": "ACT-1", "strongest": "model", "caught": {"mutant": "m"}}],
    "assumptions": [{"name": "an id is handed out once"}],
    "timing": {"parts": {"all": 3.0}},
}


def test_the_same_is_no_change_however_long_it_took() -> None:
    later = deepcopy(RECORD)
    later["timing"]["parts"]["all"] = 9.0
    assert changes(RECORD, later) == []


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("verdict",), "violated", "verdict: holds -> violated"),
        (("digest", "kernel"), "cc", "kernel: digest aa -> cc"),
        (("tables", 0, "rows", 0, "to"), "C", "gate: row A -go->: to B -> C"),
        (("tables", 0, "rows", 0, "then"), [], "gate: row A -go->: then tell -> none"),
        (("tables", 0, "rows", 0, "on"), "stop", "gate: row A -go-> B is gone"),
        (("runs", 0, "distinct"), 1_001, "gate limit=1: distinct 1,000 -> 1,001"),
        (("runs", 0, "bounds", "limit"), 2, "run gate limit=2 is new"),
        (("runs", 0, "properties", 0, "verdict"), "violated", "gate limit=1: small: holds -> violated"),
        (("runs", 0, "properties", 0, "sentence"), "else", "gate limit=1: small says otherwise: else"),
        (("runs", 0, "properties", 0, "name"), "tiny", "gate limit=1: property small is gone"),
        (("broken", 0, "caught"), False, "broken twice: caught True -> False"),
        (("mutants", "totals", "killed"), 4, "mutants killed: 5 -> 4"),
        (("mutants", "not killed"), [], "not killed: gate: row dropped is gone"),
        (("proofs", "claims", 0, "verdict"), "refuted", "claim total: proved -> refuted"),
        (("requirements", 0, "strongest"), None, "ACT-1: strongest evidence model -> none"),
        (("requirements", 0, "caught"), None, "ACT-1: no longer shown by a mutant"),
        (("assumptions", 0, "name"), "time is", "assumption time is is new"),
    ],
    ids=str,
)
def test_each_change_is_told(path: tuple[Any, ...], value: object, told: str) -> None:
    later: Any = deepcopy(RECORD)
    at = later
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert told in changes(RECORD, later)


def test_parts_that_were_not_run_are_not_compared() -> None:
    quick = {**RECORD, "mutants": None, "proofs": None}
    assert changes(RECORD, quick) == []
    assert changes(quick, RECORD) == []
