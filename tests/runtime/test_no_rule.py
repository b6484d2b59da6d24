"""The shell holds no rule: change one row of a table, and the runtime does something else (SHL-1, VER-1)."""

import ast
import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dhruva.runtime
from dhruva import MACHINES, kernel
from dhruva.runtime.calls import Kernel
from dhruva.runtime.context import Context
from dhruva.runtime.errors import InvalidTransition
from dhruva.runtime.outcomes import Aborted, NotAllowed, Succeeded
from dhruva.runtime.streams import Stream, StreamAborted
from tests.runtime.authorities import authority, hold, nothing, run, started
from tests.runtime.stores import KINDS

pytestmark = pytest.mark.cites("SHL-1b", "SHL-1c", "VER-1")
RULES = ("machines", "decide", "wiring", "rules", "walk", "parts")


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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", [False, True], ids=["shipped", "swapped"])
def test_worker_one_that_fails_and_aborts_nothing(kind: str, tmp_path: Path, other: bool) -> None:
    async def fails() -> None:
        raise LookupError

    async def body(ctx: Context) -> str:
        await (await ctx.spawn_worker(fails)).outcome()
        return ctx.signal.reason or "went on"

    async def main() -> object:
        of = swapped("worker", "running", "fail", then=()) if other else None
        async with authority(kind, tmp_path, kernel=of) as here, here.scope("a") as scope:
            return await started(await scope.request(body)).outcome()

    assert run(main()) == (Succeeded("went on") if other else Aborted("worker"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", [False, True], ids=["shipped", "swapped"])
def test_handler_one_that_cannot_be_started(kind: str, tmp_path: Path, other: bool) -> None:
    async def answers() -> int:
        return 42

    async def body(ctx: Context) -> object:
        handler = await ctx.add_handler(answers)
        try:
            return await handler()
        except NotAllowed as refused:
            return refused.refused.because

    async def main() -> object:
        of = swapped("handler", "pending", "start") if other else None
        async with authority(kind, tmp_path, kernel=of) as here, here.scope("a") as scope:
            return await started(await scope.request(body))

    assert run(main()) == ("no_row" if other else 42)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", [False, True], ids=["shipped", "swapped"])
def test_stream_one_whose_close_aborts(kind: str, tmp_path: Path, other: bool) -> None:
    states = type(MACHINES["stream"].rows[0].source)

    async def reads(stream: Stream) -> list[object]:
        try:
            return [value async for value in stream]
        except StreamAborted:
            return ["aborted"]

    async def body(ctx: Context) -> object:
        stream = await ctx.open_stream()
        await stream.send(1)
        return await stream.close(), await reads(stream)

    async def main() -> object:
        of = swapped("stream", "open", "close", target=states("aborted")) if other else None
        async with authority(kind, tmp_path, kernel=of) as here, here.scope("a") as scope:
            return await started(await scope.request(body))

    assert run(main()) == ((False, ["aborted"]) if other else (True, [1]))


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


@pytest.mark.parametrize("kind", KINDS)
def test_task_a_cancel_that_has_no_row_is_refused(kind: str, tmp_path: Path) -> None:
    async def main(of: Kernel | None) -> None:
        async with authority(kind, tmp_path / ("other" if of else ""), kernel=of) as here:

            @here.executor
            async def holds(_inputs: dict[str, Any]) -> None:
                await asyncio.Event().wait()

            waits = await here.create("waits", holds, after=[await here.create("holds", holds)])
            await waits.cancel()

    (tmp_path / "other").mkdir()
    run(main(None))
    with pytest.raises(InvalidTransition, match="pending: cancel is refused"):
        run(main(swapped("task", "pending", "cancel")))


@pytest.mark.parametrize("kind", KINDS)
def test_task_one_that_fails_whatever_its_body_returns(kind: str, tmp_path: Path) -> None:
    statuses = type(MACHINES["task"].rows[0].source)
    other = swapped("task", "in_progress", "succeed", target=statuses("failed"))

    async def main() -> str:
        async with authority(kind, tmp_path, kernel=other) as here:

            @here.executor
            async def work(_inputs: dict[str, Any]) -> None:
                return None

            task = await here.create("t", work)
            while True:
                await asyncio.sleep(0.001)
                state = await here.look(lambda facts: facts.state(task.number))
                if state is not None and state.status != "in_progress":
                    return state.status

    assert run(main()) == "failed"


@pytest.mark.parametrize("kind", KINDS)
def test_reexecution_of_what_completed_needs_its_row(kind: str, tmp_path: Path) -> None:
    async def main(of: Kernel | None) -> None:
        async with authority(kind, tmp_path / ("other" if of else ""), kernel=of) as here:

            @here.executor
            async def work(_inputs: dict[str, Any]) -> None:
                return None

            task = await here.create("t", work)
            await task.ended()
            await task.reexecute()
            await task.ended()

    (tmp_path / "other").mkdir()
    run(main(None))
    with pytest.raises(InvalidTransition, match="completed: reexecute is refused"):
        run(main(swapped("reexecution", "completed", "reexecute")))
