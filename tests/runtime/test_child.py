"""A function in a process: named, not pickled; its end is observed; it does not outlive its parent."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dhruva.runtime import child
from dhruva.runtime.child import ChildExited, ChildFailed, found_again, run_in_child
from tests.runtime.authorities import run


def plain(value: Any) -> Any:
    sys.stdout.write("what is printed is no answer\n")
    return value


async def awaited(number: int) -> int:
    await asyncio.sleep(0)
    return number + 1


def no_json() -> object:
    return object()


def large(size: int) -> str:
    return "x" * size


def leaves(code: int) -> None:
    sys.exit(code)


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def deaf(path: str) -> None:
    """Ignores the signal that asks it to end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Path(path).write_text(str(os.getpid()))
    time.sleep(60)


def holds(descriptor: int) -> bool:
    os.fstat(descriptor)
    return True


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


UNGUARDED = """
import asyncio
from dataclasses import dataclass
from dhruva import Authority

@dataclass
class Row:
    number: "int"

def work(inputs):
    return {"row": Row(1).number}

async def main():
    async with Authority.open("work.db") as here:
        here.executor(where="process")(work)
        task = await here.create("a", "work", retry=1)
        print((await task.ended()).error, len((await here.tasks()).tasks))

GUARD
    asyncio.run(main())
"""
"""A program that people write. Unguarded, each child of it would open the store and start children."""


@pytest.mark.parametrize(
    ("guard", "said"),
    [
        ('if __name__ == "__main__":', "None 1"),
        ("if True:", "loaded by a child process for one of its functions, and opened an authority: put what"),
    ],
)
def test_a_program_that_works_when_it_is_loaded_is_told_so(tmp_path: Path, guard: str, said: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(UNGUARDED.replace("GUARD", guard))
    command = [sys.executable, str(program)]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert said in ran.stdout
    assert ran.stdout.endswith(" 1\n"), "a child made tasks of its own"


def test_what_it_returns_comes_back() -> None:
    data = {"a": [1, 2.5, None, True], "ü": "ж"}
    assert run(run_in_child(plain, [data])) == data
    assert run(run_in_child(awaited, [1])) == 2


@pytest.mark.parametrize(
    ("function", "arguments", "error", "words"),
    [
        (no_json, [], ChildFailed, "TypeError: Object of type object is not JSON serializable"),
        (plain, [[1e999]], ChildFailed, "TypeError|ValueError"),
        (large, [2_000], ChildFailed, "ValueError: 2010 bytes were returned; at most 1000 are taken"),
        (leaves, [3], ChildExited, "exited with 3"),
        (killed, [], ChildExited, "killed by signal 9"),
    ],
    ids=["no-json", "not-a-number", "too-large", "sys-exit", "sigkill"],
)
def test_what_cannot_be_is_an_error_that_says_so(
    function: Any, arguments: list[Any], error: type[Exception], words: str
) -> None:
    if function is plain:
        with pytest.raises((ChildFailed, ValueError, TypeError)):
            run(run_in_child(large, [float("nan")], limit=1000))
        return
    with pytest.raises(error, match=words):
        run(run_in_child(function, arguments, limit=1000))


def test_cancelling_asks_then_kills_and_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "GRACE_MS", 50)

    async def main() -> None:
        written = tmp_path / "pid"
        running = asyncio.create_task(run_in_child(deaf, [str(written)]))
        while not written.exists() or not written.read_text():
            await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.sleep(0)
        running.cancel()  # a second cancel changes nothing: the end is observed
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not lives(int(written.read_text()))

    run(main())


def test_it_inherits_what_it_is_given_and_nothing_else(tmp_path: Path) -> None:
    kept, other = (os.open(tmp_path / name, os.O_RDWR | os.O_CREAT) for name in ("kept", "other"))
    assert run(run_in_child(holds, [kept], inherit=[kept])) is True
    with pytest.raises(ChildFailed, match="Bad file descriptor"):
        run(run_in_child(holds, [other], inherit=[kept]))
    os.close(kept)
    os.close(other)


PARENT = """
import asyncio, os, sys, time
from dhruva.runtime.child import run_in_child

def waits(path):
    with open(path, "w") as out:
        out.write(str(os.getpid()))
    time.sleep(60)

if __name__ == "__main__":
    asyncio.run(run_in_child(waits, [sys.argv[1]]))
"""


def test_a_child_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    """And a function of the program itself is found again."""
    program, written = tmp_path / "parent.py", tmp_path / "pid"
    program.write_text(PARENT)
    parent = subprocess.Popen([sys.executable, str(program), str(written)])
    until = time.monotonic() + 30
    while not written.exists() or not written.read_text():
        assert time.monotonic() < until
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    while lives(int(written.read_text())):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_function_that_cannot_be_found_again_is_refused() -> None:
    with pytest.raises(ValueError, match="<lambda> cannot run in a process"):
        found_again(lambda: None)
    assert found_again(plain) == (__name__, "plain", None)
