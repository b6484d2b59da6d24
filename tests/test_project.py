"""The shape of the project: what a clone holds, and what a reader may rely on."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOP = {
    "pyproject.toml", "kernel", "models", "proofs", "tests", "docs", "Makefile",
    "README.md", "LICENSE", "CHANGELOG.md", "requirements.lock",
}  # fmt: skip
LONGEST = 400


def tracked() -> list[str]:
    answer = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return answer.stdout.splitlines()


@pytest.mark.cites("VER-8")
def test_the_top_level_is_the_agreed_one() -> None:
    top = {name.split("/")[0] for name in tracked()}
    assert {name for name in top if not name.startswith(".")} == TOP


def test_the_lock_file_names_no_host_and_hashes_everything() -> None:
    text = (ROOT / "requirements.lock").read_text()
    assert "://" not in text
    pins = re.findall(r"^[\w.-]+==\S+.*$", text, re.MULTILINE)
    assert pins
    assert all(pin.endswith("\\") for pin in pins), "a pin without hashes: run `make lock`"


def test_no_source_file_is_too_long_to_read() -> None:
    long = {
        name: lines
        for name in tracked()
        if name.endswith(".py") and (lines := len((ROOT / name).read_text().splitlines())) > LONGEST
    }
    assert long == {}, f"split what is over {LONGEST} lines"


@pytest.mark.cites("VER-8")
def test_the_given_packages_are_declared() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    for package in ("hypothesis", "crosshair-tool", "pydantic", "networkx", "pytest", "mypy"):
        assert f'"{package}>=' in text


def test_make_alone_prints_the_menu() -> None:
    answer = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True)
    for target in ("setup", "test", "verify", "docs", "traceability", "bench"):
        assert f"make {target}" in answer.stdout
