"""`why` of things in a store: the names that people gave, and since when (SHL-8)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from dhruva.cells import Key, Kind
from dhruva.runtime.api import Authority
from dhruva.runtime.waits import Waits, name_id, why_of
from tests.runtime.authorities import FakeEnvironment, authority, hold, run, started
from tests.runtime.stores import KINDS


async def asked(of: Authority, key: Key) -> Waits:
    return await of.look(lambda facts: why_of(facts, key))


@pytest.mark.cites("SHL-8a")
@pytest.mark.parametrize("kind", KINDS)
def test_things_are_called_by_their_names(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path, 1) as here:
            going = asyncio.Event()

            @here.executor
            async def load(_inputs: dict[str, Any]) -> dict[str, Any]:
                await going.wait()
                return {}

            first = await here.create("load sales", load)
            second = await here.create("load stock", load)
            third = await here.create("report", load, after=[first, second])
            assert str(await third.why()) == 'waits for "load sales" and "load stock" to complete'
            assert str(await second.why()) == "waits for a slot under the limit over all scopes"
            runs = await first.why()
            assert str(runs) == f'runs as attempt {first.number}.1.1 of "load sales"'
            assert str(await asked(here, runs.why.on[0])) == "waits for its body to end"
            assert (await asked(here, runs.why.on[0])).name == f'attempt {first.number}.1.1 of "load sales"'
            going.set()
            assert (await third.ended()).status == "completed"
            assert str(await third.why()) == "has ended (completed)"

    run(main())


@pytest.mark.cites("SHL-8a", "LIF-3")
def test_an_executor_that_nobody_has_is_named(tmp_path: Path) -> None:
    """A process without the executor finds the task first, and leaves it to those who have it."""

    async def load(_inputs: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(60)
        return {}

    async def other(_inputs: dict[str, Any]) -> dict[str, Any]:
        return {}

    async def main() -> None:
        async with authority("sqlite", tmp_path, 1) as first:
            first.executor(load)
            task = await first.create("load sales", load)
        async with authority("sqlite", tmp_path, 1) as second:
            second.executor(other)
            await (await second.create("other", other)).ended()
            again = await second.task(task.id)
            assert str(await again.why()) == 'waits for a process that has executor "load"'

    run(main())


@pytest.mark.cites("SHL-8a")
@pytest.mark.parametrize("kind", KINDS)
def test_scopes_are_called_by_their_names(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path) as here, here.scope("insights", limit=1, queue=1) as scope:
            handle = started(await scope.request(hold))
            waiting = started(await scope.request(hold))
            key: Key = (Kind.REQUEST, waiting._id)
            said = await asked(here, key)
            assert said.reason == "slot"
            assert said.on == (f"attempt {name_id((Kind.ATTEMPT, handle.ref))}",)
            await scope.suspend()
            assert str(await asked(here, key)) == 'waits for scope "insights" to be resumed'
            await scope.resume()
            await waiting.abort()

    run(main())


def test_since_when_is_the_last_change_of_the_record(tmp_path: Path) -> None:
    clock = FakeEnvironment()

    async def main() -> None:
        async with authority("memory", tmp_path, 1, environment=clock) as here:

            @here.executor
            async def load(_inputs: dict[str, Any]) -> dict[str, Any]:
                return {}

            task = await here.create("load", load)
            await task.ended()
            said = await task.why()
            assert said.since == clock.clock
            plain = said.to_json()
            assert (plain["since"], plain["state"]) == (clock.clock.isoformat(), "completed")
            assert plain["text"] == '"load" has ended (completed)'

    run(main())
