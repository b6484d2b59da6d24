"""Programs that tests run in processes of their own, on a store that they share, and kill."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SERVES = """
import asyncio, os, sys, time
from dhruva.runtime.api import Authority

async def main():
    async with Authority.open(sys.argv[1]) as here:
        @here.executor
        async def where(inputs):
            return {"pid": os.getpid()}

        @here.executor
        async def hold(inputs, context):
            print("holds", flush=True)
            await asyncio.sleep(600)

        @here.executor
        def block(inputs, context):
            print("blocks", flush=True)
            while not context.signal.aborted:
                time.sleep(0.01)
            return {"saw": context.signal.reason}

        await here.look(lambda facts: None)
        print("serves", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""
"""Has the executors where, hold and block, and starts what others create."""


class Program:
    """A running program, line by line."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process, self.pid = process, process.pid

    def line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        os.kill(self.pid, how)
        if how == signal.SIGKILL:
            self._process.wait()


@contextmanager
def program(text: str, *arguments: object) -> Iterator[Program]:
    """Runs this program until it is killed, or the test is over."""
    command = [sys.executable, "-c", text, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            yield Program(process)
        finally:
            process.kill()
