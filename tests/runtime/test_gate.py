"""The gate as the runtime keeps it: the scope's table walked by its API, and one reason for every rejection.

The models know that the rules are right; here it is shown that what runs goes by them (ACT-1 to ACT-6).
"""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from dhruva.cells import Kind
from dhruva.runtime.api import Authority
from dhruva.runtime.context import Context
from dhruva.runtime.outcomes import Failed, NotAllowed, Rejected
from dhruva.runtime.scopes import Scope
from dhruva.runtime.shipped import shipped
from dhruva.runtime.sqlite import SqliteStore
from tests.runtime.authorities import FakeEnvironment, authority, hold, nothing, run, settle, started
from tests.runtime.stores import KINDS

ALLOWED = {"INIT": "mount", "ATTACHED": "suspend", "SUSPENDED": "resume"}
pytestmark = pytest.mark.parametrize("kind", KINDS)


async def cell_of(here: Authority, scope: Scope) -> Any:
    return await here.look(lambda facts: facts.read((Kind.SCOPE, scope.id)))


async def state_of(here: Authority, scope: Scope) -> str:
    return str((await cell_of(here, scope)).state)


async def asked(scope: Scope) -> str:
    """What a request hears: that it ran, or the one reason for which it did not."""
    answer = await scope.request(nothing)
    if isinstance(answer, Rejected):
        return answer.reason
    await answer
    return "ran"


def links_of(of: Authority, kind: str, folder: Path) -> int:
    """How many transactions the journal has, once the authority is closed."""
    if kind == "memory":
        return len([*of._running.shell.engine.store.links()])
    store = SqliteStore(folder / "work.db", shipped().tables)
    try:
        return len([*store.links()])
    finally:
        store.close()


class Deaf:
    """A body that ends when the test lets it."""

    def __init__(self) -> None:
        self.over = asyncio.Event()

    async def __call__(self, ctx: Context) -> None:
        assert not ctx.signal.aborted  # it knows of its signal, so it is not cancelled
        await self.over.wait()


@pytest.mark.cites("ACT-5a", "ACT-5b", "ACT-5c", "ACT-5e", "ACT-5h", "ACT-5j", "ACT-6a", "ACT-6b", "ACT-2c")
def test_a_scope_walks_its_table(kind: str, tmp_path: Path) -> None:
    """In every state: what a request hears."""

    async def main() -> None:
        async with authority(kind, tmp_path) as here:
            scope = await here.scope("a", mount=False).open()
            seen = [(await state_of(here, scope), await asked(scope))]
            await scope.mount()
            seen.append((await state_of(here, scope), await asked(scope)))
            seen.append((await state_of(here, scope), await asked(scope)))
            await scope.suspend()
            seen.append((await state_of(here, scope), await asked(scope)))
            await scope.resume()
            deaf = Deaf()
            handle = started(await scope.request(deaf))
            await settle()
            leaving = asyncio.ensure_future(scope.dispose())
            await settle()
            seen.append((await state_of(here, scope), await asked(scope)))
            deaf.over.set()
            await leaving
            await handle.outcome()
            seen.append((await state_of(here, scope), await asked(scope)))
        assert seen == [
            ("INIT", "scope_not_attached"),
            ("ATTACHED", "ran"),
            ("RUNNING", "ran"),
            ("SUSPENDED", "scope_suspended"),
            ("DISPOSING", "scope_disposed"),
            ("DISPOSED", "scope_disposed"),
        ]

    run(main())


@pytest.mark.cites("ACT-5d", "ACT-5f", "ACT-5g", "ACT-5i", "ACT-5k", "ACT-3c")
def test_dispose_from_every_state_and_what_has_no_row_changes_nothing(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path) as here:
            ways: dict[str, list[str]] = {
                "INIT": [],
                "ATTACHED": ["mount"],
                "SUSPENDED": ["mount", "suspend"],
            }
            for state, way in ways.items():
                scope = await here.scope(state, mount=False).open()
                for word in way:
                    await getattr(scope, word)()
                assert await state_of(here, scope) == state
                before = await cell_of(here, scope)
                for word in {"mount", "suspend", "resume"} - {ALLOWED[state]}:
                    with pytest.raises(NotAllowed, match=rf"is {state}: \w+ is refused by ACT-5 \(no row\)"):
                        await getattr(scope, word)()
                assert await cell_of(here, scope) == before
                for _ in range(2):
                    await scope.dispose()
                    assert await state_of(here, scope) == "DISPOSED"

    run(main())


@pytest.mark.cites("ACT-2a", "ACT-2b", "ACT-3a", "ACT-3b")
def test_the_first_broken_rule_is_the_reason(kind: str, tmp_path: Path) -> None:
    """One rule more is broken each time, and each comes before those that were."""

    async def main() -> None:
        async with authority(kind, tmp_path) as here:
            assert await asked(here.scope("nowhere")) == "scope_not_found"
            scope = await here.scope("a", limit=1, spawns=2).open()
            first = started(await scope.request(hold))
            assert await asked(scope) == "concurrency_limit"
            await first.abort()
            await first.outcome()
            last = started(await scope.request(hold))
            assert await asked(scope) == "spawn_limit"
            await scope.suspend()
            assert await asked(scope) == "scope_suspended"
            await scope.dispose()
            assert await asked(scope) == "scope_disposed"
            await last.outcome()
            queues = await here.scope("b", limit=1, queue=1).open()
            for _ in range(2):
                started(await queues.request(hold))
            assert await asked(queues) == "queue_full"
            await queues.dispose()

    run(main())


@pytest.mark.cites("ACT-2e", "ACT-2f")
def test_the_policy_window_has_a_time_and_a_number(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        environment = FakeEnvironment()
        async with authority(kind, tmp_path, environment=environment) as here:
            scope = await here.scope("a", limit=1, queue=1, retry=2, queue_wait=5.0).open()
            tried: list[int] = []

            async def fails(ctx: Context) -> None:
                tried.append(ctx.ref.number)
                raise LookupError

            assert isinstance(await started(await scope.request(fails)).outcome(), Failed)
            assert tried == [1, 2, 3]
            holds = started(await scope.request(hold))
            waits = started(await scope.request(nothing))
            await settle()
            environment.fire(5.0)
            assert await waits.outcome() == Rejected("a", "policy_window")
            await holds.abort()
            await scope.dispose()

    run(main())


@pytest.mark.cites("ACT-4a", "ACT-4b", "ACT-4c", "ACT-4d", "ACT-4e")
def test_a_rejection_is_an_ordinary_answer(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A thousand at once: each a value, told to who listens, logged in development; nothing was written."""
    caplog.set_level(logging.DEBUG, "dhruva.runtime")
    heard: list[Rejected] = []

    def raises(_rejected: Rejected) -> None:
        """Keeps nobody from hearing, and nobody from going on."""
        raise LookupError

    async def main() -> Authority:
        async with authority(kind, tmp_path) as here:
            here.on_rejected(raises)
            here.on_rejected(heard.append)
            scope = await here.scope("a", limit=1).open()
            holds = started(await scope.request(hold))
            before = await cell_of(here, scope)
            answers = await asyncio.gather(*(scope.request(nothing) for _ in range(1000)))
            assert answers == [Rejected("a", "concurrency_limit")] * 1000 == heard
            assert await cell_of(here, scope) == before
            assert here.refused == 1000
            await holds.abort()
            await scope.dispose()
        return here

    assert links_of(run(main()), kind, tmp_path) < 20
    assert "rejected in scope 'a': concurrency_limit" in caplog.text


@pytest.mark.cites("ACT-1a", "ACT-1c", "ACT-6c")
def test_a_body_runs_only_under_an_attempt_that_was_committed(kind: str, tmp_path: Path) -> None:
    """Whatever is asked in whichever state: who runs finds its own attempt, in a scope that can execute."""
    found: list[tuple[str, str]] = []

    async def main() -> None:
        async with authority(kind, tmp_path, 3) as here:

            async def body(ctx: Context) -> None:
                def look(facts: Any) -> tuple[str, str]:
                    attempt = facts.read((Kind.ATTEMPT, ctx.ref))
                    return str(attempt.state), str(facts.read((Kind.SCOPE, attempt.scope)).state)

                found.append(await here.look(look))

            async with here.scope("a", mount=False, queue=4) as scope:
                ran = 0
                for word in ("mount", "suspend", "resume", None):
                    answers = [await scope.request(body) for _ in range(5)]
                    for answer in answers:
                        if not isinstance(answer, Rejected):
                            assert answer.asked_at is not None
                            await answer.outcome()
                            ran += 1
                    if word is not None:
                        await getattr(scope, word)()
                assert ran == len(found) > 0
            assert {attempt for attempt, _ in found} == {"running"}
            assert {scope for _, scope in found} == {"RUNNING"}

    run(main())
