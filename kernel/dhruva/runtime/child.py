"""A function in a child process. Nothing is unpickled: a function is named, its data is JSON.

The child holds on to the descriptors that it inherits, so that as long as it runs nobody takes its parent
for gone (LIF-15). It ends by itself when its parent does: the pipe it was started through closes then.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from dhruva.limits import GRACE_MS
from dhruva.runtime import child_main
from dhruva.runtime.bodies import named

RESULT_MAX: Final = 16 * 1024 * 1024  # bytes of JSON that a child may return
_MAIN: Final = str(Path(child_main.__file__))


class ChildFailed(Exception):
    """The function raised, in its process; the message names the error."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(f"{error}: {message}")
        self.error, self.message = error, message


class ChildExited(Exception):
    """The process ended without an answer."""

    def __init__(self, code: int) -> None:
        super().__init__(f"killed by signal {-code}" if code < 0 else f"exited with {code}")
        self.code = code


def found_again(function: Callable[..., Any]) -> tuple[str, str, str | None]:
    """Module, name, and for the program itself its file. Raises ValueError if it cannot be found by these."""
    module, name = getattr(function, "__module__", None), named(function)
    here: Any = sys.modules.get(module or "")
    for part in name.split("."):
        here = getattr(here, part, None)
    if module is None or here is not function:
        raise ValueError(f"{name} cannot run in a process: {module}.{name} is not this function")
    if module != "__main__":
        return module, name, None
    path = getattr(sys.modules["__main__"], "__file__", None)
    if path is None:
        raise ValueError(f"{name} cannot run in a process: it was typed in, and stands in no file")
    return module, name, str(path)


async def run_in_child(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    *,
    inherit: Sequence[int] = (),
    limit: int = RESULT_MAX,
) -> Any:
    """What the function returns. Whoever cancels this asks the process to end, and waits until it has."""
    module, name, main = found_again(function)
    job = msgspec.json.encode([sys.path, module, name, main, arguments, limit])
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", _MAIN, stdin=pipe, stdout=pipe, pass_fds=inherit
    )
    try:
        answer = await _exchange(process, len(job).to_bytes(8, "big") + job)
        code = await process.wait()
    except BaseException:
        await _end(process)
        raise
    return _value(answer, code)


async def _exchange(process: asyncio.subprocess.Process, job: bytes) -> bytes:
    """Everything the child says. What it is given stays open: when that closes, its parent is gone."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(ConnectionError):  # it ended before it had read everything: its code says why
        process.stdin.write(job)
        await process.stdin.drain()
    return await process.stdout.read()


async def _end(process: asyncio.subprocess.Process) -> None:
    """Asked first, killed after a grace; it has ended when that was seen. Cancels change nothing."""
    exited = asyncio.ensure_future(process.wait())
    with suppress(ProcessLookupError):
        process.terminate()
    with suppress(TimeoutError, asyncio.CancelledError):
        await asyncio.wait_for(asyncio.shield(exited), GRACE_MS / 1000)
    if not exited.done():
        with suppress(ProcessLookupError):
            process.kill()
    while not exited.done():
        with suppress(asyncio.CancelledError):
            await asyncio.shield(exited)


def _value(answer: bytes, code: int) -> Any:
    if not answer:
        raise ChildExited(code)
    error, value = msgspec.json.decode(answer)
    if error is not None:
        raise ChildFailed(error, value)
    return value
