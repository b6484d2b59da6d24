"""Durable tasks, in memory and on SQLite: created, run, cancelled, run again, deleted, listed (LIF)."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from dhruva.ids import Priority, TaskStatus
from dhruva.records import DependsOn, RetryPolicy, TaskRecord
from dhruva.runtime.api import Authority
from dhruva.runtime.errors import (
    AlreadyExecuting,
    CannotDelete,
    Circular,
    InvalidTask,
    InvalidTransition,
    InvalidTree,
    NoExecutor,
    NotFound,
)
from dhruva.runtime.executions import TaskContext
from dhruva.runtime.store import StoreError
from dhruva.runtime.tasks import Task
from tests.runtime.authorities import FakeEnvironment, run, settle

Inputs = dict[str, Any]


async def ended(*tasks: Task) -> list[TaskRecord]:
    return [await task.ended() for task in tasks]


@pytest.mark.cites("LIF-1", "LIF-2", "LIF-3", "LIF-16", "LIF-19")
def test_a_task_runs_and_its_record_tells_it(play: Any) -> None:
    async def story(here: Authority) -> None:
        @here.executor
        async def load(inputs: Inputs) -> Inputs:
            return {"rows": inputs["n"] + 1}

        task = await here.create("load sales", load, {"n": 2}, user="anna", priority=Priority.HIGH)
        record = await task.ended()
        assert (record.status, record.result, record.error) == (TaskStatus.COMPLETED, {"rows": 3}, None)
        assert (record.progress, record.definition.user_id, record.definition.priority) == (1.0, "anna", 1)
        assert record.started_at is not None
        assert record.created_at <= record.started_at
        assert await task.record() == record
        assert await (await here.task(task.id)).record() == record
        assert await task.blocked() == ()
        assert not await task.still_runs()

    play(story)


@pytest.mark.cites("LIF-4", "LIF-6", "LIF-3")
def test_dependencies_come_first_and_their_results_are_read(play: Any) -> None:
    async def story(here: Authority) -> None:
        order: list[str] = []

        @here.executor
        async def step(inputs: Inputs, context: TaskContext) -> Inputs:
            order.append(inputs["name"])
            if inputs.get("fails"):
                raise ValueError("no luck")
            return {"seen": list((await context.results()).values())}

        first = await here.create("first", step, {"name": "first"})
        broken = await here.create("broken", step, {"name": "broken", "fails": True}, retry=1)
        optional = DependsOn(id=broken.id, required=False)
        last = await here.create("last", step, {"name": "last"}, after=[first, optional])
        record = await last.ended()
        assert record.result == {"seen": [{"seen": []}, "error: ValueError: no luck"]}
        assert order[-1] == "last"

    play(story)


@pytest.mark.cites("LIF-5")
def test_a_failed_dependency_blocks_and_the_cause_is_named(play: Any) -> None:
    async def story(here: Authority) -> None:
        @here.executor
        async def fails(_inputs: Inputs) -> None:
            raise ValueError("no luck")

        a = await here.create("a", fails, retry=1)
        b = await here.create("b", fails, after=[a])
        c = await here.create("c", fails, after=[b])
        await a.ended()
        await settle()
        record = await c.record()
        assert (record.status, record.error) == (TaskStatus.PENDING, None)
        assert await c.blocked() == (c, b, a)

    play(story)


@pytest.mark.cites("LIF-17", "LIF-18")
def test_a_tree_is_created_whole_or_not_at_all_with_every_fault(play: Any) -> None:
    async def story(here: Authority) -> None:
        @here.executor
        async def load(_inputs: Inputs) -> None:
            return None

        root = here.define("root", load)
        left, right = (here.define(name, load, parent=root) for name in ("left", "right"))
        last = here.define("last", load, parent=root, after=[left, right])
        made = await here.create_tree([last, left, root, right])
        assert [task.name for task in made] == ["last", "left", "root", "right"]
        assert {record.status for record in await ended(*made)} == {TaskStatus.COMPLETED}
        page = await here.tasks(parent=made[2])
        assert {task.name for task in page.tasks} == {"last", "left", "right"}

        one, two = here.define("one", load), here.define("two", load)
        ring = [one.model_copy(update={"dependencies": (DependsOn(id=two.id),)})]
        ring.append(two.model_copy(update={"dependencies": (DependsOn(id=one.id),), "parent": one.id}))
        with pytest.raises(Circular, match="wait for each other") as caught:
            await here.create_tree(ring)
        assert caught.value.code == -32002
        stray = here.define("stray", load, after=[uuid4()], parent=uuid4())
        with pytest.raises(InvalidTree) as several:
            await here.create_tree([stray])
        assert len(several.value.errors) == 2
        with pytest.raises(InvalidTask, match="name"):
            await here.create("", load)
        assert len((await here.tasks()).tasks) == 4

    play(story)


@pytest.mark.cites("LIF-3", "LIF-18")
def test_an_executor_that_nobody_ever_had_is_a_slip_and_is_named(play: Any) -> None:
    async def story(here: Authority) -> None:
        @here.executor
        async def load(_inputs: Inputs) -> None:
            return None

        with pytest.raises(NoExecutor, match=r"'laod' in this store\. Did you mean 'load'"):
            await here.create("a", "laod")

        async def stranger(_inputs: Inputs) -> None:
            return None

        with pytest.raises(NoExecutor, match="stranger is not registered"):
            await here.create("a", stranger)
        assert (await here.tasks()).tasks == ()

    play(story)


@pytest.mark.cites("LIF-8")
def test_cancel_of_a_pending_task_is_at_once(play: Any) -> None:
    async def story(here: Authority) -> None:
        @here.executor
        async def hold(_inputs: Inputs, context: TaskContext) -> None:
            await context.signal.wait()

        running = await here.create("running", hold)
        waits = await here.create("waits", hold, after=[running])
        await waits.cancel("not needed")
        record = await waits.ended()
        assert (record.status, record.error, record.started_at) == (TaskStatus.CANCELLED, "not needed", None)
        with pytest.raises(InvalidTransition, match="cancelled: cancel is refused"):
            await waits.cancel()
        assert (await waits.record()) == record
        await running.cancel()
        assert (await running.ended()).error == "cancelled without a message"

    play(story)


@pytest.mark.cites("LIF-8", "LIF-15", "ACT-11")
def test_cancel_of_a_running_task_waits_for_its_body_and_refuses_its_output(play: Any) -> None:
    async def story(here: Authority) -> None:
        asked, may_end = asyncio.Event(), asyncio.Event()

        @here.executor
        async def stubborn(_inputs: Inputs) -> Inputs:
            while not may_end.is_set():
                try:
                    await may_end.wait()
                except asyncio.CancelledError:
                    asked.set()
            return {"late": True}

        task = await here.create("stubborn", stubborn)
        after = await here.create("after", stubborn, after=[DependsOn(id=task.id, required=False)])
        await settle()
        await task.cancel("enough")
        assert (await task.record()).status == TaskStatus.CANCELLED
        await asked.wait()
        assert await task.still_runs()
        assert (await after.record()).status == TaskStatus.PENDING
        with pytest.raises(AlreadyExecuting):
            await task.reexecute()
        may_end.set()
        assert (await after.ended()).status == TaskStatus.COMPLETED
        record = await task.record()
        assert (record.status, record.result, record.error) == (TaskStatus.CANCELLED, None, "enough")
        assert not await task.still_runs()

    play(story)


@pytest.mark.cites("LIF-14", "LIF-2")
def test_a_failure_is_tried_again_after_its_backoff(play: Any) -> None:
    environment = FakeEnvironment()

    async def story(here: Authority) -> None:
        tries = 0

        @here.executor
        async def flaky(_inputs: Inputs) -> Inputs:
            nonlocal tries
            tries += 1
            if tries < 3:
                raise ConnectionError("down")
            return {"tries": tries}

        policy = RetryPolicy(max_attempts=3, initial_delay_ms=2_000, max_delay_ms=10_000)
        task = await here.create("flaky", flaky, retry=policy)
        for wait in (2.0, 4.0):
            await settle()
            record = await task.record()
            assert (record.status, record.error, record.started_at) == (TaskStatus.PENDING, None, None)
            assert environment.fire(wait) == 1
        assert (await task.ended()).result == {"tries": 3}

    play(story, environment=environment)


@pytest.mark.cites("LIF-14", "LIF-15")
def test_when_no_try_is_left_the_task_has_failed(play: Any) -> None:
    async def story(here: Authority) -> None:
        @here.executor
        async def fails(_inputs: Inputs) -> None:
            raise KeyError("sales")

        policy = RetryPolicy(max_attempts=2, initial_delay_ms=1, max_delay_ms=1)
        task = await here.create("fails", fails, retry=policy)
        record = await task.ended()
        assert (record.status, record.error) == (TaskStatus.FAILED, "error: KeyError: 'sales'")

    play(story)


@pytest.mark.cites("LIF-9", "LIF-10")
def test_reexecution_resets_dependents_and_runs_them_all_again(play: Any) -> None:
    async def story(here: Authority) -> None:
        order: list[str] = []

        @here.executor
        async def step(inputs: Inputs) -> None:
            order.append(inputs["name"])

        a = await here.create("a", step, {"name": "a"})
        b = await here.create("b", step, {"name": "b"}, after=[a])
        c = await here.create("c", step, {"name": "c"}, after=[b])
        await c.ended()
        assert await a.reexecute() == ()
        while len(order) < 6:
            await asyncio.sleep(0.001)
        assert order == ["a", "b", "c"] * 2
        await settle()
        assert await c.reexecute(cascade=False) == ()
        await settle()
        assert order[6:] == ["c"]

    play(story)


@pytest.mark.cites("LIF-20", "LIF-18")
def test_only_what_nothing_hangs_on_is_deleted(play: Any) -> None:
    async def story(here: Authority) -> None:
        @here.executor
        async def step(_inputs: Inputs) -> None:
            return None

        a = await here.create("a", step)
        b = await here.create("b", step, after=[a])
        await b.ended()
        await settle()
        with pytest.raises(CannotDelete):
            await a.delete()
        await b.delete()
        await a.delete()
        for gone in (a, b):
            with pytest.raises(NotFound):
                await gone.record()
            with pytest.raises(NotFound):
                await here.task(gone.id)
        with pytest.raises(NotFound):
            await a.ended()
        assert (await here.tasks()).tasks == ()

    play(story)


@pytest.mark.cites("LIF-6", "LIF-7", "ACT-13")
def test_urgent_tasks_go_first_under_one_limit(play: Any) -> None:
    async def story(here: Authority) -> None:
        order: list[str] = []
        gate = asyncio.Event()

        @here.executor
        async def step(inputs: Inputs) -> None:
            order.append(inputs["name"])
            await gate.wait()

        def named(name: str, priority: Priority) -> Any:
            return here.define(name, step, {"name": name}, priority=priority)

        await here.create("holds", step, {"name": "holds"})
        low = await here.create("low", step, {"name": "low"}, priority=Priority.LOW)
        one = await here.create("one", step, {"name": "one"})
        two = await here.create("two", step, {"name": "two"})
        urgent = await here.create("urgent", step, {"name": "urgent"}, priority=Priority.URGENT)
        await settle()
        assert order == ["holds"]
        gate.set()
        await ended(low, one, two, urgent)
        assert order == ["holds", "urgent", "one", "two", "low"]

    play(story, limit=1)


@pytest.mark.cites("ACT-18", "LIF-15")
def test_a_shutdown_counts_no_try_and_the_task_starts_again(tmp_path: Path) -> None:
    started = asyncio.Event

    async def first() -> Any:
        began = started()
        async with Authority.open(tmp_path / "work.db") as here:

            @here.executor
            async def work(_inputs: Inputs) -> None:
                began.set()
                await asyncio.sleep(60)

            task = await here.create("work", work, retry=1)
            await began.wait()
            return task.id

    async def second(id_: Any) -> None:
        async with Authority.open(tmp_path / "work.db") as here:
            task = await here.task(id_)
            assert (await task.record()).status == TaskStatus.PENDING

            @here.executor
            async def work(_inputs: Inputs) -> Inputs:
                return {"again": True}

            assert (await task.ended()).result == {"again": True}

    run(second(run(first())))


def test_nothing_is_created_in_an_authority_that_closes(play: Any) -> None:
    kept: list[Authority] = []

    async def story(here: Authority) -> None:
        @here.executor
        async def step(_inputs: Inputs) -> None:
            return None

        kept.append(here)

    play(story)

    async def late() -> None:
        with pytest.raises(StoreError, match="closed"):
            await kept[0].create("late", "step")

    run(late())
