"""The shells: who runs a batch, when its callers hear of it, and what the event loop waits for."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from dhruva import inputs as i
from dhruva.cells import Change, Read
from dhruva.effects import Effect, StartBody
from dhruva.ids import OwnerId, ProcessId, RequestId, ScopeId
from dhruva.runtime.calls import Answer, Call, Done, Kernel
from dhruva.runtime.engine import Engine
from dhruva.runtime.inline import InlineShell
from dhruva.runtime.shell import Post, Shell, ThreadShell
from dhruva.runtime.store import NotAStore
from dhruva.step import step
from dhruva.table import Refused
from tests.runtime.stores import DIGEST, KINDS, opener

ME, SCOPE, KERNEL = ProcessId(9), ScopeId(1), Kernel(step, DIGEST)


def shell(kind: str, folder: Path, kernel: Kernel = KERNEL) -> Shell:
    open_store = opener(kind, folder)
    if kind == "memory":
        return InlineShell(Engine(open_store(), kernel, ME, True))
    return ThreadShell(lambda: Post(Engine(open_store(), kernel, ME, True)))


def ask(number: int) -> i.Ask:
    return i.Ask(RequestId(OwnerId(number)), SCOPE, ME)


def asked(to: Shell, *given: Any) -> "asyncio.Future[Answer]":
    """Submitted now; the answer comes when it is durable."""
    answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    to.submit(Call(lambda _facts: given, answer.set_result))
    return answer


@pytest.mark.cites("SHL-2c")
@pytest.mark.parametrize("kind", KINDS)
def test_answers_and_effects_come_after_the_transaction(kind: str, tmp_path: Path) -> None:
    """A store that is opened while a caller hears its answer knows of it already."""
    heard: list[str] = []

    async def main() -> None:
        here = shell(kind, tmp_path)
        here.perform = lambda effect: heard.append(type(effect).__name__)
        await here.start()
        assert isinstance(await asked(here, i.CreateScope(SCOPE)), Done)
        here.submit(
            Call(lambda _facts: (ask(5),), lambda answer: heard.append(stored(kind, tmp_path, answer)))
        )
        refused = await asked(here, i.CreateScope(SCOPE))
        assert isinstance(refused, Refused)
        assert here.refused == 1
        await here.close()

    asyncio.run(main())
    assert heard == ["Done, stored", "StartBody"]


def stored(kind: str, folder: Path, answer: Answer) -> str:
    if kind == "memory":
        return f"{type(answer).__name__}, stored"
    store = opener(kind, folder)()
    found = any(key[0] == "attempt" for key, _ in store.cells())
    store.close()
    return f"{type(answer).__name__}, {'stored' if found else 'lost'}"


@pytest.mark.cites("SHL-2a")
def test_a_single_caller_is_committed_at_once_and_many_share_one_sync(tmp_path: Path) -> None:
    async def main() -> tuple[int, int]:
        here = shell("sqlite", tmp_path)
        await here.start()
        await asked(here, i.CreateScope(SCOPE))
        await asyncio.gather(*(asked(here, ask(n)) for n in range(5, 205)))
        await here.close()
        store = opener("sqlite", tmp_path)()
        links = list(store.links())
        store.close()
        return links[0].number, len(links)

    first, links = asyncio.run(main())
    assert first == 1
    assert 2 <= links < 50


@pytest.mark.cites("SHL-2b")
def test_the_event_loop_waits_for_no_step_and_no_sync(tmp_path: Path) -> None:
    """A step that ends when the event loop says so: if the loop waited for it, neither would go on."""
    said, heard = threading.Event(), []

    def slow(read: Read, given: Any) -> Change | Refused:
        heard.append(said.wait(10))
        return step(read, given)

    async def main() -> None:
        here = shell("sqlite", tmp_path, Kernel(slow, DIGEST))
        await here.start()
        answer = asked(here, i.CreateScope(SCOPE))
        await asyncio.sleep(0.01)
        said.set()
        assert isinstance(await answer, Done)
        await here.close()

    asyncio.run(main())
    assert heard[0] is True


def test_in_memory_a_call_is_answered_before_submit_returns() -> None:
    async def main() -> list[str]:
        here, order = shell("memory", Path()), []
        await here.start()
        threads = threading.active_count()

        def perform(effect: Effect) -> None:
            assert isinstance(effect, StartBody)
            order.append(f"perform {effect.ref.owner}")
            if effect.ref.owner == 5:
                here.submit(Call(lambda _facts: (ask(6),), lambda _answer: order.append("answer 6")))

        here.perform = perform
        here.submit(Call(lambda _facts: (i.CreateScope(SCOPE),), lambda _answer: order.append("scope")))
        here.submit(Call(lambda _facts: (ask(5),), lambda _answer: order.append("answer 5")))
        assert threading.active_count() == threads
        return order

    assert asyncio.run(main()) == ["scope", "answer 5", "perform 5", "answer 6", "perform 6"]


def test_what_opening_raises_reaches_who_starts_the_shell(tmp_path: Path) -> None:
    (tmp_path / "work.db").mkdir()
    with pytest.raises(NotAStore):
        asyncio.run(shell("sqlite", tmp_path).start())


def test_closing_answers_what_was_submitted_before(tmp_path: Path) -> None:
    async def main() -> list[Answer]:
        here = shell("sqlite", tmp_path)
        await here.start()
        waiting = [asked(here, i.CreateScope(ScopeId(n))) for n in range(1, 500)]
        await here.close()
        return [answer.result() for answer in waiting]

    assert {type(answer) for answer in asyncio.run(main())} == {Done}
