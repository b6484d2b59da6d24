"""What speaks against us: of the proofs, every claim that is not proved and every fault of the run itself."""

from typing import Any

import pytest

from dhruva.verify.findings import Findings
from dhruva.verify.manifest import Manifest
from dhruva.verify.trace import Matrix


def _against(proofs: dict[str, Any] | None) -> list[str]:
    found = Findings("full", True, Manifest((), {}), (), (), (), Matrix((), ()), proofs=proofs)
    return found.against()


@pytest.mark.cites("VER-3")
def test_a_claim_that_is_not_proved_and_a_fault_of_the_run_speak_against_us() -> None:
    claims = [{"name": "total", "verdict": "proved"}, {"name": "one gate", "verdict": "refuted"}]
    said = _against({"claims": claims, "faults": ["NO CONTROL IS SAT: one gate"]})
    assert said == ["proofs: 'one gate' is refuted", "proofs: NO CONTROL IS SAT: one gate"]


def test_proofs_that_were_not_run_say_nothing() -> None:
    assert _against(None) == []
