"""Whatever a command did, its journal replays clean afterwards (SHL-7)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.stores import Night, night, run


@pytest.fixture
def tampered() -> bool:
    """A test that asks for this leaves a bad journal on purpose."""
    return True


@pytest.fixture(autouse=True)
def every_journal_replays_clean(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    yield
    if "tampered" not in request.fixturenames:
        for store in tmp_path.glob("*.db"):
            answer = run("replay", store)
            assert answer.exit_code == 0, answer.output


@pytest.fixture
def made(tmp_path: Path) -> Night:
    return night(tmp_path)
