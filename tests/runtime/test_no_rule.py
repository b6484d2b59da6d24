"""The shell holds no rule: change one row of a table, and the runtime does something else (SHL-1, VER-1)."""

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dhruva.runtime
from dhruva import MACHINES, kernel
from dhruva.runtime.batch import Kernel
from dhruva.runtime.outcomes import NotAllowed, Succeeded
from tests.runtime.authorities import authority, hold, nothing, run, started
from tests.runtime.stores import KINDS

pytestmark = pytest.mark.cites("SHL-1b", "SHL-1c", "VER-1")
RULES = ("machines", "decide", "wiring", "rules", "walk")


def swapped(machine: str, source: str, on: str, **cells: Any) -> Kernel:
    """The kernel with one row changed, or without it."""
    table = MACHINES[machine]
    rows = [
        replace(row, **cells) if (row.source, row.on) == (source, on) else row
        for row in table.rows
        if cells or (row.source, row.on) != (source, on)
    ]
    tables = {**MACHINES, machine: table.unchecked(rows)}
    return Kernel(kernel(tables, checked=False), f"{machine} {source} {on} swapped")


@pytest.mark.parametrize("kind", KINDS)
def test_scope_a_suspend_that_has_no_row_is_refused(kind: str, tmp_path: Path) -> None:
    async def main(of: Kernel | None) -> None:
        async with authority(kind, tmp_path, kernel=of) as here, here.scope("a") as scope:
            await started(await scope.request(nothing))
            await scope.suspend()

    with pytest.raises(NotAllowed, match="suspend is refused"):
        run(main(swapped("scope", "RUNNING", "suspend")))


@pytest.mark.parametrize("kind", KINDS)
def test_attempt_an_abort_that_does_not_conclude_otherwise(kind: str, tmp_path: Path) -> None:
    states = type(MACHINES["attempt"].rows[0].source)
    other = swapped("attempt", "aborting", "succeed", target=states("succeeded"))

    async def main() -> object:
        async with authority(kind, tmp_path, kernel=other) as here, here.scope("a") as scope:
            handle = started(await scope.request(hold))
            assert await handle.abort()
            return await handle.outcome()

    assert run(main()) == Succeeded("user")


def test_no_module_of_the_runtime_imports_a_rule() -> None:
    """Not even past the import linter: by name, from each syntax tree."""
    seen = []
    for path in Path(next(iter(dhruva.runtime.__path__))).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            seen += [
                (path.name, name) for name in names if name.removeprefix("dhruva.").split(".")[0] in RULES
            ]
    assert seen == []
