"""Pages tell the truth: their Python runs, and their links lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    path for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")) if "generated" not in path.parts
)
CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if CODE.search(page.read_text())], ids=named)
def test_the_python_on_a_page_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page are one program, in the order in which they stand."""
    monkeypatch.chdir(ROOT)
    program = "\n".join(CODE.findall(page.read_text()))
    exec(compile(program, named(page), "exec"), {"__name__": "page"})


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_links_on_a_page_lead_somewhere(page: Path) -> None:
    broken = [
        target
        for target in LINK.findall(page.read_text())
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert broken == []
