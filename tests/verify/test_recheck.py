"""Real Spin has the same opinion on a small run, and another on a model that does not hold."""

from pathlib import Path

import pytest

from dhruva.explore.spin import missing
from dhruva.verify import models
from dhruva.verify.manifest import read
from dhruva.verify.recheck import of_broken, of_run

MODELS = Path(__file__).parents[2] / "models"
RUN = min(read(MODELS / "manifest.toml").runs("quick"), key=lambda run: (run.pin is None, run.pin))

pytestmark = pytest.mark.skipif(bool(missing()), reason="no Spin: `make spin` installs it")


def test_spin_agrees_that_a_run_holds() -> None:
    row = of_run(MODELS, RUN)
    assert row.agrees
    assert 0 < row.exported < row.claims


def test_spin_agrees_that_a_broken_model_does_not() -> None:
    path = next(path for path in models.files(MODELS / "broken") if path.stem == "cap_not_counted")
    row = of_broken(path)
    assert row is not None
    assert (row.wanted, row.agrees) == ("violated", True)
    assert not row._replace(wanted="holds").agrees
