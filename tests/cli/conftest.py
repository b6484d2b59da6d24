"""Whatever a command did, its journal replays clean afterwards (SHL-7)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.stores import Night, night, run


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Night]:
    yield night(tmp_path)
    answer = run("replay", tmp_path / "work.db")
    assert answer.exit_code == 0, answer.output
