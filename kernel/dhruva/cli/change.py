"""`dhruva cancel`, `rerun`, `abandon`, `resume`, `discard`: through `step`, beside whoever serves the store.

The same calls as the API makes, so the same rules and the same refusals. A refusal ends with code 1, names
its rule, and says how to get to where it is allowed.
"""

import asyncio
import getpass
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer

from dhruva.cells import Key, Kind
from dhruva.cli import things
from dhruva.cli.app import REFUSED, AsJson, app, clean, say_json, stop
from dhruva.cli.look import StorePath, Thing, looking
from dhruva.ids import Ref
from dhruva.runtime.api import Authority
from dhruva.runtime.errors import TaskError
from dhruva.runtime.operate import Operator, StillRaises
from dhruva.runtime.outcomes import NotAllowed, WasParked
from dhruva.runtime.reading import Look
from dhruva.runtime.store import StoreError
from dhruva.runtime.waits import Names, name_id
from dhruva.table import Refused
from dhruva.why import route_of

Said = dict[str, Any]


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user id without a name
        return ""


Why = Annotated[str, typer.Option("--reason", help="Why; it is kept with your name.")]
Actor = Annotated[str, typer.Option("--actor", help="Who overrides.", default_factory=_user)]


@app.command(epilog='Example: dhruva cancel work.db 12 --message "no longer needed"')
def cancel(
    store: StorePath,
    task: Thing,
    message: Annotated[str | None, typer.Option(help="Kept as the task's error.")] = None,
    as_json: AsJson = False,
) -> None:
    """Cancel a task.

    One that is pending, or runs, is cancelled at once. A body that runs is asked to end, and holds its slot
    until it has.
    """
    number, uuid, name = _task(store, task)

    async def do(authority: Authority) -> Said:
        found = await authority.task(uuid)
        await found.cancel(message)
        return {"cancelled": number, "still runs": await found.still_runs()}

    said = _done(store, do, as_json)
    runs = "; its body was asked to end and still runs" if said["still runs"] else ""
    _answer(said, f"{name} is cancelled{runs}", as_json)


@app.command(epilog="Example: dhruva rerun work.db 12 --no-cascade")
def rerun(
    store: StorePath,
    task: Thing,
    cascade: Annotated[bool, typer.Option(help="Also what depends on it and has ended.")] = True,
    as_json: AsJson = False,
) -> None:
    """Re-execute an ended task, and with it what depends on it."""
    number, uuid, name = _task(store, task)

    async def do(authority: Authority) -> Said:
        skipped = await (await authority.task(uuid)).reexecute(cascade=cascade)
        return {
            "reset": number,
            "skipped": [{"task": int(one.task), "why": str(one.reason)} for one in skipped],
        }

    said = _done(store, do, as_json)
    lines = [
        f"{name} is to run again",
        *(f"skipped {one['task']}: {one['reason']}" for one in said["skipped"]),
    ]
    _answer(said, "\n".join(lines), as_json)


@app.command(epilog='Example: dhruva abandon work.db 12.1.3 --reason "the machine is gone"')
def abandon(store: StorePath, attempt: Thing, reason: Why, actor: Actor, as_json: AsJson = False) -> None:
    """Give an attempt up without seeing its body end.

    Its slot is free and its task fails; its body may still run. Use it where nobody can prove that the
    process is gone.
    """
    key, name = _found(store, attempt, things.find_attempt)
    ref: Ref = key[1]
    _override(store, actor, lambda operator: operator.abandon(ref, reason), as_json)
    _answer({"abandoned": name_id(key), "actor": actor}, f"{name} is abandoned", as_json)


@app.command(epilog='Example: dhruva resume work.db 31 --reason "the bug is mended"')
def resume(store: StorePath, parked: Thing, reason: Why, actor: Actor, as_json: AsJson = False) -> None:
    """Give again what was put aside.

    It stays there if it raises again, or is refused.
    """
    key, _ = _found(store, parked, things.find_parked)
    _override(store, actor, lambda operator: operator.resume(key[1], reason), as_json)
    _answer({"resumed": key[1], "actor": actor}, f"{key[1]} was given again", as_json)


@app.command(epilog='Example: dhruva discard work.db 31 --reason "asked for twice"')
def discard(store: StorePath, parked: Thing, reason: Why, actor: Actor, as_json: AsJson = False) -> None:
    """Forget what was put aside."""
    key, _ = _found(store, parked, things.find_parked)
    _override(store, actor, lambda operator: operator.discard(key[1], reason), as_json)
    _answer({"discarded": key[1], "actor": actor}, f"{key[1]} is discarded", as_json)


def _task(store: Path, text: str) -> tuple[int, UUID, str]:
    with looking(store) as look:
        key = things.find_task(look, text)
        row = look.task(key[1])
        if row is None:
            stop(f"the record of task {key[1]} is missing")
        return key[1], UUID(bytes=row.uuid), f'"{row.name}"'


def _found(store: Path, text: str, find: Callable[[Look, str], Key]) -> tuple[Key, str]:
    with looking(store) as look:
        key = find(look, text)
        return key, Names(look)(key) if key[0] == Kind.ATTEMPT else name_id(key)


def _override(store: Path, actor: str, do: Callable[[Operator], Awaitable[None]], as_json: bool) -> None:
    async def overridden(authority: Authority) -> Said:
        await do(Operator(authority, actor))
        return {}

    _done(store, overridden, as_json)


def _done(store: Path, do: Callable[[Authority], Awaitable[Said]], as_json: bool) -> Said:
    """One call on the store, which others may serve meanwhile. What goes wrong is said in one line."""

    async def run() -> Said:
        async with Authority.open(store, create=False) as authority:
            return await do(authority)

    try:
        return asyncio.run(run())
    except (NotAllowed, TaskError, StillRaises, WasParked) as refused:
        if as_json:
            say_json({"refused": _plain(refused)})
        typer.echo(clean(f"refused: {refused}"), err=True)
        raise typer.Exit(REFUSED) from refused
    except (StoreError, ValueError) as fault:
        stop(str(fault))


def _plain(error: Exception) -> Said:
    """A refusal as fields: the code, and what `step` said, with the shortest way to where it is allowed."""
    refused: Refused | None = getattr(error, "refused", None)
    code = int(error.code) if isinstance(error, TaskError) else None
    if refused is None:
        return {"code": code, "message": str(error)}
    found = route_of(refused)
    route = None if found is None else [leg._asdict() for leg in found.legs]
    return {"code": code, "message": str(error)} | refused._asdict() | {"route": route}


def _answer(said: Said, text: str, as_json: bool) -> None:
    if as_json:
        say_json(said)
    else:
        for each in text.splitlines():
            typer.echo(clean(each))
