"""Jobs on all cores: results by name in the order of the jobs, progress as each is done.

A model that raises is a finding like any other: its job answers with a Crash, and the others go on.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any, NamedTuple

from dhruva.explore import EngineError, ModelError

Progress = Callable[[str], None]


class Job(NamedTuple):
    """A function with its arguments, to be called in another process; `name` is how progress calls it."""

    name: str
    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    told: Callable[[Any], str] | None = None  # what progress says of the result


class Crash(NamedTuple):
    """What a model raised, with the way there."""

    message: str


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def done(jobs: Iterable[Job], progress: Progress) -> dict[str, Any]:
    """The result of every job. They are begun in the order given, so give long ones first."""
    listed = list(jobs)
    found: dict[str, Any] = {}
    with ProcessPoolExecutor(cores(), mp_context=get_context("spawn")) as pool:
        running = {pool.submit(_guarded, job.call, job.arguments): job for job in listed}
        try:
            for number, future in enumerate(as_completed(running), 1):
                job = running[future]
                found[job.name] = future.result()
                progress(f"[{number}/{len(listed)}] {job.name}{_word(job, found[job.name])}")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return {job.name: found[job.name] for job in listed}


def _guarded(call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        return call(*arguments)
    except (ModelError, EngineError) as error:
        return Crash(str(error))


def _word(job: Job, result: Any) -> str:
    if isinstance(result, Crash):
        return f": {result.message.splitlines()[0]}"
    return f": {job.told(result)}" if job.told else ""
