"""What is asked of a scope is looked at before anything is given to the store."""

import asyncio

import pytest

from dhruva.runtime import Authority


def test_a_body_is_a_function_and_a_priority_one_of_four() -> None:
    async def main() -> None:
        async with Authority() as here, here.scope("a") as scope:
            called = asyncio.sleep(0)
            with pytest.raises(TypeError, match=r"'a' is <coroutine object sleep .*leave the call out"):
                await scope.request(called)  # type: ignore[call-overload]
            called.close()
            with pytest.raises(TypeError, match="body of a request in scope 'a' is 'x'; it is a function"):
                await scope.request("x")  # type: ignore[call-overload]
            with pytest.raises(ValueError, match="priority of a request in scope 'a' is 7"):
                await scope.request(print, priority=7)  # type: ignore[call-overload]
            assert not scope.alive

    asyncio.run(main())
