"""The traceability matrix: where each requirement is implemented, and the strongest evidence for it (VER-4).

Nothing is typed by hand. Requirements come from docs/spec, places from the tables and from ids in
the kernel's docstrings and comments, evidence from the syntax of tests, models and proofs:

- `@pytest.mark.cites("ACT-5", ...)` on a test; beside `@given` it is a property
- `cites="ACT-5"` on a property of a model, and on a claim of a proof
"""

import ast
import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

ID = re.compile(r"\b((?:ACT|DSP|LIF|REL|WFL|SHL|VER)-\d+)([a-z]?)\b")
SPEC_ROW = re.compile(rf"^\| ({ID.pattern}) \| (.+) \|$")
SPEC_TITLE = re.compile(rf"^### ({ID.pattern}) (.+)$")


PROOFS_COUNT = True
"""Proofs count: `make verify` runs them, and no claim is restricted (ADR 18)."""


class Kind(IntEnum):
    """Kinds of evidence, weakest first."""

    TEST = 1
    PROPERTY = 2
    MODEL = 3
    PROOF = 4


class Cite(NamedTuple):
    """Something that names a requirement or a part of one."""

    id: str  # without the letter of its part
    part: str  # with it; equal to `id` where the whole is cited
    where: str


class Evidence(NamedTuple):
    cite: Cite
    kind: Kind


class Requirement(NamedTuple):
    """One row of the matrix."""

    id: str
    title: str
    parts: tuple[str, ...]
    places: tuple[str, ...]
    evidence: tuple[Evidence, ...]

    @property
    def strongest(self) -> Kind | None:
        return max((item.kind for item in self.evidence), default=None)

    @property
    def parts_shown(self) -> int:
        """How many parts have evidence of their own, or of the whole where there is only one."""
        cited = {item.cite.part for item in self.evidence}
        return sum(1 for part in self.parts if part in cited)


class Matrix(NamedTuple):
    requirements: tuple[Requirement, ...]
    unknown: tuple[Cite, ...]  # cited somewhere, and not in the spec

    @property
    def unproven(self) -> tuple[Requirement, ...]:
        """Implemented, and nothing shows it."""
        return tuple(r for r in self.requirements if r.places and not r.evidence)


def matrix(root: Path) -> Matrix:
    """The matrix of the project in this folder."""
    titles, parts = _spec(root / "docs" / "spec")
    places = [*_places(root / "kernel" / "dhruva"), *_project(root)]
    evidence = [*_from_tests(root / "tests"), *_from_calls(root / "models", Kind.MODEL)]
    if PROOFS_COUNT:
        evidence += _from_calls(root / "proofs", Kind.PROOF)
    known = {part for group in parts.values() for part in group} | set(parts)
    cited = [*places, *(item.cite for item in evidence)]
    return Matrix(
        requirements=tuple(
            Requirement(
                id_,
                titles[id_],
                tuple(group),
                tuple(dict.fromkeys(place.where for place in places if place.id == id_)),
                tuple(item for item in evidence if item.cite.id == id_),
            )
            for id_, group in parts.items()
        ),
        unknown=tuple(cite for cite in cited if cite.part not in known),
    )


def _spec(folder: Path) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Titles and parts by id, in the order of families and numbers."""
    titles: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    for family in ("act", "dsp", "lif", "rel", "wfl", "shl", "ver"):
        for line in (folder / f"{family}.md").read_text().splitlines():
            if title := SPEC_TITLE.match(line):
                titles[title[2]] = title[4]
            elif row := SPEC_ROW.match(line):
                parts.setdefault(row[2], []).append(row[1])
    return titles, parts


def _cites(text: str, where: str) -> Iterator[Cite]:
    for match in ID.finditer(text):
        yield Cite(match[1], match[0], where)


def _sources(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.rglob("*.py")):
        yield path, path.read_text()


def _places(kernel: Path) -> Iterator[Cite]:
    """Ids in the kernel, each with the innermost function, class or module that names it."""
    for path, text in _sources(kernel):
        module = str(path.relative_to(kernel))
        spans = _spans(ast.parse(text))
        for number, line in enumerate(text.splitlines(), 1):
            name = max((span for span in spans if span[0] <= number <= span[1]), default=(0, 0, ""))[2]
            yield from _cites(line, f"{module}:{name}" if name else module)


def _project(root: Path) -> Iterator[Cite]:
    """Requirements of the project itself are met by its build files."""
    for name in ("pyproject.toml", "Makefile"):
        if (root / name).exists():
            yield from _cites((root / name).read_text(), name)


def _spans(tree: ast.Module) -> list[tuple[int, int, str]]:
    """First and last line of each top-level function, class and assigned name."""
    spans = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            spans.append((node.lineno, node.end_lineno or node.lineno, node.name))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                spans.append((node.lineno, node.end_lineno or node.lineno, target.id))
    return spans


def _from_tests(folder: Path) -> Iterator[Evidence]:
    for path, text in _sources(folder):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                where = f"{path.relative_to(folder.parent)}:{node.name}"
                kind = Kind.PROPERTY if _is_property(node) else Kind.TEST
                for text_ in _marked(node.decorator_list):
                    yield from (Evidence(cite, kind) for cite in _cites(text_, where))


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether Hypothesis drives it."""
    if isinstance(node, ast.ClassDef):
        return any("StateMachine" in ast.unparse(base) for base in node.bases)
    return any(_called(decorator).endswith("given") for decorator in node.decorator_list)


def _marked(decorators: Iterable[ast.expr]) -> Iterator[str]:
    for decorator in decorators:
        if isinstance(decorator, ast.Call) and _called(decorator).endswith("mark.cites"):
            for argument in decorator.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value
                else:
                    raise ValueError(f"line {decorator.lineno}: cites takes literal ids")


def _called(node: ast.expr) -> str:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


def _from_calls(folder: Path, kind: Kind) -> Iterator[Evidence]:
    """Ids in `cites="..."` of any call: a property of a model, a claim of a proof."""
    for path, text in _sources(folder):
        where = str(path.relative_to(folder.parent))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.keyword) and node.arg == "cites" and isinstance(node.value, ast.Constant):
                yield from (Evidence(cite, kind) for cite in _cites(str(node.value.value), where))
