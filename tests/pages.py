"""What stands on a page, and how it is run: Python as a program, console blocks command by command.

The blocks of a page run in the order in which they stand, in one empty folder. Python blocks that follow each
other are one program, run by a real interpreter. In a console block a line with `$` is a command, what
follows is what it prints; `…` stands for anything within a line, a line `...` for any lines, and
`[exit 1]` at the end says that the command ends with that code.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RUN = ("python", "console")
EXIT = re.compile(r"^\[exit (\d+)\]$")
SECONDS = 120


class Block(NamedTuple):
    language: str
    text: str


class Command(NamedTuple):
    line: str
    prints: str
    code: int


class Wrong(AssertionError):
    """A page that does not tell the truth."""


def blocks(page: Path) -> list[Block]:
    return [Block(*found.groups()) for found in FENCE.finditer(page.read_text())]


def run(page: Path, folder: Path) -> None:
    """Everything on the page that can be run; raises Wrong at the first thing that is not as printed."""
    wanted = [block for block in blocks(page) if block.language in RUN]
    for number, (language, group) in enumerate(groupby(wanted, lambda block: block.language), 1):
        text = "\n".join(block.text for block in group)
        if language == "python":
            _program(page, number, text, folder)
        else:
            for command in commands(text):
                _command(page, command, folder)


def _program(page: Path, number: int, text: str, folder: Path) -> None:
    file = folder / f"{page.stem.lower()}_{number}.py"
    file.write_text(text)
    done = _run([sys.executable, "-W", "error", file.name], folder)
    if done.returncode != 0:
        raise Wrong(f"{page}: its Python fails\n{done.stdout}\n{done.stderr}")


def commands(text: str) -> Iterator[Command]:
    found: list[tuple[str, list[str]]] = []
    for row in text.splitlines():
        if row.startswith("$ "):
            found.append((row[2:], []))
        elif found:
            found[-1][1].append(row)
        else:
            raise Wrong(f"a console block begins with {row!r}, not with a command")
    for line, prints in found:
        ends = EXIT.match(prints[-1]) if prints else None
        shown = prints[:-1] if ends else prints
        yield Command(line, "\n".join(shown).strip("\n"), int(ends[1]) if ends else 0)


def _command(page: Path, command: Command, folder: Path) -> None:
    done = _run(["bash", "-c", command.line], folder)
    printed = (done.stdout + done.stderr).strip("\n")
    if done.returncode != command.code:
        raise Wrong(f"{page}: `{command.line}` ends with {done.returncode}, not {command.code}\n{printed}")
    if command.prints and not matches(command.prints, printed):
        raise Wrong(f"{page}: `{command.line}` prints\n{printed}\nand not\n{command.prints}")


def matches(shown: str, printed: str) -> bool:
    """Whether this was printed, blanks at the ends of lines aside."""
    parts = []
    for row in shown.splitlines():
        wild = row.strip() == "..."
        parts.append(r"(?:.*\n)*?" if wild else re.escape(row.rstrip()).replace("…", ".*") + r"[ ]*\n")
    return re.fullmatch("".join(parts), printed + "\n") is not None


def _run(argv: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """With this interpreter's commands first, and the models of this checkout."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "USER": "anna"}
    return subprocess.run(
        argv, cwd=folder, env=env, capture_output=True, text=True, timeout=SECONDS, check=False
    )
