"""The program of a child process: see child.py. It imports nothing of dhruva, so that it starts quickly."""

import asyncio
import importlib
import inspect
import json
import os
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

GONE = 3  # exit code of a child whose parent is gone
PROGRAM = "__dhruva_child__"  # what the program of the parent is called here, where it is not the program
LOADS = "__dhruva_loads__"  # of that module, while what stands in it runs


def main() -> None:
    job = taken(int.from_bytes(taken(8), "big"))
    path, module, name, program, arguments, limit = json.loads(job)
    threading.Thread(target=end_with_parent, daemon=True).start()
    answers = os.dup(1)
    os.dup2(2, 1)  # what the function prints is no answer
    sys.path[:] = path
    said = answer(module, name, program, arguments, limit)
    with os.fdopen(answers, "wb") as out:
        out.write(said)


def taken(size: int) -> bytes:
    """So many bytes of what the parent says; not through `sys.stdin`, whose lock a reading thread holds."""
    parts = []
    while size:
        part = os.read(0, size)
        if not part:
            os._exit(GONE)
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def end_with_parent() -> None:
    """Nothing more comes through this pipe: it closes when whoever started us is gone, or is done with us."""
    os.read(0, 1)
    os._exit(GONE)


def answer(module: str, name: str, program: str | None, arguments: list[Any], limit: int) -> bytes:
    """[error or None, value or message], as JSON."""
    try:
        value = call(found(module, name, program), arguments)
        said = json.dumps([None, value], allow_nan=False).encode()
        if len(said) > limit:
            raise ValueError(f"{len(said)} bytes were returned; at most {limit} are taken")
    except Exception as fault:  # noqa: BLE001 - told to the parent
        return json.dumps([type(fault).__name__, str(fault)]).encode()
    return said


def found(module: str, name: str, program: str | None) -> Any:
    """The function. The program itself is run again under another name, as far as its definitions go."""
    here: Any = importlib.import_module(module) if program is None else None
    if program is not None:
        here = loaded(program)
    for part in name.split("."):
        here = getattr(here, part)
    return here


def loaded(program: str) -> ModuleType:
    """What stands under `if __name__ == "__main__":` does not run here."""
    module = sys.modules[PROGRAM] = ModuleType(PROGRAM)
    module.__file__ = program
    setattr(module, LOADS, True)
    exec(compile(Path(program).read_bytes(), program, "exec"), vars(module))
    setattr(module, LOADS, False)
    return module


def only_loads() -> str | None:
    """The program that this process has yet to load before it can run the one function it was started for."""
    module = sys.modules.get(PROGRAM)
    return module.__file__ if module is not None and getattr(module, LOADS) else None


def call(function: Any, arguments: list[Any]) -> Any:
    value = function(*arguments)
    return asyncio.run(_awaited(value)) if inspect.isawaitable(value) else value


async def _awaited(value: Any) -> Any:
    return await value


if __name__ == "__main__":
    main()
