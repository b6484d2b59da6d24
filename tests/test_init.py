"""`import dhruva` is light, and gives the user's words."""

import subprocess
import sys

import pytest

import dhruva

HEAVY = ("numpy", "scipy", "pydantic", "typer", "networkx", "z3")


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
