"""Generated pages are what the code says now."""

from pathlib import Path

import pytest

from tests.spec.pages import differing, others, pages, stale, write


@pytest.mark.cites("VER-4")
def test_no_generated_page_is_stale() -> None:
    assert stale(pages()) == [], "run `make docs` and commit what it writes"
    assert differing(others()) == [], "run `make docs` and commit what it writes"


def test_a_stale_a_missing_and_a_left_over_page_are_seen_and_mended(tmp_path: Path) -> None:
    made = {"a.md": "new", "sub/b.md": "new"}
    (tmp_path / "a.md").write_text("old")
    (tmp_path / "gone.md").write_text("old")
    assert stale(made, tmp_path) == ["a.md", "gone.md", "sub/b.md"]
    write(made, tmp_path)
    assert stale(made, tmp_path) == []


def test_a_page_elsewhere_that_differs_is_seen(tmp_path: Path) -> None:
    (tmp_path / "same.md").write_text("new")
    (tmp_path / "old.md").write_text("old")
    made = {"same.md": "new", "old.md": "new", "missing.md": "new"}
    assert differing(made, tmp_path) == ["old.md", "missing.md"]
