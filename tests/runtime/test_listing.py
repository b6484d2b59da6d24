"""Pages of tasks: everything once, in either order, by status, name and executor (LIF)."""

from typing import Any

import pytest

from dhruva.runtime.api import Authority
from tests.runtime.test_tasks import Inputs, ended


@pytest.mark.cites("LIF-17")
def test_listing_goes_page_by_page_through_everything_once(play: Any) -> None:
    async def story(here: Authority) -> None:
        @here.executor
        async def step(inputs: Inputs) -> None:
            if inputs["n"] % 3 == 0:
                raise ValueError("third")

        made = [
            await here.create(f"{'even' if n % 2 == 0 else 'odd'} {n}", step, {"n": n}, retry=1)
            for n in range(12)
        ]
        await ended(*made)

        async def pages(**asked: Any) -> list[str]:
            found, after = [], None
            while True:
                page = await here.tasks(limit=2, after=after, **asked)
                found += [task.name for task in page.tasks]
                after = page.next
                if after is None:
                    return found

        names = [task.name for task in made]
        assert await pages() == names
        assert await pages(newest=True) == names[::-1]
        assert await pages(status="failed") == names[::3]
        assert await pages(status="failed", newest=True) == names[::3][::-1]
        assert await pages(name="even") == sorted(names[::2])
        assert await pages(name="even", newest=True) == sorted(names[::2])[::-1]
        assert await pages(name="odd", status="failed") == sorted([names[3], names[9]])
        assert await pages(executor="nobody") == []
        with pytest.raises(ValueError, match="after is 'nonsense'"):
            await here.tasks(after="nonsense")
        with pytest.raises(ValueError, match="limit is 0"):
            await here.tasks(limit=0)

    play(story)
