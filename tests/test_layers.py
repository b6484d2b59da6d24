"""The layer contracts of pyproject.toml can fail: an import planted against each is seen."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LINT = Path(sys.executable).with_name("lint-imports")

PLANTED = {
    "layers of the kernel": ("table.py", "import dhruva.machines.scope"),
    "machines never import each other": ("machines/task.py", "import dhruva.machines.attempt"),
    "pure before IO: no clock, chance, disk, socket or thread in the rules": (
        "decide/retry.py",
        "import time",
    ),
}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT, "--no-cache"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "kernel")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "kernel", tmp_path / "kernel", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.mark.cites("SHL-1", "VER-8")
@pytest.mark.parametrize("contract", PLANTED)
def test_a_planted_import_breaks_its_contract(copy: Path, contract: str) -> None:
    module, line = PLANTED[contract]
    path = copy / "kernel" / "dhruva" / module
    path.write_text(path.read_text() + f"\n{line}\n")
    answer = lint(copy)
    assert answer.returncode != 0
    assert f"{contract} BROKEN" in answer.stdout


def test_a_module_outside_the_layers_is_seen(copy: Path) -> None:
    (copy / "kernel" / "dhruva" / "elsewhere.py").write_text('"""No layer."""\n')
    answer = lint(copy)
    assert answer.returncode != 0
    assert "layers of the kernel BROKEN" in answer.stdout
