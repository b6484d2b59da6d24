"""`import dhruva` is light, and gives the user's words."""

import subprocess
import sys
from pathlib import Path

import pytest
from mypy import api

import dhruva

HEAVY = ("numpy", "scipy", "pydantic", "typer", "networkx", "z3", "cvc5")


def test_import_loads_nothing_heavy() -> None:
    code = f"import sys, dhruva; print([m for m in {HEAVY!r} if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_every_public_word_is_there() -> None:
    for name in dhruva.__all__:
        assert getattr(dhruva, name) is not None
    assert dir(dhruva) == sorted(dhruva.__all__)


def test_an_unknown_word_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nowhere'"):
        dhruva.nowhere  # noqa: B018


def test_type_checkers_see_the_same_words(tmp_path: Path) -> None:
    """The names stand twice in `dhruva/__init__.py`: for whoever runs it, and for mypy."""
    user = tmp_path / "user.py"
    user.write_text("import dhruva\n" + "".join(f"reveal_type(dhruva.{name})\n" for name in dhruva.__all__))
    said, _, code = api.run(["--strict", "--cache-dir", str(tmp_path / "cache"), str(user)])
    assert code == 0, said
    assert said.count("Revealed type") == len(dhruva.__all__)
    assert 'Revealed type is "Any"' not in said
