"""Real Spin has the same opinion on a small run, and another on a model that does not hold."""

from pathlib import Path

import pytest

from dhruva.explore.spin import missing
from dhruva.verify import models, recheck
from dhruva.verify.manifest import read
from dhruva.verify.recheck import LeftOut, Row, of_broken, of_run

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
    assert isinstance(row, Row)
    assert (row.wanted, row.agrees) == ("violated", True)
    assert not row._replace(wanted="holds").agrees


def test_what_spin_is_not_asked_about_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    run = of_broken(MODELS / "broken" / "dispose_never_ends.py")
    assert run == LeftOut(
        "broken/dispose_never_ends", "'dispose ends (1)' is no claim about a state or a step"
    )
    monkeypatch.setattr(recheck, "MOST", 10)
    large = of_broken(MODELS / "broken" / "cap_not_counted.py")
    assert large == LeftOut("broken/cap_not_counted", "it has more than 10 states")
