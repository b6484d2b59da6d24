"""The tutorial's listings run, and print what the page says they print."""

import io
import re
from pathlib import Path

import pytest

from dhruva.explore.command import run

PAGE = Path(__file__).parents[2] / "docs" / "extend" / "models.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def without_time(text: str) -> str:
    return re.sub(r"\d+\.\d\d s", "0.00 s", text)


@pytest.mark.cites("VER-7")
@pytest.mark.parametrize(
    ("listing", "sets", "said"),
    [(0, {}, 0), (1, {}, 1), (1, {"fair": "weakly"}, 2), (1, {"fair": "strongly"}, 3)],
    ids=["naive", "mended", "weakly fair", "strongly fair"],
)
def test_the_tutorial(listing: int, sets: dict[str, str], said: int, tmp_path: Path) -> None:
    file = tmp_path / "printer.py"
    file.write_text(blocks("python")[listing])
    out = io.StringIO()
    assert run(file, sets=sets, out=out) == (0 if ": holds\n" in blocks("text")[said] else 1)
    assert without_time(out.getvalue()) == blocks("text")[said]


def test_every_listing_is_run() -> None:
    assert (len(blocks("python")), len(blocks("text"))) == (2, 4)
