"""What may be forgotten: records of tasks that ended long ago, and the journal before a checkpoint (SHL-10).

A record is deleted by the rules of any delete: what others hang on stays. A checkpoint keeps the cells as
they are, and replay begins there; it costs what is stored, in one transaction, so it is asked for and never
happens by itself.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from dhruva.cells import Change
from dhruva.ids import ENDED
from dhruva.runtime.calls import Done, Facts
from dhruva.runtime.errors import CannotDelete, NotFound
from dhruva.runtime.running import error_of
from dhruva.runtime.store import Query
from dhruva.runtime.tasks import Tasks

AT_ONCE = 200  # tasks looked at in one transaction


async def forget(tasks: Tasks, older_than: timedelta) -> int:
    """Delete what ended so long ago and nothing hangs on, the newest first. How many that were."""
    if older_than < timedelta(0):
        raise ValueError(f"older_than is {older_than}; it must not be negative")
    now = tasks.running.environment.now()
    gone = 0
    for status in sorted(ENDED):
        after: str | None = None
        while True:
            page = await tasks.page(Query(status=str(status), newest=True, limit=AT_ONCE), after)
            for task in page.tasks:
                try:
                    completed = (await task.record()).completed_at
                    if completed is not None and now - completed >= older_than:
                        await task.delete()
                        gone += 1
                except (CannotDelete, NotFound):  # something hangs on it, or another was quicker
                    continue
            after = page.next
            if after is None:
                break
    return gone


async def checkpoint(tasks: Tasks) -> None:
    """The journal begins anew. Keep its head elsewhere before, if you want to see a cut tail."""

    def nothing(_facts: Facts) -> tuple[()]:
        return ()

    def check(facts: Facts, _changes: Sequence[Change]) -> None:
        facts.check()

    answer: Any = await tasks.answer(nothing, check)
    if not isinstance(answer, Done):
        raise error_of(answer, "the store")
