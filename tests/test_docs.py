"""Pages tell the truth: their Python and their commands run as printed, and their links lead somewhere."""

import re
from pathlib import Path

import pytest

from dhruva.runtime.shipped import shipped
from tests import pages
from tests.pages import ROOT, Wrong
from tests.runtime.stores import bad_record

PAGES = sorted(
    path for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")) if "generated" not in path.parts
)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def runs(page: Path) -> bool:
    return any(block.language in pages.RUN for block in pages.blocks(page))


@pytest.mark.parametrize("page", [page for page in PAGES if runs(page)], ids=named)
def test_what_stands_on_a_page_runs_as_printed(page: Path, tmp_path: Path) -> None:
    pages.run(page, tmp_path)
    for store in tmp_path.rglob("*.db"):
        assert bad_record(store, shipped()) is None, "the journal of what a page ran"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_links_on_a_page_lead_somewhere(page: Path) -> None:
    broken = [
        target
        for target in LINK.findall(page.read_text())
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert broken == []


@pytest.mark.parametrize(
    "text",
    [
        "```python\nassert 1 == 2\n```\n",
        "```python\nimport warnings\nwarnings.warn('old')\n```\n",
        "```console\n$ echo one\ntwo\n```\n",
        "```console\n$ echo one\none\none\n```\n",
        "```console\n$ exit 1\n```\n",
        "```console\n$ true\n[exit 1]\n```\n",
        "```console\nno command\n```\n",
        "```python\nopen('kept', 'w').close()\n```\n\n```console\n$ ls kept lost\n```\n",
    ],
)
def test_a_page_that_does_not_tell_the_truth_is_found(tmp_path: Path, text: str) -> None:
    page = tmp_path / "PAGE.md"
    page.write_text(text)
    with pytest.raises(Wrong):
        pages.run(page, tmp_path)


def test_blocks_of_a_page_run_in_order_and_in_one_folder(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nopen('kept', 'w').write('a1\\nb2\\nc3\\nd4\\n')\n```\n"
        "```console\n$ cat kept\na…\n...\nd4\n$ cat lost\ncat: lost: …\n[exit 1]\n```\n"
        "```python\nassert open('kept').read().startswith('a1')\n```\n"
    )
    pages.run(page, tmp_path)
