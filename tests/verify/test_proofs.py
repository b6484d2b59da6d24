"""The proofs run as a program of their own: what they wrote is taken, and silence is told."""

from pathlib import Path

import pytest

from dhruva.verify import proofs

PROGRAM = """
import sys
print("a line")
{write}
sys.exit({code})
"""
WRITE = "open(sys.argv[2], 'w').write('{\"claims\": []}')"


def program(root: Path, write: str, code: int) -> Path:
    (root / "proofs").mkdir()
    (root / "proofs" / "__main__.py").write_text(PROGRAM.format(write=write, code=code))
    return root


@pytest.mark.parametrize("code", [0, 1])
def test_what_was_found_is_taken_whatever_the_code(tmp_path: Path, code: int) -> None:
    told: list[str] = []
    assert proofs.run(program(tmp_path, WRITE, code), told.append) == {"claims": []}
    assert told == ["proofs: a line"]


def test_silence_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    with pytest.raises(proofs.ProofsError, match="ended with code 3: a line"):
        proofs.run(program(tmp_path, "", 3), told.append)


def test_where_there_are_none_the_part_is_left_out(tmp_path: Path) -> None:
    assert not proofs.there(tmp_path)
