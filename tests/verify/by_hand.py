"""Rules changed by hand: `python -m tests.verify.by_hand [--rows 20] [--guards 10] [--effects 10]`.

It copies the tree, changes in the source of a machine the target of one row, or takes one guard or one effect
away, and runs `dhruva verify --quick --no-pins` there, as a person would. That must fail with the trace of a
property or, where such a table cannot be built, with the check that names the row. It takes minutes, so that
it is not one of the tests; the editing of sources is (test_by_hand.py).
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MACHINES = Path("kernel/dhruva/machines")
PARTS = ("kernel", "models", "docs", "tests", "proofs", "pyproject.toml", "Makefile", "README.md")
LATER = "schedule.py"
TARGET, WHEN, THEN = 2, 3, 4  # arguments of a Row
PROPERTY = re.compile(r"^(.+): (violated after \d+ steps?|no reachable state shows it)$", re.MULTILINE)
CHECK = re.compile(r"^\S*(?:TableError|WiringError): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Edit:
    """One change of one line of a file."""

    kind: str
    file: str
    row: str
    start: tuple[int, int]
    end: tuple[int, int]
    text: str

    def apply(self, source: str) -> str:
        lines = source.splitlines(keepends=True)
        (first, begin), (last, stop) = self.start, self.end
        head, tail = lines[first - 1][:begin], lines[last - 1][stop:]
        return "".join([*lines[: first - 1], head + self.text + tail, *lines[last:]])

    def __str__(self) -> str:
        return f"{self.kind}: {self.file}: {self.row}: {self.text}"


def edits(name: str, source: str) -> Iterator[Edit]:
    """Every change of a target, a guard or an effect in the rows that a machine writes out."""
    tree = ast.parse(source)
    rows = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and ast.unparse(n.func) == "Row" and len(n.args) > THEN
    ]
    targets = list(dict.fromkeys(ast.unparse(row.args[TARGET]) for row in rows))
    named = {
        n.targets[0].id: n.value
        for n in tree.body
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
    }
    for row in rows:
        words = " ".join(ast.unparse(argument) for argument in row.args[:3])
        for other in targets:
            if other != (here := ast.unparse(row.args[TARGET])) and other.split(".")[0] == here.split(".")[0]:
                yield _edit("target", name, words, row.args[TARGET], other)
        for kind, at in (("guard", WHEN), ("effect", THEN)):
            place = row.args[at]
            written = named.get(place.id, place) if isinstance(place, ast.Name) else place
            symbols = written.elts if isinstance(written, ast.Tuple) else []
            for gone in symbols:
                rest = [ast.unparse(symbol) for symbol in symbols if symbol is not gone]
                yield _edit(kind, name, words, place, f"({', '.join(rest)}{',' if rest else ''})")


def _edit(kind: str, file: str, row: str, node: ast.expr, text: str) -> Edit:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return Edit(kind, file, row, (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset), text)


def every() -> list[Edit]:
    files = sorted(path for path in (ROOT / MACHINES).glob("*.py") if path.name not in ("__init__.py", LATER))
    return [edit for path in files for edit in edits(path.name, path.read_text())]


def copied(folder: Path) -> None:
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__", "build"))
        else:
            shutil.copy(source, folder / part)


def noticed(folder: Path, edit: Edit) -> str | None:
    """What `dhruva verify --quick --no-pins` says against the changed tree; None if nothing that counts."""
    path = folder / MACHINES / edit.file
    source = path.read_text()
    path.write_text(edit.apply(source))
    try:
        done = subprocess.run(
            [sys.executable, "-m", "dhruva", "verify", "--quick", "--no-pins"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder / "kernel"), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        path.write_text(source)
    if done.returncode == 0:
        return None
    found = PROPERTY.search(done.stderr) or CHECK.search(done.stderr)
    return found[0] if found else None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name, most in (("rows", 20), ("guards", 10), ("effects", 10), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=most)
    asked = parser.parse_args()
    chance, listed = random.Random(asked.seed), every()
    kinds = (("target", asked.rows), ("guard", asked.guards), ("effect", asked.effects))
    chosen: list[Edit] = []
    for kind, most in kinds:
        some = [edit for edit in listed if edit.kind == kind]
        chosen += chance.sample(some, min(most, len(some)))
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        copied(Path(name))
        for edit in chosen:
            said = noticed(Path(name), edit)
            missed += said is None
            sys.stdout.write(f"{'noticed' if said else 'MISSED '}  {edit}\n         {said or ''}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(chosen) - missed} of {len(chosen)} noticed\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
