"""Executors: where they run, what they are given, and everything that a body can do wrong (LIF-3, LIF-8)."""

import asyncio
import logging
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from dhruva.ids import TaskStatus
from dhruva.records import RetryPolicy, TaskRecord
from dhruva.runtime.api import Authority
from dhruva.runtime.errors import InvalidTask
from dhruva.runtime.executions import TaskContext
from dhruva.runtime.plain import INPUTS_MAX
from tests.runtime.authorities import FakeEnvironment, authority, run, settle
from tests.runtime.stores import KINDS

Inputs = dict[str, Any]


class Sales(BaseModel):
    """The schema of an executor."""

    year: int
    region: str = "all"


def in_a_process(inputs: Inputs) -> Inputs:
    return {"pid": os.getpid(), "inputs": inputs}


def kills_itself(_inputs: Inputs) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leaves(_inputs: Inputs) -> None:
    sys.exit(7)


def sleeps(_inputs: Inputs) -> None:
    time.sleep(600)


@pytest.fixture(params=KINDS)
def ends(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., TaskRecord]:
    """How a task of this executor ends, tried once, and that the next one is served all the same."""

    def ended(function: Callable[..., Any], inputs: Any = None, **named: Any) -> TaskRecord:
        async def main() -> TaskRecord:
            async with authority(request.param, tmp_path) as here:
                here.executor(name="tried", **named)(function)

                @here.executor
                async def fine(_inputs: Inputs) -> Inputs:
                    return {"fine": True}

                task = await here.create("tried", "tried", inputs, retry=1)
                record = await task.ended()
                assert (await (await here.create("next", fine)).ended()).result == {"fine": True}
                return record

        return run(main())

    return ended


@pytest.mark.cites("LIF-3", "ACT-7")
def test_a_plain_function_runs_in_a_thread(ends: Any) -> None:
    def work(_inputs: Inputs, context: TaskContext) -> Inputs:
        context.progress(0.5)
        return {"thread": threading.current_thread().name}

    record = ends(work)
    assert record.result["thread"].startswith("dhruva-")


@pytest.mark.cites("LIF-3")
def test_a_function_of_a_module_runs_in_a_process(ends: Any) -> None:
    record = ends(in_a_process, {"n": 1}, where="process")
    assert record.result["inputs"] == {"n": 1}
    assert record.result["pid"] != os.getpid()


@pytest.mark.cites("LIF-17", "LIF-18")
@pytest.mark.parametrize("kind", KINDS)
def test_inputs_that_do_not_fit_their_schema_are_named_with_every_fault(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path) as here:

            @here.executor
            async def report(inputs: Sales) -> Inputs:
                return {"year": inputs.year + 1, "region": inputs.region}

            task = await here.create("r", report, {"year": 2025})
            assert (await task.ended()).result == {"year": 2026, "region": "all"}
            made = await here.create("r", report, Sales(year=1, region="north"))
            assert (await made.record()).definition.inputs == {"year": 1, "region": "north"}
            with pytest.raises(InvalidTask, match=r"year: .*given: 'x'.*region: .*given: 5"):
                await here.create("r", report, {"year": "x", "region": 5})
            with pytest.raises(InvalidTask, match="larger than"):
                await here.create("r", "report", {"year": 1, "region": "x" * (INPUTS_MAX + 1)})
            for bad in ({"a": object()}, {"a": float("nan")}, {1: 2}, {"a": 2**70}):
                definition = here.define("r", "report", {"year": 1}).model_copy(update={"inputs": bad})
                with pytest.raises(InvalidTask, match="inputs"):
                    await here.create_tree([definition])

    run(main())


@pytest.mark.cites("LIF-14", "LIF-16")
def test_what_a_body_raises_stands_in_the_record(ends: Any) -> None:
    async def raises(_inputs: Inputs) -> None:
        raise LookupError("x" * 100_000)

    record = ends(raises)
    assert record.status == TaskStatus.FAILED
    assert record.error.startswith("error: LookupError: xxx")
    assert len(record.error) == 10_000


class Leaves(BaseException):
    """No Exception, as the errors that test runners and other event loops end a body with."""


@pytest.mark.parametrize("where", ["coroutine", "thread"])
def test_a_body_that_raises_what_is_no_exception_has_ended(ends: Any, where: str) -> None:
    async def raises(_inputs: Inputs) -> None:
        raise Leaves("enough")

    def raises_in_thread(_inputs: Inputs) -> None:
        raise Leaves("enough")

    record = ends(raises if where == "coroutine" else raises_in_thread)
    assert (record.status, record.error) == (TaskStatus.FAILED, "error: Leaves: enough")


@pytest.mark.parametrize("kind", KINDS)
def test_a_keyboard_interrupt_in_a_body_is_its_end_and_the_programs(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with authority(kind, tmp_path) as here:

            @here.executor
            async def interrupted(_inputs: Inputs) -> None:
                raise KeyboardInterrupt

            await (await here.create("a", interrupted, retry=1)).ended()

    with pytest.raises(KeyboardInterrupt):
        run(main())


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3, "is a int; it must be a JSON object"),
        ({"a": {1, 2}}, "the result.a is a set"),
        ({"a": [float("inf")]}, r"the result.a\[0\] is the float inf, which JSON does not know"),
        ({"a": 2**64}, "the result.a is an integer beyond 64 bits"),
        ({"a": "x" * 100_000_000}, "larger than 1048576 bytes"),
        ({"a": [0] * 20_000_000}, "larger than 1048576 bytes"),
        ({"a": "\ud800"}, "no JSON"),
    ],
    ids=["int", "set", "inf", "a large integer", "100 MB of text", "a long list", "half a character"],
)
def test_a_result_that_is_no_object_or_too_large_fails_and_is_not_tried_again(
    ends: Any, value: Any, said: str
) -> None:
    async def returns(_inputs: Inputs) -> Any:
        return value

    record = ends(returns)
    assert record.status == TaskStatus.FAILED
    assert re.search(said, record.error), record.error


@pytest.mark.cites("SHL-5")
@pytest.mark.parametrize("where", ["coroutine", "thread", "process"])
def test_a_body_that_leaves_the_program_ends_itself_alone(ends: Any, where: str) -> None:
    async def leaves_here(inputs: Inputs) -> None:
        leaves(inputs)

    record = ends(leaves_here if where == "coroutine" else leaves, where=where)
    assert record.status == TaskStatus.FAILED
    assert ("exited with 7" if where == "process" else "SystemExit: 7") in record.error


@pytest.mark.cites("SHL-5")
def test_a_body_that_kills_its_process_fails(ends: Any) -> None:
    record = ends(kills_itself, where="process")
    assert (record.status, record.error) == (TaskStatus.FAILED, "error: ChildExited: killed by signal 9")


@pytest.mark.cites("LIF-8", "ACT-15")
@pytest.mark.parametrize("where", ["coroutine", "process"])
def test_a_body_that_hangs_is_ended_by_its_timeout(ends: Any, where: str) -> None:
    async def hangs(_inputs: Inputs) -> None:
        await asyncio.Event().wait()

    record = ends(hangs if where == "coroutine" else sleeps, where=where, timeout=0.2)
    assert record.status == TaskStatus.FAILED
    assert record.error == "timeout"


@pytest.mark.cites("LIF-8")
@pytest.mark.parametrize("kind", KINDS)
def test_a_thread_cannot_be_stopped_and_the_task_says_that_it_still_runs(kind: str, tmp_path: Path) -> None:
    may_end = threading.Event()

    async def main() -> None:
        async with authority(kind, tmp_path) as here:

            @here.executor
            def blocks(_inputs: Inputs) -> None:
                may_end.wait(30)

            task = await here.create("b", blocks)
            await settle()
            await task.cancel()
            assert (await task.record()).status == TaskStatus.CANCELLED
            assert await task.still_runs()
            may_end.set()
            while await task.still_runs():
                await asyncio.sleep(0.005)

    run(main())


@pytest.mark.cites("LIF-2")
@pytest.mark.parametrize("kind", KINDS)
def test_progress_is_shown_and_stamps_never_go_back(kind: str, tmp_path: Path) -> None:
    environment = FakeEnvironment()
    first = environment.clock

    async def main() -> None:
        async with authority(kind, tmp_path, environment=environment) as here:
            go_on = asyncio.Event()

            @here.executor
            async def work(_inputs: Inputs, context: TaskContext) -> None:
                for share in (0.1, 0.2, 0.25):
                    context.progress(share)
                await go_on.wait()
                with pytest.raises(ValueError, match=r"progress is 1\.5"):
                    context.progress(1.5)

            task = await here.create("w", work)
            while (await task.record()).progress != 0.25:
                await asyncio.sleep(0.001)
            environment.clock = first.replace(year=2001)
            go_on.set()
            record = await task.ended()
            assert record.completed_at == record.updated_at == record.started_at == first

    run(main())


@pytest.mark.cites("LIF-14")
@pytest.mark.parametrize("kind", KINDS)
def test_a_clock_that_is_set_back_keeps_no_retry_waiting(kind: str, tmp_path: Path) -> None:
    """What was due in two seconds is due, at the latest, two seconds after whoever looks again."""
    environment = FakeEnvironment()

    async def main() -> None:
        async with authority(kind, tmp_path, environment=environment) as here:
            tries: list[int] = []

            @here.executor
            async def flaky(_inputs: Inputs) -> None:
                tries.append(1)
                if len(tries) == 1:
                    raise ConnectionError("down")

            task = await here.create(
                "f", flaky, retry=RetryPolicy(max_attempts=2, initial_delay_ms=2000, max_delay_ms=2000)
            )
            await settle()
            environment.clock = environment.clock.replace(year=2001)
            assert environment.fire(2.0) == 1
            assert (await task.ended()).status == TaskStatus.COMPLETED

    run(main())


def test_what_can_be_no_executor_is_refused_when_it_is_registered() -> None:
    here = Authority()

    def too_many(_a: Any, _b: Any, _c: Any) -> None: ...

    def local(_inputs: Inputs) -> None: ...

    async def later(_inputs: Inputs) -> None: ...

    with pytest.raises(TypeError, match="'too_many' takes 3 arguments"):
        here.executor(too_many)
    with pytest.raises(ValueError, match="cannot run in a process"):
        here.executor(where="process")(local)
    with pytest.raises(TypeError, match="is an async function"):
        here.executor(where="thread")(later)
    with pytest.raises(TypeError, match="is no async function"):
        here.executor(where="coroutine")(local)
    with pytest.raises(ValueError, match="where of 'later' is 'moon'; it is one of coroutine"):
        here.executor(where="moon")(later)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match=r"timeout of 'later' is 0"):
        here.executor(timeout=0)(later)
    here.executor(later)
    with pytest.raises(ValueError, match="registered already"):
        here.executor(name="later")(local)


def test_no_payload_is_ever_logged(ends: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def fails(inputs: Inputs) -> None:
        raise ValueError(inputs["secret"])

    record = ends(fails, {"secret": "open sesame"})
    assert "open sesame" in record.error
    assert "open sesame" not in caplog.text
