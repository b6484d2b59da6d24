"""The explorer stands alone: it imports nothing else of dhruva, and its files stay short enough to read."""

import ast
from pathlib import Path

import dhruva.explore

FILES = sorted(Path(dhruva.explore.__file__).parent.glob("*.py"))
HEAVY = {"numpy", "scipy", "networkx"}
# What a user of the reference engine loads.
LIGHT = {"__init__", "checker", "command", "errors", "exports", "forms", "liveness", "model", "outcomes"} | {
    "progress",
    "reference",
    "replay",
    "report",
    "search",
    "values",
}


def imports(file: Path, top_level: bool = False) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    nodes = tree.body if top_level else list(ast.walk(tree))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def test_nothing_else_of_dhruva_is_imported() -> None:
    for file in FILES:
        foreign = {n for n in imports(file) if n.startswith("dhruva") and not n.startswith("dhruva.explore")}
        assert not foreign, f"{file.name} imports {foreign}: the explorer knows nothing of the kernel"


def test_the_reference_engine_imports_no_heavy_package_at_top_level() -> None:
    for file in FILES:
        if file.stem in LIGHT:
            heavy = {name.split(".")[0] for name in imports(file, top_level=True)} & HEAVY
            assert not heavy, f"{file.name} imports {heavy}: import it where it is used"


def test_no_file_is_too_long_to_read() -> None:
    for file in FILES:
        lines = len(file.read_text(encoding="utf-8").splitlines())
        assert lines <= 400, f"{file.name} has {lines} lines: split it by what it owns"
