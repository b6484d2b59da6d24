"""docs/extend/add-a-model.md, followed to the letter in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "extend" / "add-a-model.md").read_text()
FILE = re.compile(r"^`(models/[\w/.]+)`:\n\n```(?:py|toml)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PINNED = re.compile(r"the entry is then:\n\n```toml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
STORY = re.compile(r"^```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def dhruva(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-P", "-m", "dhruva", *arguments],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = FILE.findall(PAGE)
    assert [name for name, _ in files] == [
        "models/mounting.py",
        "models/manifest.toml",
        "models/broken/comes_back.py",
    ]
    for name, text in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.cites("VER-7")
def test_the_model_holds_and_its_entry_is_pinned_as_printed(folder: Path) -> None:
    assert dhruva(folder, "check", "models/mounting.py").returncode == 0
    done = dhruva(folder, "verify", "--quick", "--pin")
    told = [line for line in done.stderr.splitlines() if line and not line.startswith("[")]
    assert done.returncode == 1
    assert all("no model takes the row" in line for line in told), done.stderr
    printed = PINNED.search(PAGE)
    assert printed is not None
    assert (folder / "models" / "manifest.toml").read_text().endswith(printed[1])


@pytest.mark.cites("VER-7")
def test_the_fault_is_found_as_printed(folder: Path) -> None:
    done = dhruva(folder, "check", "models/broken/comes_back.py")
    story = STORY.search(PAGE)
    assert story is not None
    assert done.returncode == 1
    assert story[1] in done.stdout
    assert "broken/comes_back.py" not in dhruva(folder, "verify", "--quick").stderr
