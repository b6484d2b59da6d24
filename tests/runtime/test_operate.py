"""Overrides in the API: what they do, that they are on record, and what they may not do (SHL-6)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from dhruva.cells import Kind
from dhruva.ids import OwnerId, Ref
from dhruva.inputs import Cancel
from dhruva.runtime import codec, journal
from dhruva.runtime.api import Authority
from dhruva.runtime.calls import Kernel
from dhruva.runtime.operate import Operator, StillRaises, override_of
from dhruva.runtime.outcomes import NotAllowed, WasParked
from dhruva.runtime.shipped import shipped
from tests.runtime.authorities import authority, run
from tests.runtime.stores import KINDS


def inputs_of(here: Authority) -> list[Any]:
    links = list(here._running.shell.engine.store.links())
    return [codec.from_plain(plain) for link in links for plain in journal.opened(link).inputs]


@pytest.mark.cites("SHL-6a", "SHL-6b", "SHL-6c", "ACT-18g")
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_abandoned_frees_its_slot_and_its_body_is_heard_no_more(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path, 1) as here:
            going = asyncio.Event()

            @here.executor
            async def hang(_inputs: dict[str, Any]) -> dict[str, Any]:
                await going.wait()
                return {"too": "late"}

            @here.executor
            async def quick(_inputs: dict[str, Any]) -> dict[str, Any]:
                return {}

            stuck = await here.create("stuck", hang)
            behind = await here.create("behind", quick)
            ref = Ref(OwnerId(stuck.number), 1, 1)
            await Operator(here, " anna ").abandon(ref, "it hangs")
            record = await stuck.ended()
            assert (record.status, record.error) == ("failed", "abandoned")
            assert (await behind.ended()).status == "completed"
            going.set()
            await asyncio.sleep(0.01)
            assert (await stuck.record()).error == "abandoned"
            kept = await here.look(lambda facts: override_of(facts, (Kind.ATTEMPT, ref)))
            assert kept is not None
            assert (kept["actor"], kept["reason"]) == ("anna", "it hangs")
            with pytest.raises(NotAllowed, match="is not there: abandon is refused by ACT-8"):
                await Operator(here, "anna").abandon(ref, "again")

    run(main())


@pytest.mark.cites("SHL-6b", "SHL-7")
def test_the_journal_has_who_overrode_under_one_number_for_each_name(tmp_path: Path) -> None:
    async def main() -> None:
        async with authority("memory", tmp_path, kernel=cancel_raises()) as here:
            first, second, third = [await put_aside(here, f"task {n}") for n in range(3)]
            await Operator(here, "anna").discard(first, "one")
            await Operator(here, "ben").discard(second, "two")
            await Operator(here, "anna").discard(third, "three")
            said = [given for given in inputs_of(here) if type(given).__name__ == "DiscardParked"]
            assert [given.reasoned for given in said] == [True] * 3
            anna, ben, again = (given.actor for given in said)
            assert anna == again != ben

    run(main())


def cancel_raises() -> Kernel:
    def step(read: Any, given: Any) -> Any:
        if isinstance(given, Cancel):
            raise ZeroDivisionError("a fault of the kernel")
        return shipped().step(read, given)

    return Kernel(step, shipped().tables)


async def put_aside(here: Authority, name: str) -> int:
    async def never(_inputs: dict[str, Any]) -> dict[str, Any]:
        return {}

    if "never" not in here._executors.by_name:
        here.executor(never)
    task = await here.create(name, "never")
    with pytest.raises(WasParked) as caught:
        await task.cancel()
    assert caught.value.parked is not None
    return caught.value.parked


@pytest.mark.cites("SHL-5", "SHL-6a")
@pytest.mark.parametrize("kind", KINDS)
def test_resuming_what_raises_again_changes_nothing(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path, kernel=cancel_raises()) as here:
            parked = await put_aside(here, "task")
            with pytest.raises(StillRaises, match=f"{parked} raises again"):
                await Operator(here, "anna").resume(parked, "try")
            assert await here.look(lambda facts: facts.read((Kind.PARKED, parked))) is not None
            assert await here.look(lambda facts: override_of(facts, (Kind.PARKED, parked))) is None

    run(main())


@pytest.mark.parametrize(
    ("actor", "reason"), [("", "why"), ("x" * 256, "why"), ("anna", " "), ("anna", "y" * 2001)]
)
def test_an_override_needs_a_name_and_a_reason_that_fit(tmp_path: Path, actor: str, reason: str) -> None:
    async def main() -> None:
        async with authority("memory", tmp_path) as here:
            with pytest.raises(ValueError, match="characters; an override needs 1 to"):
                await Operator(here, actor).discard(1, reason)

    run(main())
